package io.onehop.jedis.internal.connection;

/**
 * Checks that the stack has room for what must not stop half-way: the JDK opening, closing or using
 * a socket.
 *
 * <p>A StackOverflowError inside the JDK could leave a descriptor open that nobody knows, or a lock
 * that nobody releases. So it is provoked here, before anything has begun.
 */
public final class StackRoom {
    /* At 64 bytes or more each. The JDK takes some 5 KiB to open; a lease pays 0.2 us, less than 1 % of a call. */
    private static final int TO_OPEN_OR_CLOSE = 400;
    private static final int TO_USE = 64;

    private StackRoom() {}

    /** Ends in a StackOverflowError if there is not enough to open or close a socket. */
    public static void require() {
        descend(TO_OPEN_OR_CLOSE, 1, 2, 3);
    }

    /** The same for using one. */
    public static void requireToUse() {
        descend(TO_USE, 1, 2, 3);
    }

    /**
     * Each level needs what it was given after the next one is done, so that no compiler makes a
     * loop of it.
     */
    private static long descend(int levels, long a, long b, long c) {
        return levels == 0
                ? a + b + c
                : descend(levels - 1, b + c, a ^ levels, a + b) + a - b + c * levels;
    }
}
