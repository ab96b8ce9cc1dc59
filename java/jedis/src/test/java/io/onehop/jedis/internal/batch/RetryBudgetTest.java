package io.onehop.jedis.internal.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.stream.IntStream;

/** A client begins with ten retries, and earns one more with every ten successful exchanges. */
class RetryBudgetTest {

    @Test
    void tenRetriesAreAllowedAtFirstAndTheEleventhIsNot() {
        RetryBudget budget = new RetryBudget();
        assertEquals(10, IntStream.range(0, 20).filter(i -> budget.spend()).count());
        assertFalse(budget.spend());
    }

    @Test
    void tenSuccessfulExchangesEarnOneRetry() {
        RetryBudget budget = new RetryBudget();
        IntStream.range(0, 10).forEach(i -> budget.spend());
        IntStream.range(0, 9).forEach(i -> budget.earn());
        assertFalse(budget.spend());
        budget.earn();
        assertTrue(budget.spend());
        assertFalse(budget.spend());
    }

    @Test
    void theBudgetNeverExceedsTenRetries() {
        RetryBudget budget = new RetryBudget();
        IntStream.range(0, 10_000).forEach(i -> budget.earn());
        assertEquals(10, IntStream.range(0, 20).filter(i -> budget.spend()).count());
    }
}
