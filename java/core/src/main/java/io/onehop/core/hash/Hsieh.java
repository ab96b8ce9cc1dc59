package io.onehop.core.hash;

/**
 * {@code hsieh}: Paul Hsieh's SuperFastHash, started from 0 instead of the length.
 *
 * <p>spec/hash, hsieh.
 */
final class Hsieh {

    private Hsieh() {}

    static int of(byte[] bytes, int offset, int length) {
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
                hash ^= bytes[tail + 2] << 18; // The only byte that keeps its sign.
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
