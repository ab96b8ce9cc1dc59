package io.onehop.cli;

import io.onehop.core.base.Clock;

import java.util.concurrent.TimeUnit;

/**
 * Lets so many commands a second begin, or so many bytes, in even steps. A short delay is made up
 * for, because otherwise every pause of a busy machine would lower the rate. For one thread.
 */
final class Pace {
    /** No limit. */
    static final double UNLIMITED = Double.POSITIVE_INFINITY;

    private static final long MADE_UP_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** A clock, and a way to wait. */
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

    /**
     * Waits until a piece of this size may begin, which is after the time that the pieces before it
     * take.
     */
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
