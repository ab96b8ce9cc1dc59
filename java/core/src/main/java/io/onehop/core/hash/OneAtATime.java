package io.onehop.core.hash;

/**
 * {@code one_at_a_time}: Bob Jenkins' one-at-a-time hash, its bytes widened with their sign.
 *
 * <p>spec/hash, one_at_a_time.
 */
final class OneAtATime {

    private OneAtATime() {}

    static int of(byte[] bytes, int offset, int length) {
        int hash = 0;
        for (int i = offset; i < offset + length; i++) {
            hash += bytes[i]; // Java widens with the sign, as nutcracker's char does on x86.
            hash += hash << 10;
            hash ^= hash >>> 6;
        }
        hash += hash << 3;
        hash ^= hash >>> 11;
        hash += hash << 15;
        return hash;
    }
}
