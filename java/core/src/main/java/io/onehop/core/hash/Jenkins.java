package io.onehop.core.hash;

/**
 * {@code jenkins}: Bob Jenkins' lookup3, {@code hashlittle}, with the start value 13.
 *
 * <p>spec/hash, jenkins.
 */
final class Jenkins {
    private static final int START = 0xdeadbeef + 13;

    private Jenkins() {}

    static int of(byte[] bytes, int offset, int length) {
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

    /** Mixes in the last 1 to 12 bytes. Only an empty key has none. */
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
}
