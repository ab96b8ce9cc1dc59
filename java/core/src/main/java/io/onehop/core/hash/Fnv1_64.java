package io.onehop.core.hash;

/**
 * {@code fnv1_64}: the low half of 64-bit FNV-1: multiply, then xor, with bytes widened with their
 * sign.
 *
 * <p>spec/hash, fnv1_64.
 */
final class Fnv1_64 {
    private static final int START = 0x84222325;
    private static final int PRIME = 0x1b3;

    private Fnv1_64() {}

    static int of(byte[] bytes, int offset, int length) {
        int hash = START;
        for (int i = offset; i < offset + length; i++) {
            hash = hash * PRIME ^ bytes[i]; // Java widens with the sign, as nutcracker does on x86.
        }
        return hash;
    }
}
