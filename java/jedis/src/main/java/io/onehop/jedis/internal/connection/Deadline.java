package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.Leaving;

/**
 * The instant at which a call must be over, with its lease, its connect and all its exchanges.
 *
 * <p>A timeout for each single read or write never ends a call whose node sends a byte now and
 * then. An instant does. It is set when the call begins, and never moved. A blocking command has a
 * later instant from the start.
 */
public final class Deadline {
    /** No deadline: the pool's {@code timeout} is 0. */
    public static final Deadline NONE = new Deadline(0, 0);

    /** A wait without end. */
    public static final long FOR_EVER_MS = Long.MAX_VALUE;

    private static final long NS_PER_MS = 1_000_000;
    private static final long CHECK_NS = Timings.LEAVING_CHECK_MS * NS_PER_MS;

    /* No deadline, because a command blocks without end. */
    private static final Deadline OF_A_WAIT = new Deadline(-1, 0);

    // The time from the beginning of the call to the instant; 0 or less: no deadline.
    private final int lengthMs;
    private final long instantNs;

    private Deadline(int lengthMs, long instantNs) {
        this.lengthMs = lengthMs;
        this.instantNs = instantNs;
    }

    /** The deadline of a call that begins now; {@code timeoutMs} 0 is none. */
    public static Deadline in(int timeoutMs) {
        return timeoutMs == 0
                ? NONE
                : new Deadline(timeoutMs, Clock.nowNs() + timeoutMs * NS_PER_MS);
    }

    /** This deadline, moved by that many milliseconds. */
    public Deadline later(long ms) {
        if (ms == 0) {
            return this;
        }
        boolean isFar = ms >= Integer.MAX_VALUE - lengthMs; // More than 24 days.
        return isFar || !isBounded()
                ? OF_A_WAIT
                : new Deadline(lengthMs + (int) ms, instantNs + ms * NS_PER_MS);
    }

    /** This deadline, or a deadline that many milliseconds from now if that is sooner. */
    public Deadline atMost(long ms) {
        return waitNs() / NS_PER_MS <= ms
                ? this
                : new Deadline(Math.max(1, (int) ms), Clock.nowNs() + ms * NS_PER_MS);
    }

    /** How long one of {@code count} alternatives may be silent before the next is tried. */
    public static int stepMs(int timeoutMs, int count) {
        return timeoutMs == 0
                ? Timings.STEP_MS_MAX
                : Math.min(Timings.STEP_MS_MAX, Math.max(1, timeoutMs / Math.max(1, count)));
    }

    /** A third of the milliseconds that remain, but at most {@code most}, and at least 1. */
    public long thirdMs(long most) {
        return Math.max(1, Math.min(most, waitNs() / NS_PER_MS / 3));
    }

    public boolean isBounded() {
        return lengthMs > 0;
    }

    /** When the call began, if the deadline is bounded. */
    long beganNs() {
        return instantNs - lengthMs * NS_PER_MS;
    }

    /** True if this is the deadline of a server pool with this timeout, and nothing was added. */
    boolean hasLength(int timeoutMs) {
        return lengthMs == timeoutMs;
    }

    /** True if at most half of its length had passed at this instant. */
    boolean leavesHalf(long sinceNs) {
        return isBounded() && instantNs - sinceNs >= lengthMs * NS_PER_MS / 2;
    }

    public boolean hasPassed() {
        return isBounded() && remainingNs() <= 0;
    }

    /** True if it passed at least that many milliseconds ago. */
    public boolean hasPassedBy(int graceMs) {
        return isBounded() && remainingNs() <= -graceMs * NS_PER_MS;
    }

    /** The time left for {@code Selector.select}, rounded up: at least 1, and 0 for no deadline. */
    public long selectMs() {
        return selectMs(waitNs());
    }

    /** The same time for {@code Selector.select}, from a result of {@link #waitNs}. */
    public static long selectMs(long waitNs) {
        return waitNs == Long.MAX_VALUE ? 0 : Math.max(1, (waitNs + NS_PER_MS - 1) / NS_PER_MS);
    }

    /**
     * Like {@link #selectMs(long)}, but at most until a waiting call should check for a successor.
     */
    public static long checkMs(long waitNs) {
        return selectMs(Math.min(waitNs, CHECK_NS));
    }

    /**
     * Like {@link #checkMs(long)}. {@code halves}: the call also checks when half of its time is
     * over.
     */
    public long checkMs(long waitNs, boolean halves) {
        return checkMs(halves && !isHalfOver() ? Math.min(waitNs, halfNs()) : waitNs);
    }

    /** True if the call has taken that long so far, or has no deadline. */
    public boolean isOlderThan(int ms) {
        return !isBounded() || Clock.nowNs() - beganNs() >= ms * NS_PER_MS;
    }

    /** True if half of the time of the call has passed. */
    public boolean isHalfOver() {
        return isBounded() && Leaving.isHalfOver(remainingNs() / NS_PER_MS, lengthMs);
    }

    /**
     * The time until half of it has passed, at least 0; {@code Long.MAX_VALUE} without a deadline.
     */
    public long halfNs() {
        return isBounded() ? Math.max(0, remainingNs() - lengthMs * NS_PER_MS / 2) : Long.MAX_VALUE;
    }

    /** The time left, not below zero; {@code Long.MAX_VALUE} without a deadline. */
    public long waitNs() {
        return isBounded() ? Math.max(0, remainingNs()) : Long.MAX_VALUE;
    }

    private long remainingNs() {
        return instantNs - Clock.nowNs();
    }
}
