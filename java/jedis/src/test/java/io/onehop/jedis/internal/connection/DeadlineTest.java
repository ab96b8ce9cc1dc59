package io.onehop.jedis.internal.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The steps of a timeout, after which a client tries the next alternative. */
class DeadlineTest {

    @Test
    void aStepIsAShareOfAShortTimeout() {
        assertEquals(250, Deadline.stepMs(0, 4));
        assertEquals(250, Deadline.stepMs(2000, 4));
        assertEquals(150, Deadline.stepMs(600, 4));
        assertEquals(1, Deadline.stepMs(3, 8));
    }
}
