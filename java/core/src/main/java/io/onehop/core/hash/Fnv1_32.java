package io.onehop.core.hash;

/**
 * {@code fnv1_32}: 32-bit FNV-1: multiply, then xor, with bytes widened with their sign.
 *
 * <p>spec/hash, fnv1_32.
 */
final class Fnv1_32 {
    private static final int START = 0x811c9dc5;
    private static final int PRIME = 0x01000193;

    private Fnv1_32() {}

    static int of(byte[] bytes, int offset, int length) {
        int hash = START;
        for (int i = offset; i < offset + length; i++) {
            hash = hash * PRIME ^ bytes[i]; // Java widens with the sign, as nutcracker does on x86.
        }
        return hash;
    }
}
