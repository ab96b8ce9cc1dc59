package io.onehop.jedis.internal.batch;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often a client may send something again by itself: once for ten exchanges that went well,
 * with ten in hand to begin with.
 *
 * <p>When a node restarts, retrying helps; when it is sick, retrying doubles its load. Any thread
 * may ask; in good times, when the budget is full, asking reads one field.
 */
public final class RetryBudget {
    private static final int RETRY_COST = 10;
    private static final int FULL = 10 * RETRY_COST;

    private final AtomicInteger credit = new AtomicInteger(FULL);

    /** An exchange went well. */
    public void earn() {
        if (credit.get() < FULL) {
            credit.updateAndGet(now -> Math.min(FULL, now + 1));
        }
    }

    /** Whether one more retry is affordable; if so it is paid. */
    public boolean spend() {
        int before = credit.getAndUpdate(now -> now < RETRY_COST ? now : now - RETRY_COST);
        return before >= RETRY_COST;
    }
}
