package io.onehop.jedis;

import io.onehop.core.Clock;
import java.time.Duration;

/**
 * The instant by which a call must be over: one for lease, connect and every exchange of it.
 *
 * <p>A timeout given to each read or write alone never fires while a node drips bytes; an instant does. It is made when
 * the call begins and never moved; a command that waits on its node by its own wish has a later one from the start.
 */
final class Deadline {
    /** No deadline: the pool's {@code timeout} is 0. */
    static final Deadline NONE = new Deadline(false, 0);

    /** A wait without end. */
    static final long FOR_EVER_MS = Long.MAX_VALUE;

    private static final long NS_PER_MS = 1_000_000;

    private final boolean bounded;
    private final long instantNs;

    private Deadline(boolean bounded, long instantNs) {
        this.bounded = bounded;
        this.instantNs = instantNs;
    }

    /** The deadline of a call that begins now; 0 is none. */
    static Deadline in(int timeoutMs) {
        return timeoutMs == 0 ? NONE : new Deadline(true, Clock.nowNs() + timeoutMs * NS_PER_MS);
    }

    /** The same, so many milliseconds later. */
    Deadline later(long ms) {
        if (!bounded || ms == 0) {
            return this;
        }
        boolean isFar = ms >= (Long.MAX_VALUE >> 1) / NS_PER_MS; // In 146 years; the clock may begin below zero.
        return isFar ? NONE : new Deadline(true, instantNs + ms * NS_PER_MS);
    }

    boolean hasPassed() {
        return bounded && remainingNs() <= 0;
    }

    /** Whether it passed at least so many milliseconds ago. */
    boolean hasPassedBy(int graceMs) {
        return bounded && remainingNs() <= -graceMs * NS_PER_MS;
    }

    /** What is left, rounded up, as {@code Selector.select} wants it: at least 1, and 0 for ever. */
    long selectMs() {
        return bounded ? Math.max(1, (remainingNs() + NS_PER_MS - 1) / NS_PER_MS) : 0;
    }

    /** What is left, not below zero and at most so much. */
    Duration atMost(Duration most) {
        return bounded ? Duration.ofNanos(Math.max(0, Math.min(remainingNs(), most.toNanos()))) : most;
    }

    /** What is left, not below zero; {@code Long.MAX_VALUE} for ever. */
    long waitNs() {
        return bounded ? Math.max(0, remainingNs()) : Long.MAX_VALUE;
    }

    private long remainingNs() {
        return instantNs - Clock.nowNs();
    }
}
