package io.onehop.cli;

import io.onehop.core.base.Clock;

import java.util.concurrent.TimeUnit;

/** Lets so many commands a second begin, evenly. For one thread. */
final class Pace {
    private final long everyNs;
    private long nextNs = Clock.nowNs();

    Pace(int perSecond) {
        this.everyNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
    }

    /** Waits until the next command may begin. A late one makes the others no denser. */
    void await() throws Refusal {
        long nowNs = Clock.nowNs();
        long leftNs = nextNs - nowNs;
        nextNs = Math.max(nextNs, nowNs) + everyNs;
        if (leftNs > 0) {
            sleep(leftNs);
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
