package io.onehop.core.hash;

/**
 * The one signature of all hash functions: bytes to 32 bits, read as an unsigned number. Pure, allocates nothing, any
 * thread.
 */
@FunctionalInterface
public interface HashFunction {

    /** The hash of {@code length} bytes from {@code offset}; the range must lie inside the array. */
    int of(byte[] bytes, int offset, int length);
}
