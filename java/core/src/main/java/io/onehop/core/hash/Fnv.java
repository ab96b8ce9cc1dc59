package io.onehop.core.hash;

/**
 * The FNV family: multiply by a prime and mix in a byte, in either order, in two widths.
 *
 * <p>The 64-bit names are historical. nutcracker returns the low 32 bits. These depend only on the
 * low 32 bits of the state, so 32-bit arithmetic with the low halves of the 64-bit constants gives
 * the same number. Java widens bytes with their sign, as nutcracker does on x86; the published FNV
 * does not.
 *
 * <p>spec/hash, fnv1_64, fnv1a_64, fnv1_32, fnv1a_32.
 */
final class Fnv {
    private static final int START_64 = 0x84222325; // Low half of 0xcbf29ce484222325.
    private static final int PRIME_64 = 0x1b3; // Low half of 0x100000001b3.
    private static final int START_32 = 0x811c9dc5;
    private static final int PRIME_32 = 0x01000193;

    private Fnv() {}

    static int fnv1_64(byte[] bytes, int offset, int length) {
        int hash = START_64;
        for (int i = offset; i < offset + length; i++) {
            hash = hash * PRIME_64 ^ bytes[i];
        }
        return hash;
    }

    static int fnv1a_64(byte[] bytes, int offset, int length) {
        int hash = START_64;
        for (int i = offset; i < offset + length; i++) {
            hash = (hash ^ bytes[i]) * PRIME_64;
        }
        return hash;
    }

    static int fnv1_32(byte[] bytes, int offset, int length) {
        int hash = START_32;
        for (int i = offset; i < offset + length; i++) {
            hash = hash * PRIME_32 ^ bytes[i];
        }
        return hash;
    }

    static int fnv1a_32(byte[] bytes, int offset, int length) {
        int hash = START_32;
        for (int i = offset; i < offset + length; i++) {
            hash = (hash ^ bytes[i]) * PRIME_32;
        }
        return hash;
    }
}
