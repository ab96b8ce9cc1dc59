package io.onehop.core.base;

/**
 * Monotonic time. This is the only class of OneHop that reads a clock.
 *
 * <p>The value is nanoseconds since an arbitrary instant of this process. Only differences have a
 * meaning, so compare values by subtraction. Changes of the wall clock do not affect the value. Any
 * thread.
 */
public final class Clock {

    private Clock() {}

    /**
     * Milliseconds since 1970 by the wall clock, which may be changed at any time. Use it only to
     * show a time to people.
     */
    public static long unixMs() {
        return System.currentTimeMillis();
    }

    /** The current monotonic time, in nanoseconds. */
    public static long nowNs() {
        return System.nanoTime();
    }
}
