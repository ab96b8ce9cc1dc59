package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.XReadParams;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What close() does to calls that are under way: it ends those that wait, and no others. */
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

    /** A node on which everything waits. */
    private ScriptedNode node() {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    for (List<String> c : talk.commands()) {
                        switch (c.get(0)) {
                            case "SUBSCRIBE", "PSUBSCRIBE" -> {
                                String kind = c.get(0).toLowerCase(java.util.Locale.ROOT);
                                talk.send("*3\r\n").bulk(kind).bulk(c.get(1)).send(":1\r\n");
                                waiting.incrementAndGet();
                            }
                            case "CLIENT" -> talk.send(":7\r\n");
                            default -> waiting.incrementAndGet();
                        }
                    }
                });
    }

    private static CompletableFuture<Throwable> begin(OneHopClient redis, Wait wait) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                wait.call.accept(redis);
                                end.complete(null);
                            } catch (Throwable thrown) {
                                end.complete(thrown);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return end;
    }

    @ParameterizedTest
    @EnumSource(Wait.class)
    void whatWaitsEnds(Wait wait) throws Exception {
        try (ScriptedNode one = node();
                ScriptedNode two = node()) {
            OneHopClient redis = Inspected.clientOf(Stream.of(one, two), "timeout: 30000");
            CompletableFuture<Throwable> end = begin(redis, wait);
            RedisCluster.await("it waits", () -> waiting.get() > 0);
            redis.close();
            NodeDown closed = assertInstanceOf(NodeDown.class, end.get(30, TimeUnit.SECONDS));
            assertSays("client was closed", closed);
            assertTrue(closed.mayHaveExecuted());
            assertTrue(Stream.of(Inspected.pools(redis)).allMatch(Pool::isEmpty));
        }
    }

    @Test
    void aSubscriptionThatLacksANodeEndsAndSeeksItNoLonger() throws Exception {
        ScriptedNode dead = node();
        dead.close();
        try (ScriptedNode node = node()) {
            OneHopClient redis = Inspected.clientOf(Stream.of(node, dead), "timeout: 30000");
            CompletableFuture<Throwable> end = begin(redis, Wait.PSUBSCRIBE);
            RedisCluster.await("it waits", () -> waiting.get() > 0 && !seeking().isEmpty());
            List<Thread> seeking = seeking(); // Those of other tests end, too.
            redis.close();
            NodeDown closed = assertInstanceOf(NodeDown.class, end.get(30, TimeUnit.SECONDS));
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
    void whatJustBeginsToWaitEndsToo(Wait wait) throws Exception {
        try (ScriptedNode one = node();
                ScriptedNode two = node()) {
            for (int i = 0; i < 20; i++) {
                OneHopClient redis = Inspected.clientOf(Stream.of(one, two), "timeout: 30000");
                CompletableFuture<Throwable> end = begin(redis, wait);
                TimeUnit.MICROSECONDS.sleep(i * 200L);
                redis.close();
                assertInstanceOf(NodeDown.class, end.get(30, TimeUnit.SECONDS));
            }
        }
    }

    @Test
    void anOrdinaryCallIsAnswered() throws Exception {
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
            Inspected.assertNothingLeased(redis);
        }
    }
}
