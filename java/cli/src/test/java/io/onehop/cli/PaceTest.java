package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.concurrent.TimeUnit;

/** The rate of commands and of bytes, and the size of batches. The test has its own clock. */
class PaceTest {
    private static final class Hands implements Pace.Time {
        private long nowNs;

        @Override
        public long nowNs() {
            return nowNs;
        }

        @Override
        public void sleep(long ns) {
            nowNs += ns;
        }
    }

    @Test
    void soManyBytesASecondBegin() throws Refusal {
        Hands hands = new Hands();
        Pace pace = new Pace(1000, hands);
        long bytes = 0;
        for (int size = 1; hands.nowNs < TimeUnit.SECONDS.toNanos(60); size = size % 700 + 1) {
            pace.await(size);
            long seconds = TimeUnit.NANOSECONDS.toMillis(hands.nowNs);
            assertTrue(bytes <= seconds + 1, "before each piece the others have had their time");
            bytes += size;
        }
        assertEquals(60_000, bytes, 1000);
    }

    @Test
    void aQuarterOfASecondIsMadeUpForAndNoMore() throws Refusal {
        Hands hands = new Hands();
        Pace pace = new Pace(10, hands);
        pace.await();
        hands.nowNs += TimeUnit.SECONDS.toNanos(5);
        long lateNs = hands.nowNs;
        for (int i = 0; i < 13; i++) {
            pace.await();
        }
        // Three begin at once, the fourth after 50 ms, and the others every 100 ms.
        assertEquals(TimeUnit.MILLISECONDS.toNanos(950), hands.nowNs - lateNs);
    }

    @Test
    void withoutALimitNothingWaits() throws Refusal {
        Hands hands = new Hands();
        Pace pace = new Pace(Pace.UNLIMITED, hands);
        pace.await(1e12);
        pace.await(1e12);
        assertEquals(0, hands.nowNs);
    }

    /**
     * How many keys of this size a batch has in the end. Each key takes {@code msOfKey}, and
     * nothing else takes time.
     */
    private static int keysOfOne(BatchLimit limit, double bytes, double msOfKey) {
        int keys = 0;
        for (int batch = 0; batch < 40; batch++) {
            for (keys = 0; !limit.isFull(keys, keys * bytes, bytes); ) {
                keys++;
            }
            limit.took(keys, keys * bytes, keys * msOfKey);
        }
        return keys;
    }

    @Test
    void batchesGrowUntilTheyTakeTheTimeTheyMay() {
        BatchLimit limit = new BatchLimit(10);
        assertEquals(700, keysOfOne(limit, 100, 0.01), 70);
        assertEquals(70, keysOfOne(limit, 10_000, 0.1), 7);
        assertEquals(1, keysOfOne(limit, 1_000_000, 20), "a large key goes alone");
        assertTrue(limit.isLarge(1_000_000));
        assertEquals(700, keysOfOne(limit, 100, 0.01), 70);
    }
}
