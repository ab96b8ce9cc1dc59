package io.onehop.core.hash;

/**
 * {@code murmur}: Austin Appleby's MurmurHash2 with a seed that depends on the length.
 *
 * <p>spec/hash, murmur.
 */
final class Murmur {
    private static final int FACTOR = 0x5bd1e995;
    private static final int SEED_PER_BYTE = 0xdeadbeef;

    private Murmur() {}

    static int of(byte[] bytes, int offset, int length) {
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
}
