package io.onehop.jedis.internal.connection;

/**
 * Checks that the stack has room for work that must not stop half-way: opening, closing or using a
 * socket in the JDK.
 *
 * <p>A StackOverflowError inside the JDK could leak a descriptor, or leave a lock locked. So it is
 * provoked here, before anything has begun.
 */
public final class StackRoom {
    /*
     * How many nested calls must fit, of at least 64 bytes each. The JDK takes some 5 KiB to open
     * a socket. The check costs a lease 0.2 us, less than 1 % of a call.
     */
    private static final int TO_OPEN_OR_CLOSE = 400;
    private static final int TO_USE = 64;

    private StackRoom() {}

    /** Throws StackOverflowError if there is not enough room to open or close a socket. */
    public static void require() {
        descend(TO_OPEN_OR_CLOSE, 1, 2, 3);
    }

    /** Throws StackOverflowError if there is not enough room to use a socket. */
    public static void requireToUse() {
        descend(TO_USE, 1, 2, 3);
    }

    /**
     * Each level uses its arguments after the next one has returned, so no compiler can make a loop
     * of it.
     */
    private static long descend(int levels, long a, long b, long c) {
        return levels == 0
                ? a + b + c
                : descend(levels - 1, b + c, a ^ levels, a + b) + a - b + c * levels;
    }
}
