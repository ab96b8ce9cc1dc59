package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Builder;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;

import java.io.File;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How many connections there are, for how long, how many threads share them, and that all are
 * closed in the end.
 */
class PoolTest {

    private static <T> List<Future<T>> inThreads(int count, Callable<T> job)
            throws InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            return threads.invokeAll(IntStream.range(0, count).mapToObj(i -> job).toList());
        } finally {
            threads.shutdown();
        }
    }

    /* ---- All connections in use ---- */

    @Test
    void atTheDeadlineAnExhaustedPoolFailsTheCallWithPoolExhaustedAndNothingWasSent()
            throws Exception {
        CountDownLatch inUse = new CountDownLatch(2);
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    inUse.countDown();
                    talk.awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient holder = node.client("pool_size: 2", "timeout: 60000")) {
            ExecutorService threads = Executors.newFixedThreadPool(2);
            threads.submit(() -> holder.get("key"));
            threads.submit(() -> holder.get("key"));
            inUse.await();
            PoolExhausted failure =
                    assertThrows(PoolExhausted.class, () -> leaseWithin(holder, 200));
            assertEquals(node.node(), failure.getNode());
            assertFalse(failure.mayHaveExecuted());
            assertBegins(
                    "All 2 connections of this client are in use, node " + node.node(), failure);
            assertEquals(2, node.connections());
            threads.shutdown();
        }
    }

    /**
     * Leases a connection with a deadline of its own: the client's timeout would be too long for
     * the test.
     */
    private static NodeConnection leaseWithin(OneHopClient client, int timeoutMs) {
        return client.route().take().pools()[0].lease(new Holder(), Deadline.in(timeoutMs));
    }

    @Test
    void aBatchServesTheOtherNodesWhileOnePoolIsExhausted() throws Exception {
        CountDownLatch inUse = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        ScriptedNode.Script busy =
                talk -> {
                    talk.handshake().command();
                    inUse.countDown();
                    Callers.await(goOn);
                    talk.bulk("late").command();
                    talk.bulk("later").awaitClose();
                };
        AtomicInteger answered = new AtomicInteger();
        ScriptedNode.Script free =
                talk -> {
                    talk.handshake().command();
                    answered.incrementAndGet();
                    goOn.countDown(); // The busy node answers only after the free node was asked.
                    talk.bulk("at once").awaitClose();
                };
        try (ScriptedNode first = ScriptedNode.start(busy);
                ScriptedNode second = ScriptedNode.start(free);
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(first.server() + " a", second.server() + " b"),
                                "pool_size: 1")) {
            Thread holder = new Thread(() -> redis.get(Nodes.keyOn(redis, "a")));
            holder.start();
            inUse.await();
            try (AbstractPipeline pipeline = redis.pipelined()) {
                Response<String> late = pipeline.get(Nodes.keyOn(redis, "a"));
                Response<String> early = pipeline.get(Nodes.keyOn(redis, "b"));
                pipeline.sync();
                assertEquals("later", late.get());
                assertEquals("at once", early.get());
            }
            holder.join();
            assertEquals(1, answered.get());
        }
    }

    @Test
    void batchesOverManyNodesWithOneConnectionEachDoNotWaitForEachOther() throws Exception {
        try (Nodes nodes = Nodes.start(3);
                OneHopClient redis = nodes.client("pool_size: 1", "timeout: 30000")) {
            for (Future<Integer> done : inThreads(12, () -> manyBatches(redis))) {
                assertEquals(100, done.get());
            }
        }
    }

    private static int manyBatches(OneHopClient redis) {
        int batches = 0;
        for (int i = 0; i < 100; i++) {
            try (AbstractPipeline pipeline = redis.pipelined()) {
                List<Response<String>> replies =
                        IntStream.range(0, 30)
                                .mapToObj(k -> pipeline.set("key:" + k, "x"))
                                .toList();
                pipeline.sync();
                batches += replies.stream().allMatch(reply -> reply.get().equals("OK")) ? 1 : 0;
            }
        }
        return batches;
    }

    /* ---- Many threads ---- */

    @Test
    void thirtyTwoThreadsAlwaysGetWhatTheyAskedFor() throws Exception {
        AtomicInteger seeds = new AtomicInteger();
        try (Nodes nodes = Nodes.start(4);
                OneHopClient redis = nodes.client("pool_size: 5", "timeout: 30000")) {
            String[] pairs =
                    IntStream.range(0, 1000)
                            .boxed()
                            .flatMap(i -> Stream.of("key:" + i, "value of key:" + i))
                            .toArray(String[]::new);
            redis.mset(pairs);
            List<Future<Integer>> threads =
                    inThreads(32, () -> ledger(redis, new Random(seeds.incrementAndGet())));
            for (Future<Integer> thread : threads) {
                assertTrue(thread.get() > 10_000);
            }
            for (Pool pool : redis.route().take().pools()) {
                assertEquals(0, pool.getNumActive());
                assertTrue(pool.getNumIdle() <= 5, "idle: " + pool.getNumIdle());
            }
            for (RedisServer server : nodes.servers()) {
                assertTrue(server.clients() <= 5, "clients: " + server.clients());
            }
        }
    }

    /**
     * Reads with single commands, pipelines and split commands. Checks that every value belongs to
     * its key, and counts the values.
     */
    private static int ledger(OneHopClient redis, Random random) {
        int reads = 0;
        for (int round = 0; round < 60; round++) {
            String key = "key:" + random.nextInt(1000);
            assertEquals("value of " + key, redis.get(key));
            String[] keys =
                    random.ints(100, 0, 1000).mapToObj(i -> "key:" + i).toArray(String[]::new);
            assertEquals(
                    Stream.of(keys).map(each -> "value of " + each).toList(), redis.mget(keys));
            try (AbstractPipeline pipeline = redis.pipelined()) {
                List<Response<String>> replies = Stream.of(keys).map(pipeline::get).toList();
                pipeline.sync();
                for (int i = 0; i < keys.length; i++) {
                    assertEquals("value of " + keys[i], replies.get(i).get());
                }
            }
            reads += 1 + 2 * keys.length;
        }
        return reads;
    }

    @Test
    void noValueReachesTheWrongCommandWhileANodeHangsAndComesBack() throws Exception {
        try (Nodes nodes = Nodes.start(3);
                OneHopClient redis = nodes.client("pool_size: 4", "timeout: 60")) {
            for (int i = 0; i < 300; i++) {
                writeSurely(redis, "key:" + i);
            }
            RedisServer flapping = nodes.servers().get(0);
            AtomicInteger done = new AtomicInteger();
            Thread nemesis =
                    new Thread(
                            () -> {
                                while (done.get() < 8) {
                                    flapping.freeze();
                                    Processes.pause(80); // Answers come just after the deadline.
                                    flapping.thaw();
                                    Processes.pause(20);
                                }
                            });
            nemesis.start();
            AtomicInteger seeds = new AtomicInteger();
            List<Future<Integer>> threads =
                    inThreads(
                            8,
                            () -> {
                                try {
                                    return readUnderFaults(
                                            redis, new Random(seeds.incrementAndGet()));
                                } finally {
                                    done.incrementAndGet();
                                }
                            });
            nemesis.join();
            int failures = 0;
            for (Future<Integer> thread : threads) {
                failures += thread.get();
            }
            assertTrue(failures > 0, "the node was never missed");
        }
    }

    private static void writeSurely(OneHopClient redis, String key) {
        while (true) {
            try {
                redis.set(key, "value of " + key);
                return;
            } catch (OneHopException again) {
                Processes.pause(1);
            }
        }
    }

    private static int readUnderFaults(OneHopClient redis, Random random) {
        int failures = 0;
        for (int round = 0; round < 150; round++) {
            String[] keys =
                    random.ints(20, 0, 300).mapToObj(i -> "key:" + i).toArray(String[]::new);
            try (AbstractPipeline pipeline = redis.pipelined()) {
                List<Response<String>> replies = Stream.of(keys).map(pipeline::get).toList();
                try {
                    pipeline.sync();
                } catch (OneHopException failure) {
                    failures++;
                }
                for (int i = 0; i < keys.length; i++) {
                    failures += isRight(replies.get(i), keys[i]) ? 0 : 1;
                }
            }
        }
        return failures;
    }

    /**
     * True if the reply is the key's own value, false if it is a failure. Another value ends the
     * test.
     */
    private static boolean isRight(Response<String> reply, String key) {
        try {
            assertEquals("value of " + key, reply.get());
            return true;
        } catch (OneHopException failure) {
            return false;
        }
    }

    /* ---- Closed clients ---- */

    private static long descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    private static Set<String> threadNames() {
        return new TreeSet<>(
                Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList());
    }

    @Test
    void closingLeavesNoThreadAndNoSocket() {
        try (Nodes nodes = Nodes.start(3)) {
            use(nodes); // Whatever the JVM loads only once is loaded now.
            Set<String> threads = threadNames();
            long before = descriptors();
            for (int i = 0; i < 3; i++) {
                use(nodes);
            }
            for (int i = 0;
                    i < 100 && (descriptors() > before || !threads.containsAll(threadNames()));
                    i++) {
                Processes.pause(50);
            }
            assertTrue(
                    descriptors() <= before,
                    "descriptors: " + descriptors() + ", before: " + before);
            assertTrue(threads.containsAll(threadNames()), threadNames().toString());
            nodes.servers().forEach(server -> assertEquals(0, server.clients()));
        }
    }

    private static void use(Nodes nodes) {
        try (OneHopClient redis = nodes.client();
                AbstractPipeline pipeline = redis.pipelined()) {
            IntStream.range(0, 1000).forEach(i -> pipeline.set("key:" + i, "x"));
            pipeline.sync();
            assertEquals("x", redis.get("key:1"));
            assertThrows(
                    CrossNode.class,
                    () ->
                            redis.sinter(
                                    IntStream.range(0, 50)
                                            .mapToObj(i -> "k" + i)
                                            .toArray(String[]::new)));
        }
    }

    @Test
    void aClosedClientRefusesCalls() {
        try (RedisServer server = RedisServer.start()) {
            OneHopClient redis = server.client();
            redis.set("key", "value");
            redis.close();
            redis.close();
            NodeDown failure = assertThrows(NodeDown.class, () -> redis.get("key"));
            assertBegins("This client was closed, node ", failure);
            AbstractPipeline pipeline = redis.pipelined();
            Response<String> reply = pipeline.get("key");
            assertThrows(NodeDown.class, pipeline::sync);
            assertThrows(NodeDown.class, reply::get);
        }
    }

    /* ---- Errors ---- */

    @Test
    void anErrorInTheMiddleOfAnExchangeClosesItsConnection() throws Exception {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("pool_size: 1")) {
            redis.set("key", "value");
            Pool pool = redis.route().take().pools()[0];
            for (int connects = 1; connects < 4; connects++) {
                assertEquals(connects, pool.meter().connects());
                assertThrows(
                        StackOverflowError.class,
                        () -> redis.executeCommand(PoolTest.<String>endless()));
                assertEquals(0, pool.getNumActive());
                String next =
                        connects % 2 == 0
                                ? redis.get("key")
                                : inThreads(1, () -> redis.get("key")).get(0).get();
                assertEquals("value", next, "over another connection, and by another thread");
                assertEquals(1, server.clients());
            }
        }
    }

    @Test
    void closeClosesTheConnectionThatACallHadLeasedWhenItEndedInAnError() {
        try (RedisServer server = RedisServer.start()) {
            OneHopClient redis = server.client();
            assertThrows(
                    StackOverflowError.class,
                    () -> redis.executeCommand(PoolTest.<String>endless()));
            assertEquals(1, server.clients());
            redis.close();
            for (int i = 0; i < 100 && server.clients() > 0; i++) {
                Processes.pause(50);
            }
            assertEquals(0, server.clients());
        }
    }

    @Test
    void aLeasedConnectionIsClosedAlsoIfTheThreadThatClosesItWasInterrupted() throws Exception {
        Set<Thread> others = Thread.getAllStackTraces().keySet();
        try (RedisServer server = RedisServer.start()) {
            OneHopClient redis = server.client();
            Holder call = new Holder();
            Inspected.pools(redis)[0].lease(call, Deadline.in(60_000));
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("onehop-idle") && !others.contains(thread)) {
                    thread.interrupt();
                    thread.join(30_000);
                }
            }
            redis.close();
            call.isOver = true; // As after an Error: the lease was not settled.
            RedisCluster.await("the connection is closed", () -> server.clients() == 0);
        }
    }

    /** A GET whose reply is decoded by an endless recursion, while its connection is leased. */
    private static <T> CommandObject<T> endless() {
        return new CommandObject<>(
                new CommandArguments(Command.GET).key("key"),
                new Builder<T>() {
                    @Override
                    public T build(Object reply) {
                        return build(reply);
                    }
                });
    }

    @Test
    void aTransactionThatWasDroppedGivesItsConnectionBack() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("pool_size: 1")) {
            redis.transaction(false).watch("key");
            for (int i = 0; i < 100 && redis.route().take().pools()[0].getNumActive() > 0; i++) {
                System.gc();
                Processes.pause(50);
            }
            assertEquals(0, redis.route().take().pools()[0].getNumActive());
            assertEquals("OK", redis.set("key", "value"));
        }
    }

    /* ---- First come, first served ---- */

    @Test
    void connectionsAreGivenToCallersInTheOrderInWhichTheyCame() throws Exception {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("pool_size: 1", "timeout: 60000")) {
            Pool pool = Inspected.pools(redis)[0];
            List<Integer> order = Collections.synchronizedList(new ArrayList<>());
            List<Thread> threads = new ArrayList<>();
            NodeConnection only = pool.borrowObject();
            for (int i = 0; i < 5; i++) {
                int number = i;
                long before = pool.meter().waits();
                Thread thread =
                        new Thread(
                                () -> {
                                    NodeConnection leased = pool.borrowObject();
                                    order.add(number);
                                    pool.returnObject(leased);
                                });
                thread.start();
                threads.add(thread);
                RedisCluster.await(
                        "the thread waits",
                        () ->
                                pool.meter().waits() > before
                                        && thread.getState() == Thread.State.TIMED_WAITING);
            }
            pool.returnObject(only);
            NodeConnection late =
                    pool.tryLease(new Holder(), Deadline.in(60_000), NodeHealth.NOT_ASKED);
            assertTrue(
                    late == null || order.size() == 5,
                    "a caller who comes now gets a connection last");
            if (late != null) {
                pool.returnObject(late);
            }
            for (Thread thread : threads) {
                thread.join(30_000);
            }
            assertEquals(List.of(0, 1, 2, 3, 4), order);
            Inspected.assertNothingLeased(redis);
        }
    }
}
