package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.route.Held;
import io.onehop.jedis.lab.Jvm;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * After an Error in the middle of a call its connection is closed, and the pool may open another
 * one.
 */
class ErrorsTest {
    private static final String WELL = "errors 1000\nnext value\nleased 0\nusable 4\nsockets 0\n";

    @Test
    void aThousandStackOverflowsInTheMiddleOfCallsLeaveNothingLeasedAndNothingOpen() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(
                    WELL, Jvm.outputOf(ErringProgram.class, List.of(), "stack", server.server()));
            assertEquals(0, server.clients());
        }
    }

    @Test
    void outOfMemoryErrorsLeaveNothingLeasedAndNothingOpenEither() {
        try (RedisServer server = RedisServer.start()) {
            assertEquals(
                    WELL,
                    Jvm.outputOf(
                            ErringProgram.class, List.of("-Xmx24m"), "memory", server.server()));
            assertEquals(0, server.clients());
        }
    }

    @Test
    void aLeaseThatIsSettledAgainAfterAStackOverflowEndsOnlyOnce() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("pool_size: 1")) {
            Pool pool = Inspected.pools(redis)[0];
            // A retired pool closes a connection that is settled. That needs stack when the seat is
            // free already.
            pool.retire();
            settle(new Held(pool, this, Deadline.NONE)); // Loads the classes while there is stack.
            for (int room = 1; room < 800; room += 10) {
                Object caller = new Object();
                Held held = new Held(pool, caller, Deadline.NONE);
                atTheEndOfTheStack(room, () -> settle(held));
                NodeConnection next =
                        pool.tryLease(new Holder(), Deadline.in(60_000), NodeHealth.NOT_ASKED);
                held.settle(true); // A transaction that ends by the Error settles a second time.
                if (next != null) { // The first settling had freed the seat.
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
            // The lease has ended nevertheless.
        }
    }

    /**
     * Runs a job when only {@code room} more calls of this method fit on the stack. Returns how
     * many fit below this call.
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

    /**
     * A program with a JVM of its own. A thousand of its calls end in Errors. It prints what these
     * have left behind.
     */
    static final class ErringProgram {
        private static final int TIMES = 1000;
        private static final int FULL_EACH = 20; // The memory is filled less often.
        private static final int STACK_BYTES = 512 << 10;
        private static final int LOUD_LEVELS = 40;

        private final OneHopClient redis;
        private final Random chance = new Random(1);
        private int deepest; // The depth at which the stack was full the last time.
        private int depth;

        private ErringProgram(OneHopClient redis) {
            this.redis = redis;
        }

        public static void main(String[] arguments) throws Exception {
            try (OneHopClient first = Nodes.clientOf(Stream.of(arguments[1]))) {
                first.get("key"); // With the first call the JDK opens a socket of its own.
            }
            long before = sockets();
            OneHopClient redis =
                    Nodes.clientOf(Stream.of(arguments[1]), "pool_size: 4", "timeout: 60000");
            ErringProgram program = new ErringProgram(redis);
            Runnable job = arguments[0].equals("stack") ? program::fillStack : program::fillMemory;
            Thread thread = new Thread(null, job, "erring", STACK_BYTES);
            thread.start();
            thread.join();
            Pool pool = Inspected.pools(redis)[0];
            System.out.println("leased " + pool.getNumActive());
            System.out.println("usable " + usable(pool));
            redis.close();
            for (int i = 0; i < 600 && sockets() > before; i++) {
                Thread.sleep(50);
            }
            System.out.println("sockets " + (sockets() - before));
        }

        /** How many connections may be used at the same time. */
        private static int usable(Pool pool) {
            Holder holder = new Holder();
            int count = 0;
            while (pool.tryLease(holder, Deadline.in(60_000), NodeHealth.NOT_ASKED) != null) {
                count++;
            }
            holder.isOver = true;
            return count;
        }

        private static long sockets() throws IOException {
            try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
                return descriptors.filter(ErringProgram::isSocket).count();
            }
        }

        private static boolean isSocket(Path descriptor) {
            try {
                return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
            } catch (IOException closedMeanwhile) {
                return false;
            }
        }

        private void use() {
            redis.set("key", "value");
            call(0);
            call(1);
            call(2);
            call(3);
        }

        /** Makes a call of this kind. The reply must be the value of the key. */
        private void call(int way) {
            switch (way) {
                case 0 -> require(redis.get("key"));
                case 1 -> {
                    AbstractPipeline batch = redis.pipelined();
                    Response<String> value = batch.get("key");
                    batch.sync();
                    require(value.get());
                }
                case 2 -> {
                    AbstractTransaction transaction = redis.multi();
                    Response<String> value = transaction.get("key");
                    transaction.exec();
                    require(value.get());
                }
                default -> {
                    try (AbstractTransaction transaction = redis.transaction(false)) {
                        transaction.watch("key");
                        require(transaction.get("key").get());
                        transaction.multi();
                        transaction.get("key");
                        transaction.exec();
                    }
                }
            }
        }

        private static void require(String value) {
            if (!value.equals("value")) {
                System.out.println("wrong value " + value);
            }
        }

        /* ---- StackOverflowError ---- */

        private void fillStack() {
            use();
            int errors = 0;
            for (int i = 0; i < TIMES; i++) {
                try {
                    depth = 0;
                    descend(i % 4, chance.nextInt(LOUD_LEVELS), 0, 0);
                } catch (StackOverflowError full) {
                    errors++;
                    deepest = depth;
                }
                // After an Error the client may have one connection less for a while, but not for
                // ever.
                if (i % 4 == 3) {
                    call(0);
                }
            }
            System.out.println("errors " + errors);
            System.out.println("next " + redis.get("key"));
        }

        /**
         * Goes down the stack, and makes a call at each level near its end. The size of frames
         * varies.
         */
        private long descend(int way, int chance, long a, long b) {
            depth++;
            if (depth > deepest - LOUD_LEVELS) {
                call(way);
            }
            return (chance > depth
                            ? descendWider(way, chance, a, b, a, b)
                            : descend(way, chance, a + 1, b))
                    + a;
        }

        private long descendWider(int way, int chance, long a, long b, long c, long d) {
            return descend(way, chance, a + c, b + d) + a + b + c + d;
        }

        /* ---- OutOfMemoryError ---- */

        private void fillMemory() {
            use();
            redis.set("large", "x".repeat(300_000));
            int errors = 0;
            for (int i = 0; i < TIMES / FULL_EACH; i++) {
                List<Object> all = new ArrayList<>();
                try {
                    while (true) {
                        all.add(redis.get("large").concat("!"));
                        call(i % 4);
                    }
                } catch (OutOfMemoryError
                        // The JVM has only one such Error, and an Error cannot suppress itself.
                        | IllegalArgumentException full) {
                    all = null;
                    errors++;
                }
            }
            System.out.println("errors " + errors * FULL_EACH);
            System.out.println("next " + redis.get("key"));
        }
    }
}
