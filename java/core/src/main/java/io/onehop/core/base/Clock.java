package io.onehop.core.base;

/**
 * Monotonic time: the only door through which time enters OneHop.
 *
 * <p>Its value is nanoseconds since an arbitrary instant of this process; only differences mean
 * something, and they may be compared by subtraction only. A changed wall clock has no effect on
 * it. Any thread may ask.
 */
public final class Clock {

    private Clock() {}

    /** Milliseconds since 1970 by the wall clock, which anybody may set: for people only. */
    public static long unixMs() {
        return System.currentTimeMillis();
    }

    /** The monotonic now, in nanoseconds. */
    public static long nowNs() {
        return System.nanoTime();
    }
}
