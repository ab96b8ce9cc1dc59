package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadParams;
import redis.clients.jedis.resps.StreamEntry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Many threads use one client while its connections are killed or its callers are interrupted.
 * Every value belongs to its key, every count adds up, and every reply reaches the caller it was
 * meant for.
 */
@ExtendWith(NoSecondTry.class)
class ConcurrencyTest {
    private static final int THREADS = 32;

    private static String value(String key) {
        return "value of " + key;
    }

    /* ---- Values and counts ---- */

    @Test
    void everyValueBelongsToItsKeyWhileConnectionsAreKilled() throws InterruptedException {
        try (Nodes nodes = Nodes.start(4);
                OneHopClient redis = nodes.client("pool_size: 4")) {
            String[] keys = Nodes.keys(1000);
            redis.mset(Nodes.pairs(key -> value(key), keys));
            AtomicLong values = new AtomicLong();
            long kills =
                    Callers.inThreadsWhileKilled(
                            nodes.servers(),
                            7,
                            THREADS,
                            number -> {
                                Random random = new Random(number);
                                for (int i = 0; i < 300; i++) {
                                    String[] wanted =
                                            random.ints(8, 0, keys.length)
                                                    .mapToObj(n -> keys[n])
                                                    .toArray(String[]::new);
                                    values.addAndGet(
                                            switch (random.nextInt(3)) {
                                                case 0 -> checkedGets(redis, wanted);
                                                case 1 -> checkedSplit(redis, wanted);
                                                default -> checkedPipeline(redis, wanted);
                                            });
                                }
                            });
            assertTrue(kills > 20, "killed: " + kills);
            assertTrue(values.get() > 30_000, "values: " + values);
            Inspected.assertNothingLeased(redis);
        }
    }

    private static int checkedGets(OneHopClient redis, String... keys) {
        int values = 0;
        for (String key : keys) {
            try {
                assertEquals(value(key), redis.get(key));
                values++;
            } catch (NodeDown killed) {
                assertEquals(redis.topology().locate(key).name(), killed.getNode());
            }
        }
        return values;
    }

    private static int checkedSplit(OneHopClient redis, String... keys) {
        List<?> replies;
        try {
            replies = redis.mget(keys);
        } catch (PartialBatch partial) {
            replies = partial.getReplies();
        } catch (NodeDown killed) {
            return 0;
        }
        int values = 0;
        for (int i = 0; i < keys.length; i++) {
            if (!(replies.get(i) instanceof NodeDown)) {
                assertEquals(value(keys[i]), replies.get(i));
                values++;
            }
        }
        return values;
    }

    private static int checkedPipeline(OneHopClient redis, String... keys) {
        AbstractPipeline pipeline = redis.pipelined();
        List<Response<String>> replies = Stream.of(keys).map(pipeline::get).toList();
        try {
            pipeline.sync();
        } catch (PartialBatch | NodeDown killed) {
            // Each response has its own failure.
        }
        int values = 0;
        for (int i = 0; i < keys.length; i++) {
            try {
                assertEquals(value(keys[i]), replies.get(i).get());
                values++;
            } catch (NodeDown killed) {
                assertEquals(redis.topology().locate(keys[i]).name(), killed.getNode());
            }
        }
        return values;
    }

    @Test
    void whileConnectionsAreKilledCountersAreBetweenTheAnsweredAndThePossiblyExecutedIncrements()
            throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client("pool_size: 4", Inspected.NEVER_RESTING)) {
            Map<String, AtomicLong> answered = new ConcurrentHashMap<>();
            Map<String, AtomicLong> perhaps = new ConcurrentHashMap<>();
            Callers.inThreadsWhileKilled(
                    nodes.servers(),
                    7,
                    16,
                    number -> {
                        for (int i = 0; i < 400 || perhaps.isEmpty() && i < 20_000; i++) {
                            String key = "count:" + (number + i) % 10;
                            count(redis, i % 2 == 0, key, answered, perhaps);
                        }
                    });
            long sum = 0;
            for (int i = 0; i < 10; i++) {
                String key = "count:" + i;
                long acknowledged = answered.get(key).get();
                long most = acknowledged + (perhaps.containsKey(key) ? perhaps.get(key).get() : 0);
                long found = Long.parseLong(redis.get(key));
                assertTrue(
                        acknowledged <= found && found <= most,
                        key + " is " + found + ", not " + acknowledged + " to " + most);
                sum += acknowledged;
            }
            assertTrue(sum > 3000, "answered: " + sum);
            assertFalse(perhaps.isEmpty(), "No kill ever hit a command.");
            Inspected.assertNothingLeased(redis);
        }
    }

    private static void count(
            OneHopClient redis,
            boolean isPipelined,
            String key,
            Map<String, AtomicLong> answered,
            Map<String, AtomicLong> perhaps) {
        try {
            if (isPipelined) {
                AbstractPipeline pipeline = redis.pipelined();
                pipeline.incr(key);
                pipeline.sync();
            } else {
                redis.incr(key);
            }
            answered.computeIfAbsent(key, none -> new AtomicLong()).incrementAndGet();
        } catch (NodeDown killed) {
            if (killed.mayHaveExecuted()) {
                perhaps.computeIfAbsent(key, none -> new AtomicLong()).incrementAndGet();
            }
        }
    }

    /* ---- Interrupts ---- */

    @Test
    void interruptsEndCallsAndNeverMixUpValues() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client("pool_size: 3")) {
            String[] keys = Nodes.keys(200);
            redis.mset(Nodes.pairs(key -> value(key), keys));
            AtomicLong interrupted = new AtomicLong();
            AtomicLong values = new AtomicLong();
            Callers.inThreads(
                    8,
                    number -> {
                        Thread caller = Thread.currentThread();
                        AtomicBoolean isOver = new AtomicBoolean();
                        Thread interrupter =
                                new Thread(
                                        () -> {
                                            for (int i = 0; !isOver.get(); i++) {
                                                Processes.pause(1 + i % 3);
                                                caller.interrupt();
                                            }
                                        });
                        interrupter.start();
                        for (int i = 0; i < 500 || interrupted.get() < 50 && i < 100_000; i++) {
                            String[] wanted = {
                                keys[(number * 31 + i) % keys.length],
                                keys[(number * 17 + i * 7) % keys.length]
                            };
                            try {
                                if (i % 2 == 0) {
                                    assertEquals(value(wanted[0]), redis.get(wanted[0]));
                                } else {
                                    assertEquals(
                                            List.of(value(wanted[0]), value(wanted[1])),
                                            redis.mget(wanted));
                                }
                                values.incrementAndGet();
                            } catch (DeadlineExceeded | PartialBatch stopped) {
                                interrupted.incrementAndGet();
                            }
                            Thread.interrupted();
                        }
                        isOver.set(true);
                        while (interrupter.isAlive()) {
                            Thread.interrupted();
                            Thread.onSpinWait();
                        }
                    });
            assertTrue(
                    values.get() > 100 && interrupted.get() > 20,
                    values + " values, " + interrupted + " interrupted");
            Inspected.assertNothingLeased(redis);
            assertEquals(value("key:1"), redis.get("key:1"));
        }
    }

    /* ---- A hung node ---- */

    @Test
    void threadsThatCallOtherNodesDoNotWaitForAHungNode() throws InterruptedException {
        try (ScriptedNode hung = ScriptedNode.start(talk -> talk.handshake().awaitClose());
                RedisServer server = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(hung.server(), server.server()),
                                "pool_size: 2",
                                "timeout: 60000")) {
            String sick = Nodes.keyOn(redis, hung.node());
            String well = Nodes.keyOn(redis, server.node());
            List<Thread> stuck =
                    Stream.generate(
                                    () ->
                                            new Thread(
                                                    () ->
                                                            assertThrows(
                                                                    DeadlineExceeded.class,
                                                                    () -> redis.get(sick))))
                            .limit(6)
                            .toList();
            stuck.forEach(Thread::start);
            assertTrue(
                    Callers.holdsSoon(
                            () -> Inspected.pool(redis, hung.node()).getNumActive() == 2));
            Callers.inThreads(
                    4,
                    number -> {
                        for (int i = 0; i < 200; i++) {
                            redis.set(well, "value");
                        }
                    });
            assertTrue(
                    stuck.stream().allMatch(Thread::isAlive),
                    "Only threads that call the hung node still wait.");
            for (Thread thread : stuck) {
                thread.interrupt();
            }
            for (Thread thread : stuck) {
                thread.join(30_000);
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    /* ---- Transactions, scripts in pipelines, and waits ---- */

    private static final int CALLERS = 12;
    private static final int ROUNDS = 150;
    private static final String ECHO = "redis.call('GET', KEYS[1]) return ARGV[1]";

    /** A caller that has keys of its own. */
    private static final class Caller {
        private final OneHopClient redis;
        private final Random random;
        private final int number;
        private final String digest;
        private int round;

        Caller(OneHopClient redis, int number, String digest) {
            this.redis = redis;
            this.number = number;
            this.digest = digest;
            this.random = new Random(number);
        }

        private String own(int i) {
            return "own:" + number + ":" + i;
        }

        private String token(int i) {
            return number
                    + "/"
                    + round
                    + "/"
                    + i
                    + "/"
                    + "x".repeat(random.nextInt(4) == 0 ? 20_000 : 5);
        }

        /**
         * Makes one of several calls. Either the whole call fails, or all its replies are right.
         */
        void call() {
            round++;
            switch (random.nextInt(4)) {
                case 0 -> transaction(false);
                case 1 -> transaction(true);
                case 2 -> scripts();
                default -> streams();
            }
        }

        private void transaction(boolean isWatched) {
            String key = own(random.nextInt(10));
            String token = token(0);
            try (AbstractTransaction transaction = redis.transaction(false)) {
                if (isWatched) {
                    transaction.watch(key);
                    String before = transaction.get(key).get();
                    assertTrue(before == null || before.startsWith(number + "/"), before);
                }
                transaction.multi();
                transaction.set(key, token);
                transaction.append(key, "!");
                Response<String> got = transaction.get(key);
                assertEquals(
                        List.of("OK", (long) token.length() + 1, token + "!"), transaction.exec());
                assertEquals(token + "!", got.get());
            }
        }

        private void scripts() {
            AbstractPipeline pipeline = redis.pipelined();
            List<String> tokens = IntStream.range(0, 40).mapToObj(this::token).toList();
            List<Response<Object>> echoes = new ArrayList<>();
            for (int i = 0; i < tokens.size(); i++) {
                echoes.add(pipeline.evalsha(digest, List.of(own(i)), List.of(tokens.get(i))));
            }
            OneHopException failure = null;
            try {
                pipeline.sync();
            } catch (OneHopException failed) {
                failure = failed;
            }
            for (int i = 0; i < tokens.size(); i++) {
                try {
                    assertEquals(tokens.get(i), echoes.get(i).get());
                } catch (OneHopException failed) {
                    assertTrue(failure != null, "sync did not report " + failed);
                }
            }
            if (failure != null) {
                throw failure;
            }
        }

        private void streams() {
            String[] streams = {own(100) + "a", own(100) + "b", own(100) + "c"};
            String one = streams[random.nextInt(streams.length)];
            String token = token(0);
            redis.xadd(one, StreamEntryID.NEW_ENTRY, Map.of("token", token));
            StreamEntryID all = new StreamEntryID();
            List<Map.Entry<String, List<StreamEntry>>> read =
                    redis.xread(
                            XReadParams.xReadParams().block(1000),
                            Map.of(streams[0], all, streams[1], all, streams[2], all));
            List<StreamEntry> entries =
                    read.stream()
                            .filter(stream -> stream.getKey().equals(one))
                            .findFirst()
                            .orElseThrow()
                            .getValue();
            assertEquals(token, entries.get(entries.size() - 1).getFields().get("token"));
            redis.del(streams);
        }
    }

    @Test
    void everyReplyReachesTheCallerItWasMeantFor() throws InterruptedException {
        try (Nodes nodes = Nodes.start(3);
                OneHopClient redis = nodes.client("pool_size: 4", Inspected.NEVER_RESTING)) {
            String digest = redis.scriptLoad(ECHO);
            AtomicLong right = new AtomicLong();
            AtomicLong failed = new AtomicLong();
            Callers.inThreadsWhileKilled(
                    nodes.servers(),
                    15,
                    CALLERS,
                    number -> {
                        Caller caller = new Caller(redis, number, digest);
                        Thread thread = Thread.currentThread();
                        for (int i = 0; i < ROUNDS; i++) {
                            if (number % 3 == 0 && i % 20 == 0) {
                                thread.interrupt();
                            }
                            try {
                                caller.call();
                                right.incrementAndGet();
                            } catch (OneHopException killed) {
                                failed.incrementAndGet();
                            }
                            Thread.interrupted();
                        }
                    });
            assertTrue(
                    right.get() > 100 && failed.get() > 20,
                    right + " right, " + failed + " failed");
            Inspected.assertNothingLeased(redis);
            assertNull(redis.get("nobody's"));
        }
    }
}
