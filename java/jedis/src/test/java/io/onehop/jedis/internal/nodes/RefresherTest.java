package io.onehop.jedis.internal.nodes;

import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure.RefreshFailure;
import io.onehop.jedis.lab.RedisCluster;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.atomic.AtomicInteger;

/** After an Error in any call of its thread, a refresher still refreshes. */
class RefresherTest {
    private static final RefreshFailure FAILED =
            new RefreshFailure("by the test", ErrorKind.NODE_DOWN);

    private static final class Failing extends Refresher {
        private final AtomicInteger refreshes = new AtomicInteger();
        private volatile String place;
        private volatile Thread thread;

        Failing(String place) {
            super("onehop-test", 10, 100);
            this.place = place;
        }

        private void reach(String here) {
            thread = Thread.currentThread();
            if (here.equals(place)) {
                throw new OutOfMemoryError(here);
            }
        }

        @Override
        @Nullable RefreshFailure refresh(boolean isAwaited) {
            reach("refresh");
            refreshes.incrementAndGet();
            return FAILED;
        }

        @Override
        RefreshFailure soFar() {
            return FAILED;
        }

        @Override
        void tell(@Nullable RefreshFailure problem) {
            reach("tell");
        }

        @Override
        void ended() {
            reach("ended");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"refresh", "tell", "ended", "request"})
    void theRefresherStillRefreshesAfterAnErrorInAnyCallOfItsThread(String place) {
        try (Failing refresher = new Failing(place)) {
            try {
                refresher.request(() -> refresher.reach("request"));
            } catch (OutOfMemoryError full) {
                assertNotEquals("refresh", place);
            }
            RedisCluster.await("the thread of the refresher runs", () -> refresher.thread != null);
            if (place.equals("ended")) {
                RedisCluster.await(
                        "the refresher has refreshed", () -> refresher.refreshes.get() > 0);
                Thread first = refresher.thread;
                first.interrupt();
                RedisCluster.await("the first thread has ended", () -> !first.isAlive());
            }
            refresher.awaitRefresh(Deadline.in(500));
            refresher.place = "";
            int before = refresher.refreshes.get();
            refresher.request(() -> {});
            RedisCluster.await(
                    "the refresher refreshes again", () -> refresher.refreshes.get() > before);
            refresher.awaitRefresh(Deadline.in(30_000));
            assertNotEquals(before, refresher.refreshes.get());
        }
    }
}
