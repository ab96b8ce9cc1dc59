package io.onehop.jedis.internal.pool;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.Fastest;
import io.onehop.core.health.Latency;
import io.onehop.core.health.RecentErrors;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * The counters of one node. Any thread counts without waiting for another. Reading adds up the
 * parts of a counter. {@code nowMs} is the time of {@link NodeHealth}. Implements spec/meter.
 */
public final class NodeMeter {
    /* A successful call is counted once, in its bucket. All other counters are for rare events. */
    private final LongAdder[] latency =
            IntStream.range(0, Latency.BUCKETS)
                    .mapToObj(i -> new LongAdder())
                    .toArray(LongAdder[]::new);
    private final LongAdder untimed = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final RecentErrors recentErrors = new RecentErrors();
    private final Instant since = Instant.ofEpochMilli(Clock.unixMs());
    private final LongAdder redirects = new LongAdder();
    private final LongAdder leases = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final LongAdder waitedNs = new LongAdder();
    private final LongAccumulator longestWaitNs = new LongAccumulator(Math::max, 0);
    private final LongAdder connects = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();
    private volatile @Nullable LongConsumer listener;
    private volatile long smoothedNs; // The smoothed latency of reads; 0: none yet.
    private volatile long answeredMs; // When the last answer was noted; 0: never.
    private volatile long answeredUnixMs; // The same instant by the wall clock.

    void answered(long ns, long nowMs) {
        noteAnswer(nowMs);
        latency[Latency.bucket(Math.max(0, ns) / 1000)].increment();
        LongConsumer other = listener;
        if (other != null) {
            other.accept(ns);
        }
    }

    /**
     * Notes how long a read took. If two threads note at the same time, one value may be lost,
     * which does no harm.
     */
    public void compare(long ns) {
        smoothedNs = Fastest.smooth(smoothedNs, Math.max(0, ns));
    }

    /** The smoothed latency of recent reads; 0: unknown. */
    public long smoothedNs() {
        return smoothedNs;
    }

    /**
     * Also reports the duration of each call, in nanoseconds, to this listener. It must not wait.
     */
    public synchronized void onCall(LongConsumer other) {
        listener = listener == null ? other : listener.andThen(other);
    }

    /** Counts a call that blocked on the node. */
    void answeredAfterWaiting(long nowMs) {
        noteAnswer(nowMs);
        untimed.increment();
    }

    /**
     * Notes that the node has answered. Most calls only read here, so threads do not take the cache
     * line from each other.
     */
    private void noteAnswer(long nowMs) {
        if (nowMs - answeredMs >= Timings.ANSWERED_EVERY_MS || answeredMs == 0) {
            answeredUnixMs = Clock.unixMs();
            answeredMs = nowMs;
        }
    }

    void failed(long nowMs) {
        errors.increment();
        recentErrors.count(nowMs);
    }

    public void redirected() {
        redirects.increment();
    }

    void leased() {
        leases.increment();
    }

    void waited() {
        waits.increment();
    }

    /** Counts the duration of a wait that is over. */
    void waitedFor(long ns) {
        waitedNs.add(ns);
        longestWaitNs.accumulate(ns);
    }

    void connecting() {
        connects.increment();
    }

    void moved(long bytesSent, long bytesReceived) {
        sent.add(bytesSent);
        received.add(bytesReceived);
    }

    /** When this client first had the node. */
    public Instant since() {
        return since;
    }

    /** When a call last ended well, within {@code ANSWERED_EVERY_MS}; {@code null}: never. */
    public @Nullable Instant lastAnswered() {
        return answeredMs == 0 ? null : Instant.ofEpochMilli(answeredUnixMs);
    }

    /** The errors of the last five minutes. */
    public long recentErrors(long nowMs) {
        return recentErrors.sum(nowMs);
    }

    /** The calls of each bucket. */
    public long[] latency() {
        long[] counts = new long[latency.length];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = latency[i].sum();
        }
        return counts;
    }

    public long calls() {
        long calls = untimed.sum() + errors.sum();
        for (LongAdder bucket : latency) {
            calls += bucket.sum();
        }
        return calls;
    }

    public long errors() {
        return errors.sum();
    }

    /** Commands that this node redirected. */
    public long redirects() {
        return redirects.sum();
    }

    public long leases() {
        return leases.sum();
    }

    public long waits() {
        return waits.sum();
    }

    /** The mean wait for a connection, of all leases. */
    long meanWaitNs() {
        return waitedNs.sum() / Math.max(1, leases.sum());
    }

    long longestWaitNs() {
        return longestWaitNs.get();
    }

    public long connects() {
        return connects.sum();
    }

    public long bytesSent() {
        return sent.sum();
    }

    public long bytesReceived() {
        return received.sum();
    }
}
