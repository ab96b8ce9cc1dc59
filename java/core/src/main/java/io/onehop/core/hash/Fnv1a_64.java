package io.onehop.core.hash;

/**
 * {@code fnv1a_64}: the low half of 64-bit FNV-1a: xor, then multiply, with bytes widened with
 * their sign. The default.
 *
 * <p>spec/hash, fnv1a_64.
 */
final class Fnv1a_64 {
    private static final int START = 0x84222325;
    private static final int PRIME = 0x1b3;

    private Fnv1a_64() {}

    static int of(byte[] bytes, int offset, int length) {
        int hash = START;
        for (int i = offset; i < offset + length; i++) {
            // Java widens with the sign, as nutcracker does on x86.
            hash = (hash ^ bytes[i]) * PRIME;
        }
        return hash;
    }
}
