package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;

/**
 * The instant by which a call must be over: one for lease, connect and every exchange of it.
 *
 * <p>A timeout given to each read or write alone never fires while a node drips bytes; an instant
 * does. It is made when the call begins and never moved; a command that waits on its node by its
 * own wish has a later one from the start.
 */
public final class Deadline {
    /** No deadline: the pool's {@code timeout} is 0. */
    public static final Deadline NONE = new Deadline(0, 0);

    /** A wait without end. */
    public static final long FOR_EVER_MS = Long.MAX_VALUE;

    private static final long NS_PER_MS = 1_000_000;

    /* None either, because a command waits without end by its own wish. */
    private static final Deadline OF_A_WAIT = new Deadline(-1, 0);

    private final int lengthMs; // Of all of it; 0 or less: there is no end.
    private final long instantNs;

    private Deadline(int lengthMs, long instantNs) {
        this.lengthMs = lengthMs;
        this.instantNs = instantNs;
    }

    /** The deadline of a call that begins now; 0 is none. */
    public static Deadline in(int timeoutMs) {
        return timeoutMs == 0
                ? NONE
                : new Deadline(timeoutMs, Clock.nowNs() + timeoutMs * NS_PER_MS);
    }

    /** The same, so many milliseconds later. */
    public Deadline later(long ms) {
        if (ms == 0) {
            return this;
        }
        boolean isFar = ms >= Integer.MAX_VALUE - lengthMs; // In 24 days.
        return isFar || !isBounded()
                ? OF_A_WAIT
                : new Deadline(lengthMs + (int) ms, instantNs + ms * NS_PER_MS);
    }

    public boolean isBounded() {
        return lengthMs > 0;
    }

    /** When the call began, if the deadline is bounded. */
    long beganNs() {
        return instantNs - lengthMs * NS_PER_MS;
    }

    /** Whether it is the deadline of a server pool with this timeout, and nothing was added. */
    boolean hasLength(int timeoutMs) {
        return lengthMs == timeoutMs;
    }

    /** Whether half of its length or more lies behind this instant. */
    boolean leavesHalf(long sinceNs) {
        return isBounded() && instantNs - sinceNs >= lengthMs * NS_PER_MS / 2;
    }

    public boolean hasPassed() {
        return isBounded() && remainingNs() <= 0;
    }

    /** Whether it passed at least so many milliseconds ago. */
    public boolean hasPassedBy(int graceMs) {
        return isBounded() && remainingNs() <= -graceMs * NS_PER_MS;
    }

    /**
     * What is left, rounded up, as {@code Selector.select} wants it: at least 1, and 0 for ever.
     */
    public long selectMs() {
        return selectMs(waitNs());
    }

    /** The same of what {@link #waitNs} has told. */
    public static long selectMs(long waitNs) {
        return waitNs == Long.MAX_VALUE ? 0 : Math.max(1, (waitNs + NS_PER_MS - 1) / NS_PER_MS);
    }

    /** What is left, not below zero; {@code Long.MAX_VALUE} for ever. */
    public long waitNs() {
        return isBounded() ? Math.max(0, remainingNs()) : Long.MAX_VALUE;
    }

    private long remainingNs() {
        return instantNs - Clock.nowNs();
    }
}
