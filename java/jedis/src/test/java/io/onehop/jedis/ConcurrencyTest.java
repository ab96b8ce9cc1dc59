package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Many threads use one client while its connections are killed. Every value belongs to its key, and
 * every count adds up.
 */
@ExtendWith(NoSecondTry.class)
class ConcurrencyTest {
    private static final int THREADS = 32;

    private static String value(String key) {
        return "value of " + key;
    }

    /** Kills all connections of one node after another, until it is stopped. */
    private static Thread killer(Nodes nodes, AtomicBoolean isOver, AtomicLong kills) {
        Thread thread =
                new Thread(
                        () -> {
                            List<Jedis> admins =
                                    nodes.servers().stream().map(RedisServer::jedis).toList();
                            for (int i = 0; !isOver.get(); i++) {
                                Object killed =
                                        admins.get(i % admins.size())
                                                .sendCommand(
                                                        Command.CLIENT,
                                                        "KILL",
                                                        "TYPE",
                                                        "normal",
                                                        "SKIPME",
                                                        "yes");
                                kills.addAndGet((Long) killed);
                                Processes.pause(7);
                            }
                            admins.forEach(Jedis::close);
                        },
                        "killer");
        thread.start();
        return thread;
    }

    /* ---- Ledgers ---- */

    @Test
    void everyValueBelongsToItsKeyWhileConnectionsAreKilled() throws InterruptedException {
        try (Nodes nodes = Nodes.start(4);
                OneHopClient redis = nodes.client("timeout: 5000", "pool_size: 4")) {
            String[] keys =
                    IntStream.range(0, 1000).mapToObj(i -> "key:" + i).toArray(String[]::new);
            redis.mset(
                    Stream.of(keys)
                            .flatMap(key -> Stream.of(key, value(key)))
                            .toArray(String[]::new));
            AtomicBoolean isOver = new AtomicBoolean();
            AtomicLong kills = new AtomicLong();
            AtomicLong values = new AtomicLong();
            Thread killer = killer(nodes, isOver, kills);
            try {
                Callers.inThreads(
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
            } finally {
                isOver.set(true);
                killer.join();
            }
            assertTrue(kills.get() > 20, "killed: " + kills);
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
            // Its responses have the failures.
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
    void countsUnderKillsLieBetweenWhatWasAnsweredAndWhatMayHaveRun() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis =
                        nodes.client("timeout: 5000", "pool_size: 4", Inspected.NEVER_RESTING)) {
            Map<String, AtomicLong> answered = new ConcurrentHashMap<>();
            Map<String, AtomicLong> perhaps = new ConcurrentHashMap<>();
            AtomicBoolean isOver = new AtomicBoolean();
            Thread killer = killer(nodes, isOver, new AtomicLong());
            try {
                Callers.inThreads(
                        16,
                        number -> {
                            for (int i = 0; i < 400 || perhaps.isEmpty() && i < 20_000; i++) {
                                String key = "count:" + (number + i) % 10;
                                count(redis, i % 2 == 0, key, answered, perhaps);
                            }
                        });
            } finally {
                isOver.set(true);
                killer.join();
            }
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
                OneHopClient redis = nodes.client("timeout: 5000", "pool_size: 3")) {
            String[] keys =
                    IntStream.range(0, 200).mapToObj(i -> "key:" + i).toArray(String[]::new);
            redis.mset(
                    Stream.of(keys)
                            .flatMap(key -> Stream.of(key, value(key)))
                            .toArray(String[]::new));
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
    void oneHungNodeDoesNotHoldUpThreadsThatWantAnother() throws InterruptedException {
        try (ScriptedNode hung = ScriptedNode.start(talk -> talk.handshake().awaitClose());
                RedisServer server = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Nodes.configOf(
                                        Stream.of(hung.server(), server.server()),
                                        "pool_size: 2",
                                        "timeout: 20000"))) {
            String sick = Nodes.keyOn(redis.topology(), hung.node());
            String well = Nodes.keyOn(redis.topology(), server.node());
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
                    "Threads that call the hung node still wait; all others are done.");
            for (Thread thread : stuck) {
                thread.interrupt();
            }
            for (Thread thread : stuck) {
                thread.join(10_000);
            }
            Inspected.assertNothingLeased(redis);
        }
    }
}
