package io.onehop.core.health;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.base.Timings;

import org.junit.jupiter.api.Test;

/** When calls wait for the successor of a master that is gone. */
class AbsenceTest {
    private static final long BEGAN_MS = 5000;
    private static final long DOUBT_MS = Timings.FAILOVER_DOUBT_MS;

    private final Absence absence = new Absence();

    private boolean awaits(boolean hasHeir, long afterMs) {
        return absence.awaitsHeir(hasHeir, BEGAN_MS - 1, BEGAN_MS + afterMs);
    }

    @Test
    void withoutAReplicaNobodyWaits() {
        assertFalse(awaits(false, 0));
        assertFalse(awaits(false, 1));
    }

    @Test
    void theWaitIsBounded() {
        assertTrue(awaits(true, 0));
        assertTrue(awaits(true, Timings.FAILOVER_MS_MAX - 1));
        assertFalse(awaits(true, Timings.FAILOVER_MS_MAX));
    }

    @Test
    void aReplicaMayBeMissingForAMoment() {
        assertTrue(awaits(true, 0));
        assertTrue(awaits(false, 5000), "from now on it is doubted");
        assertTrue(awaits(false, 5000 + DOUBT_MS - 1));
        assertFalse(awaits(false, 5000 + DOUBT_MS));
        assertTrue(awaits(true, 8000));
        assertTrue(awaits(false, 9000), "from now on it is doubted again");
        assertTrue(awaits(false, 9000 + DOUBT_MS - 1));
    }

    @Test
    void anAnswerBeginsAnew() {
        assertTrue(awaits(true, 0));
        assertFalse(awaits(true, 60_000));
        long heardMs = BEGAN_MS + 60_001;
        assertTrue(absence.awaitsHeir(true, heardMs, heardMs + 1000));
        assertFalse(new Absence().awaitsHeir(false, heardMs, heardMs));
        assertTrue(absence.awaitsHeir(false, heardMs, heardMs + 1001));
        heardMs += 5000;
        assertFalse(absence.awaitsHeir(false, heardMs, heardMs + 1), "it had no replica since");
    }
}
