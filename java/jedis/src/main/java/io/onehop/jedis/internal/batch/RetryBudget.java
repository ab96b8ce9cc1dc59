package io.onehop.jedis.internal.batch;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often a client may retry by itself: once for ten successful exchanges, with ten retries to
 * begin with.
 *
 * <p>Retrying helps when a node restarts. It doubles the load when a node is overloaded. Any thread
 * may ask. While the budget is full, asking reads one field.
 */
public final class RetryBudget {
    private static final int RETRY_COST = 10;
    private static final int FULL = 10 * RETRY_COST;

    private final AtomicInteger credit = new AtomicInteger(FULL);

    /** Counts a successful exchange. */
    public void earn() {
        if (credit.get() < FULL) {
            credit.updateAndGet(now -> Math.min(FULL, now + 1));
        }
    }

    /** Takes one retry from the budget. False if there is none left. */
    public boolean spend() {
        int before = credit.getAndUpdate(now -> now < RETRY_COST ? now : now - RETRY_COST);
        return before >= RETRY_COST;
    }
}
