package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadParams;

import java.io.File;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What close() does to calls that are under way: it ends calls that wait, such as blocking commands
 * and subscriptions, and lets ordinary calls be answered. Neither close() nor a failure leaves a
 * leased connection, a socket or an interrupt behind.
 */
class CloseTest {
    private enum Wait {
        SUBSCRIBE(redis -> redis.subscribe(new JedisPubSub() {}, "channel")),
        PSUBSCRIBE(redis -> redis.psubscribe(new JedisPubSub() {}, "channel*")),
        BLPOP_FOR_EVER(redis -> redis.blpop(0, "list")),
        BLPOP_FOR_AN_HOUR(redis -> redis.blpop(3600, "list")),
        XREAD(
                redis ->
                        redis.xread(
                                new XReadParams().block(0), Map.of("stream", new StreamEntryID()))),
        PIPELINE(
                redis -> {
                    try (AbstractPipeline pipeline = redis.pipelined()) {
                        pipeline.blpop(0, "list");
                    }
                });

        private final transient Consumer<OneHopClient> call;

        Wait(Consumer<OneHopClient> call) {
            this.call = call;
        }
    }

    private final AtomicInteger waiting = new AtomicInteger();

    /** A node at which every blocking command and every subscription waits. */
    private ScriptedNode node() {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    for (List<String> c : talk.commands()) {
                        switch (c.get(0)) {
                            case "SUBSCRIBE", "PSUBSCRIBE" -> {
                                String kind = c.get(0).toLowerCase(Locale.ROOT);
                                talk.send("*3\r\n").bulk(kind).bulk(c.get(1)).send(":1\r\n");
                                waiting.incrementAndGet();
                            }
                            case "CLIENT" -> talk.send(":7\r\n");
                            default -> waiting.incrementAndGet();
                        }
                    }
                });
    }

    private static Callers.Running begin(OneHopClient redis, Wait wait) {
        return new Callers.Running(() -> wait.call.accept(redis));
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void closeEndsCallsThatWait(Wait wait) throws Exception {
        try (ScriptedNode one = node();
                ScriptedNode two = node()) {
            OneHopClient redis = Inspected.clientOf(Stream.of(one, two), "timeout: 30000");
            Callers.Running waits = begin(redis, wait);
            RedisCluster.await("the call waits", () -> waiting.get() > 0);
            redis.close();
            NodeDown closed = assertInstanceOf(NodeDown.class, waits.end());
            assertSays("client was closed", closed);
            assertTrue(closed.mayHaveExecuted());
            assertTrue(Stream.of(Inspected.pools(redis)).allMatch(Pool::isEmpty));
        }
    }

    @Test
    void closeEndsASubscriptionThatTriesToReachADeadNode() throws Exception {
        ScriptedNode dead = node();
        dead.close();
        try (ScriptedNode node = node()) {
            OneHopClient redis = Inspected.clientOf(Stream.of(node, dead), "timeout: 30000");
            Callers.Running waits = begin(redis, Wait.PSUBSCRIBE);
            RedisCluster.await(
                    "the subscription waits", () -> waiting.get() > 0 && !seeking().isEmpty());
            List<Thread> seeking = seeking(); // Also threads of other tests, which end, too.
            redis.close();
            NodeDown closed = assertInstanceOf(NodeDown.class, waits.end());
            assertSays("client was closed", closed);
            RedisCluster.await(
                    "no thread seeks the node", () -> seeking.stream().noneMatch(Thread::isAlive));
        }
    }

    private static List<Thread> seeking() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("onehop-subscription"))
                .toList();
    }

    @ParameterizedTest
    @EnumSource(
            value = Wait.class,
            names = {"SUBSCRIBE", "BLPOP_FOR_EVER", "XREAD", "PIPELINE"})
    void closeEndsCallsThatJustBeginToWait(Wait wait) throws Exception {
        try (ScriptedNode one = node();
                ScriptedNode two = node()) {
            for (int i = 0; i < 20; i++) {
                OneHopClient redis = Inspected.clientOf(Stream.of(one, two), "timeout: 30000");
                Callers.Running waits = begin(redis, wait);
                TimeUnit.MICROSECONDS.sleep(i * 200L);
                redis.close();
                assertInstanceOf(NodeDown.class, waits.end());
            }
        }
    }

    @Test
    void anOrdinaryCallThatIsUnderWayIsAnsweredAfterClose() throws Exception {
        CountDownLatch isAsked = new CountDownLatch(1);
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    talk.command();
                    isAsked.countDown();
                    Processes.pause(200);
                    talk.bulk("value").awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script)) {
            OneHopClient redis = node.client("timeout: 30000");
            CompletableFuture<String> value = CompletableFuture.supplyAsync(() -> redis.get("key"));
            isAsked.await();
            redis.close();
            assertEquals("value", value.get(30, TimeUnit.SECONDS));
            assertEquals(0, Inspected.pools(redis)[0].getNumIdle());
            Inspected.assertNothingLeased(redis);
        }
    }

    /* ---- Nothing is left ---- */

    private static String value(String key) {
        return "value of " + key;
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    @Test
    void failuresOfEveryKindLeaveNoSocketOpen() {
        int start = descriptors();
        List<ScriptedNode.Script> sick =
                List.of(
                        talk -> {},
                        talk -> {},
                        talk -> talk.handshake().command(),
                        ScriptedNode.Talk::awaitClose,
                        talk -> talk.handshake().awaitClose(),
                        talk -> talk.send("rubbish").awaitClose(),
                        talk -> talk.handshake().reset(),
                        talk -> talk.handshake().send("$3\r\nabcXXXX").awaitClose());
        List<ScriptedNode> nodes = sick.stream().map(ScriptedNode::start).toList();
        nodes.get(0).close(); // This node refuses connections.
        try (OneHopClient redis =
                Inspected.clientOf(nodes.stream(), "timeout: 20", "pool_size: 3")) {
            String[] keys =
                    nodes.stream()
                            .map(node -> Nodes.keyOn(redis, node.node()))
                            .toArray(String[]::new);
            int before = descriptors();
            for (int i = 0; i < 60; i++) {
                for (String key : keys) {
                    assertThrows(OneHopException.class, () -> redis.get(key));
                }
                assertThrows(OneHopException.class, () -> redis.mget(keys));
            }
            Inspected.assertNothingLeased(redis);
            // The sockets of the nodes are in this process, too, and are closed a little later.
            assertTrue(
                    Callers.holdsSoon(() -> descriptors() <= before + 20),
                    before + " descriptors before, " + descriptors() + " after");
        } finally {
            nodes.forEach(ScriptedNode::close);
        }
        assertTrue(Callers.holdsSoon(() -> descriptors() <= start), start + " at the start");
    }

    @Test
    @ExtendWith(NoSecondTry.class)
    void closingWhileCallsAreRunningEndsThemAllAndLeavesNothing() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2)) {
            for (int round = 0; round < 10; round++) {
                OneHopClient redis = nodes.client("pool_size: 2");
                CountDownLatch running = new CountDownLatch(8);
                Thread closer =
                        new Thread(
                                () -> {
                                    try {
                                        running.await();
                                    } catch (InterruptedException impossible) {
                                        Thread.currentThread().interrupt();
                                    }
                                    redis.close();
                                });
                closer.start();
                Callers.inThreads(
                        8,
                        number -> {
                            try {
                                for (int i = 0; i < 1_000_000; i++) {
                                    if (i == 20) {
                                        running.countDown();
                                    }
                                    String key = "key:" + number + ":" + i % 10;
                                    redis.mset(
                                            key, value(key), "other:" + key, value("other:" + key));
                                    assertEquals(value(key), redis.get(key));
                                }
                                throw new AssertionError("The client was closed, but calls go on.");
                            } catch (OneHopException closed) {
                                assertTrue(
                                        closed instanceof NodeDown
                                                || closed instanceof PartialBatch,
                                        closed.toString());
                            }
                            assertFalse(Thread.interrupted(), "the caller was not interrupted");
                        });
                closer.join();
                assertEquals(
                        "NodeDown",
                        assertThrows(NodeDown.class, () -> redis.get("key")).getKind().label());
                redis.close();
                Inspected.assertNothingLeased(redis);
            }
            for (RedisServer server : nodes.servers()) {
                assertTrue(
                        Callers.holdsSoon(() -> server.clients() == 0),
                        server.clients() + " connections are still open");
            }
        }
    }
}
