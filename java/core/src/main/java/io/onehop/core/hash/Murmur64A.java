package io.onehop.core.hash;

/**
 * {@code murmur64a}: Austin Appleby's MurmurHash64A with the seed of Jedis.
 *
 * <p>spec/hash, murmur64a.
 */
public final class Murmur64A {
    private static final long FACTOR = 0xc6a4a7935bd1e995L;
    private static final long SEED = 0x1234abcdL;
    private static final int SHIFT = 47;

    private Murmur64A() {}

    public static long of(byte[] bytes, int offset, int length) {
        long hash = SEED ^ length * FACTOR;
        int tail = offset + (length & ~7);
        for (int i = offset; i < tail; i += 8) {
            long block = LittleEndian.longWord(bytes, i) * FACTOR;
            hash = (hash ^ (block ^ block >>> SHIFT) * FACTOR) * FACTOR;
        }
        if ((length & 7) != 0) {
            long rest = 0;
            for (int i = offset + length - 1; i >= tail; i--) {
                rest = rest << 8 | bytes[i] & 0xff;
            }
            hash = (hash ^ rest) * FACTOR;
        }
        hash = (hash ^ hash >>> SHIFT) * FACTOR;
        return hash ^ hash >>> SHIFT;
    }
}
