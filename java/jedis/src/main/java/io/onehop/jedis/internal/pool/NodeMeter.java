package io.onehop.jedis.internal.pool;

import io.onehop.core.cluster.Fastest;
import io.onehop.core.health.Latency;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;

/**
 * The counters of one node. Any thread counts without waiting for another. Reading adds up.
 * Implements spec/meter.
 */
public final class NodeMeter {
    /* A successful call is counted once, in its bucket. All other counters are for rare events. */
    private final LongAdder[] latency =
            IntStream.range(0, Latency.BUCKETS)
                    .mapToObj(i -> new LongAdder())
                    .toArray(LongAdder[]::new);
    private final LongAdder untimed = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder redirects = new LongAdder();
    private final LongAdder leases = new LongAdder();
    private final LongAdder waits = new LongAdder();
    private final LongAdder connects = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder received = new LongAdder();
    private volatile LongConsumer listener;
    private volatile long smoothedNs; // Of reads of a Redis Cluster; 0: none yet.

    void answered(long ns) {
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
    void answeredAfterWaiting() {
        untimed.increment();
    }

    void failed() {
        errors.increment();
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

    void connecting() {
        connects.increment();
    }

    void moved(long bytesSent, long bytesReceived) {
        sent.add(bytesSent);
        received.add(bytesReceived);
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
