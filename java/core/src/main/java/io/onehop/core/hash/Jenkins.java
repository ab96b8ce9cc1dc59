package io.onehop.core.hash;

/** The hashes of Bob Jenkins and of Paul Hsieh. spec/hash: jenkins, one_at_a_time and hsieh. */
final class Jenkins {
    private static final int START = 0xdeadbeef + 13;

    private Jenkins() {}

    /** Bob Jenkins' lookup3, {@code hashlittle}, with the start value 13. */
    static int jenkins(byte[] bytes, int offset, int length) {
        int a = START + length;
        int b = a;
        int c = a;
        int at = offset;
        int left = length;
        for (; left > 12; left -= 12, at += 12) {
            a += LittleEndian.word(bytes, at);
            b += LittleEndian.word(bytes, at + 4);
            c += LittleEndian.word(bytes, at + 8);
            a = a - c ^ Integer.rotateLeft(c, 4);
            c += b;
            b = b - a ^ Integer.rotateLeft(a, 6);
            a += c;
            c = c - b ^ Integer.rotateLeft(b, 8);
            b += a;
            a = a - c ^ Integer.rotateLeft(c, 16);
            c += b;
            b = b - a ^ Integer.rotateLeft(a, 19);
            a += c;
            c = c - b ^ Integer.rotateLeft(b, 4);
            b += a;
        }
        return left == 0 ? c : last(a, b, c, bytes, at, left);
    }

    /** Mixes in the last 1 to 12 bytes. Only an empty key has no such bytes. */
    private static int last(int a, int b, int c, byte[] bytes, int at, int left) {
        a += wordOf(bytes, at, left);
        b += wordOf(bytes, at + 4, left - 4);
        c += wordOf(bytes, at + 8, left - 8);
        c = (c ^ b) - Integer.rotateLeft(b, 14);
        a = (a ^ c) - Integer.rotateLeft(c, 11);
        b = (b ^ a) - Integer.rotateLeft(a, 25);
        c = (c ^ b) - Integer.rotateLeft(b, 16);
        a = (a ^ c) - Integer.rotateLeft(c, 4);
        b = (b ^ a) - Integer.rotateLeft(a, 14);
        return (c ^ b) - Integer.rotateLeft(b, 24);
    }

    private static int wordOf(byte[] bytes, int at, int left) {
        return left >= 4
                ? LittleEndian.word(bytes, at)
                : LittleEndian.partOfWord(bytes, at, Math.max(left, 0));
    }

    /** Bob Jenkins' one-at-a-time hash, its bytes widened with their sign. */
    static int oneAtATime(byte[] bytes, int offset, int length) {
        int hash = 0;
        for (int i = offset; i < offset + length; i++) {
            hash += bytes[i]; // Java widens with the sign, as nutcracker's char does on x86.
            hash += hash << 10;
            hash ^= hash >>> 6;
        }
        hash += hash << 3;
        hash ^= hash >>> 11;
        hash += hash << 15;
        return hash;
    }

    /** Paul Hsieh's SuperFastHash, started from 0 instead of the length. */
    static int hsieh(byte[] bytes, int offset, int length) {
        int hash = 0;
        int tail = offset + (length & ~3);
        for (int i = offset; i < tail; i += 4) {
            hash += LittleEndian.half(bytes, i);
            hash = (hash << 16) ^ (LittleEndian.half(bytes, i + 2) << 11) ^ hash;
            hash += hash >>> 11;
        }
        return scattered(withTail(hash, bytes, tail, length & 3));
    }

    private static int withTail(int hash, byte[] bytes, int tail, int count) {
        switch (count) {
            case 3:
                hash += LittleEndian.half(bytes, tail);
                hash ^= hash << 16;
                hash ^= bytes[tail + 2] << 18; // The only byte that is widened with its sign.
                return hash + (hash >>> 11);
            case 2:
                hash += LittleEndian.half(bytes, tail);
                hash ^= hash << 11;
                return hash + (hash >>> 17);
            case 1:
                hash += bytes[tail] & 0xff;
                hash ^= hash << 10;
                return hash + (hash >>> 1);
            default:
                return hash;
        }
    }

    private static int scattered(int hash) {
        hash ^= hash << 3;
        hash += hash >>> 5;
        hash ^= hash << 4;
        hash += hash >>> 17;
        hash ^= hash << 25;
        hash += hash >>> 6;
        return hash;
    }
}
