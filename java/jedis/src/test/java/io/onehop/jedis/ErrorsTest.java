package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.route.Held;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

/** An Error in the middle of a call costs its connection, never its seat in the pool. */
class ErrorsTest {
    private static final String WELL = "errors 1000\nnext value\nleased 0\nusable 4\nsockets 0\n";

    @Test
    void aThousandStackOverflowsInTheMiddleOfCallsLeaveNothingLeasedAndNothingOpen() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(
                    WELL,
                    Jvm.output(
                            "-cp",
                            Jvm.classPath(),
                            ErringProgram.class.getName(),
                            "stack",
                            server.server()));
            assertEquals(0, server.clients());
        }
    }

    @Test
    void anOutOfMemoryErrorLeavesNothingEither() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(
                    WELL,
                    Jvm.output(
                            "-Xmx24m",
                            "-cp",
                            Jvm.classPath(),
                            ErringProgram.class.getName(),
                            "memory",
                            server.server()));
            assertEquals(0, server.clients());
        }
    }

    @Test
    void aLeaseThatEndedInAStackOverflowIsNotEndedASecondTime() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("pool_size: 1")) {
            Pool pool = Inspected.pools(redis)[0];
            // It closes settled connections, which takes stack when the seat is already free.
            pool.retire();
            settle(new Held(pool, this, Deadline.NONE)); // Loads the classes while there is stack.
            for (int room = 1; room < 800; room += 10) {
                Object caller = new Object();
                Held held = new Held(pool, caller, Deadline.NONE);
                atTheEndOfTheStack(room, () -> settle(held));
                NodeConnection next =
                        pool.tryLease(new Holder(), Deadline.in(60_000), NodeHealth.NOT_ASKED);
                held.settle(true); // As a transaction does that ends because of the Error.
                if (next != null) { // The first try got so far that the seat was free.
                    assertEquals(1, pool.getNumActive(), "with room for " + room);
                    pool.returnObject(next);
                }
                assertEquals(0, pool.getNumActive(), "with room for " + room);
            }
        }
    }

    private static void settle(Held held) {
        try {
            held.settle(true);
        } catch (StackOverflowError full) {
            // The lease is over all the same.
        }
    }

    /**
     * Runs a job with room for only that many more calls like this one. Returns how many fit below
     * a call.
     */
    private static int atTheEndOfTheStack(int room, Runnable job) {
        int fitting = 0;
        try {
            fitting = atTheEndOfTheStack(room, job) + 1;
        } catch (StackOverflowError full) {
            fitting = 0;
        }
        if (fitting == room) {
            job.run();
        }
        return fitting;
    }
}
