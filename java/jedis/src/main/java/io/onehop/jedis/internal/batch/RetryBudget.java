package io.onehop.jedis.internal.batch;

import io.onehop.core.base.Limits;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How often a client may retry by itself: once for ten successful exchanges, with ten retries to
 * begin with.
 *
 * <p>Retrying helps when a node restarts, but doubles the load when a node is overloaded. Any
 * thread may use it. While the budget is full, counting a successful exchange only reads one field.
 * Implements spec/wire, section 5.
 */
public final class RetryBudget {
    private static final int RETRY_COST = Limits.REPEAT_EARNED_BY;
    private static final int FULL = Limits.REPEATS_FULL * RETRY_COST;

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
