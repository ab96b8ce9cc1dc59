package io.onehop.core.hash;

/** The hashes of Austin Appleby. spec/hash: murmur and murmur64a. */
public final class Murmur {
    private static final int FACTOR = 0x5bd1e995;
    private static final int SEED_PER_BYTE = 0xdeadbeef;
    private static final long FACTOR_64 = 0xc6a4a7935bd1e995L;
    private static final long SEED = 0x1234abcdL;
    private static final int SHIFT = 47;

    private Murmur() {}

    /** MurmurHash2 with a seed that depends on the length. */
    static int murmur(byte[] bytes, int offset, int length) {
        int hash = SEED_PER_BYTE * length ^ length;
        int tail = offset + (length & ~3);
        for (int i = offset; i < tail; i += 4) {
            int word = LittleEndian.word(bytes, i) * FACTOR;
            word ^= word >>> 24;
            hash = hash * FACTOR ^ word * FACTOR;
        }
        int rest = length & 3;
        if (rest != 0) {
            hash = (hash ^ LittleEndian.partOfWord(bytes, tail, rest)) * FACTOR;
        }
        hash = (hash ^ hash >>> 13) * FACTOR;
        return hash ^ hash >>> 15;
    }

    /** MurmurHash64A with the seed of Jedis. */
    public static long murmur64a(byte[] bytes, int offset, int length) {
        long hash = SEED ^ length * FACTOR_64;
        int tail = offset + (length & ~7);
        for (int i = offset; i < tail; i += 8) {
            long block = LittleEndian.longWord(bytes, i) * FACTOR_64;
            hash = (hash ^ (block ^ block >>> SHIFT) * FACTOR_64) * FACTOR_64;
        }
        if ((length & 7) != 0) {
            long rest = 0;
            for (int i = offset + length - 1; i >= tail; i--) {
                rest = rest << 8 | bytes[i] & 0xff;
            }
            hash = (hash ^ rest) * FACTOR_64;
        }
        hash = (hash ^ hash >>> SHIFT) * FACTOR_64;
        return hash ^ hash >>> SHIFT;
    }
}
