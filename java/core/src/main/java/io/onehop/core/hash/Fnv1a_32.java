package io.onehop.core.hash;

/**
 * {@code fnv1a_32}: 32-bit FNV-1a: xor, then multiply, with bytes widened with their sign.
 *
 * <p>spec/hash, fnv1a_32.
 */
final class Fnv1a_32 {
    private static final int START = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private Fnv1a_32() {}

    static int of(byte[] bytes, int offset, int length) {
        int hash = START;
        for (int i = offset; i < offset + length; i++) {
            // Java widens with the sign, as nutcracker does on x86.
            hash = (hash ^ bytes[i]) * PRIME;
        }
        return hash;
    }
}
