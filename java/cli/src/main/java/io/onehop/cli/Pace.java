package io.onehop.cli;

import io.onehop.core.base.Clock;

import java.util.concurrent.TimeUnit;

/**
 * Lets so many commands or bytes a second begin, evenly. A short delay is made up for. Otherwise
 * every pause of a busy machine would lower the rate. For one thread.
 */
final class Pace {
    /** No limit. */
    static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private static final long MADE_UP_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The time, and a wait. */
    interface Time {
        Time REAL =
                new Time() {
                    @Override
                    public long nowNs() {
                        return Clock.nowNs();
                    }

                    @Override
                    public void sleep(long ns) throws Refusal {
                        Pace.sleep(ns);
                    }
                };

        long nowNs();

        void sleep(long ns) throws Refusal;
    }

    private final double perSecond;
    private final Time time;
    private long nextNs;

    Pace(double perSecond) {
        this(perSecond, Time.REAL);
    }

    Pace(double perSecond, Time time) {
        this.perSecond = perSecond;
        this.time = time;
        this.nextNs = time.nowNs();
    }

    /** Waits until the next command may begin. */
    void await() throws Refusal {
        await(1);
    }

    /** The same for a piece of this size: it begins after the time of the pieces before it. */
    void await(double size) throws Refusal {
        long nowNs = time.nowNs();
        long leftNs = nextNs - nowNs;
        long beganNs = Math.max(nextNs, nowNs - MADE_UP_NS);
        nextNs = beganNs + (long) (TimeUnit.SECONDS.toNanos(1) * size / perSecond);
        if (leftNs > 0) {
            time.sleep(leftNs);
        }
    }

    static void sleep(long ns) throws Refusal {
        try {
            TimeUnit.NANOSECONDS.sleep(ns);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refusal(ExitStatus.NO_ANSWER, "interrupted");
        }
    }
}
