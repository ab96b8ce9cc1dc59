package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.LyingCluster;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * Nodes of a Redis Cluster that lie. No reply reaches another command, no foreign address is
 * contacted, and every call ends.
 */
class LyingClusterTest {
    private static List<String> got(OneHopClient redis, List<String> keys) {
        AbstractPipeline pipeline = redis.pipelined();
        List<Response<String>> replies = keys.stream().map(pipeline::get).toList();
        pipeline.sync();
        return replies.stream().map(Response::get).toList();
    }

    private static List<String> keys(int count) {
        return List.of(Nodes.keys(count));
    }

    @Test
    void thousandsOfRedirectsCauseFewRefreshesOfTheMap() {
        List<String> keys = keys(20_000);
        try (LyingCluster cluster = new LyingCluster(3);
                OneHopClient redis = cluster.client("timeout: 30000")) {
            redis.get("key");
            for (int owner : new int[] {2, 0}) {
                cluster.behave(
                        (node, command, talk) ->
                                command.get(0).equals("GET") && node != owner
                                        ? cluster.to(
                                                "MOVED", RedisCluster.slot(command.get(1)), owner)
                                        : null);
                long before = redis.route().take().snapshot().generation();
                long begunNs = System.nanoTime();
                assertEquals(
                        keys.stream().map(key -> owner + " " + key).toList(), got(redis, keys));
                long maps = redis.route().take().snapshot().generation() - before;
                // One map for the redirects, and some of refreshes that run meanwhile: on a busy
                // machine one each second.
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNs);
                assertTrue(maps < 10 + seconds, maps + " maps");
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    /** ASK does not change the map: it still gives the slot to the node that answered ASK. */
    @Test
    void aCallStaysAtASlowNodeThatAskNamed() {
        LongAdder asked = new LongAdder();
        try (LyingCluster cluster = new LyingCluster(2);
                OneHopClient redis = cluster.client("timeout: 30000")) {
            int owner = redis.get("key").equals("0 key") ? 0 : 1;
            cluster.behave(
                    (node, command, talk) -> {
                        if (!command.get(0).equals("GET")) {
                            return null;
                        }
                        asked.increment();
                        if (node == owner) {
                            return cluster.to("ASK", RedisCluster.slot("key"), 1 - owner);
                        }
                        Processes.pause(500);
                        return null;
                    });
            assertEquals(1 - owner + " key", redis.get("key"));
            assertEquals(List.of(1 - owner + " key"), got(redis, List.of("key")));
            assertEquals(4, asked.sum());
        }
    }

    @Test
    void aMapWithoutEndIsRefusedBeforeItFillsTheMemory() {
        AtomicLong sent = new AtomicLong();
        try (LyingCluster cluster = new LyingCluster(1)) {
            cluster.behave(
                    (node, command, talk) -> {
                        if (command.contains("SHARDS")) {
                            sent.accumulateAndGet(talk.endlessBulk(), Math::max);
                        }
                        return null;
                    });
            OneHopException refused =
                    assertThrows(
                            OneHopException.class,
                            () -> {
                                try (OneHopClient redis = cluster.client()) {
                                    redis.get("key");
                                }
                            });
            assertSays("the reply is longer than 4194304 bytes", refused);
            RedisCluster.await("the node sees the end", () -> sent.get() > 0);
            assertTrue(sent.get() < 40_000_000, sent + " bytes, those of the kernel included");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "MOVED",
                "MOVED 5",
                "MOVED 16384 h:1",
                "MOVED -1 h:1",
                "MOVED 5 h:65536",
                "MOVED 5 h:0",
                "MOVED 5 h",
                "MOVED 5  h:1",
                "MOVED 5 h:1 ",
                "MOVED 5x h:1",
                "MOVED x y",
                "ASK",
                "ASK 1",
                "ASK 1 a:b:c",
                "ASK 5 h:99999999999999999999",
                "ASK 5 :"
            })
    void anErrorThatIsNoRedirectIsTheAnswer(String error) {
        try (LyingCluster cluster = new LyingCluster(2);
                OneHopClient redis = cluster.client()) {
            cluster.behave(
                    (node, command, talk) ->
                            command.get(0).equals("GET") ? "-" + error + "\r\n" : null);
            assertEquals(
                    error,
                    assertThrows(JedisDataException.class, () -> redis.get("key")).getMessage());
            AbstractPipeline pipeline = redis.pipelined();
            Response<String> reply = pipeline.get("key");
            Response<String> other = pipeline.type("other");
            pipeline.sync();
            assertEquals(error, assertThrows(JedisDataException.class, reply::get).getMessage());
            assertTrue(other.get().endsWith(" other"));
            Inspected.assertNothingLeased(redis);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MOVED", "ASK"})
    void aForeignAddressIsNeverContacted(String word) {
        try (ScriptedNode stranger = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                LyingCluster cluster = new LyingCluster(2);
                OneHopClient redis = cluster.client("timeout: 3000", "redis_auth: secret")) {
            cluster.behave(
                    (node, command, talk) ->
                            command.get(0).equals("GET") && node == 0
                                    ? "-"
                                            + word
                                            + " "
                                            + RedisCluster.slot(command.get(1))
                                            + " "
                                            + stranger.node()
                                            + "\r\n"
                                    : null);
            List<String> keys =
                    keys(50).stream().filter(key -> RedisCluster.slot(key) < 8192).toList();
            RedisCluster.await(
                    "the failure names the foreign address",
                    () -> {
                        String message =
                                assertThrows(OneHopException.class, () -> redis.get(keys.get(0)))
                                        .getMessage();
                        return message.contains("the node is not in the map of the cluster")
                                && message.contains(stranger.node());
                    });
            assertThrows(OneHopException.class, () -> got(redis, keys));
            assertEquals(0, stranger.connections());
            Inspected.assertNothingLeased(redis);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "to each other",
                "to itself",
                "ASKING refused",
                "a reply too many",
                "a push",
                "half a reply"
            })
    void callsToLyingNodesEnd(String lie) {
        try (LyingCluster cluster = new LyingCluster(2);
                OneHopClient redis = cluster.client("timeout: 1500")) {
            Callers.answered(() -> redis.get("key"));
            cluster.behave(
                    (node, command, talk) -> {
                        String other = cluster.to("MOVED", 5, 1 - node);
                        String ask = cluster.to("ASK", 5, 1 - node);
                        return switch (command.get(0).equals("GET")
                                        || command.get(0).equals("ASKING")
                                ? lie
                                : "") {
                            case "to each other" -> other;
                            case "to itself" -> cluster.to("MOVED", 5, node);
                            case "ASKING refused" ->
                                    command.get(0).equals("GET") ? ask : "-ERR no\r\n";
                            case "a reply too many" -> other + "+more\r\n";
                            case "a push" ->
                                    command.get(0).equals("GET")
                                            ? ask
                                            : ">1\r\n+message\r\n+OK\r\n";
                            case "half a reply" -> half(talk, node == 0 ? other : "$9\r\nhalf");
                            default -> null;
                        };
                    });
            assertThrows(OneHopException.class, () -> redis.get("key"));
            assertThrows(OneHopException.class, () -> got(redis, List.of("key")));
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void aNodeThatRedirectsToItselfIsAskedABoundedNumberOfTimes() {
        LongAdder tries = new LongAdder();
        try (LyingCluster cluster = new LyingCluster(1);
                OneHopClient redis = cluster.client("timeout: 3000")) {
            cluster.behave(
                    (node, command, talk) -> {
                        if (!command.get(0).equals("GET")) {
                            return null;
                        }
                        tries.increment();
                        return cluster.to("MOVED", RedisCluster.slot("key"), node);
                    });
            RedisCluster.await(
                    "the call fails between two tries",
                    () -> {
                        tries.reset();
                        return assertThrows(OneHopException.class, () -> redis.get("key"))
                                .getMessage()
                                .contains("there is no time left to try again");
                    });
            assertTrue(tries.sum() > 1 && tries.sum() < 30, tries + " tries in three seconds");
        }
    }

    private static String half(ScriptedNode.Talk talk, String bytes) throws IOException {
        talk.send(bytes);
        if (!bytes.endsWith("\r\n")) {
            throw new IOException("the node closes in the middle of a reply");
        }
        return "";
    }

    /* ---- Many threads, in a storm ---- */

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inAStormOfRedirectsEveryReplyBelongsToItsCommand(boolean isClosedInTheMiddle)
            throws InterruptedException {
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        LongAdder right = new LongAdder();
        try (LyingCluster cluster = new LyingCluster(4);
                OneHopClient redis = cluster.client("timeout: 5000")) {
            Callers.answered(() -> redis.get("key"));
            cluster.behave(
                    (node, command, talk) ->
                            command.get(0).equals("GET")
                                    ? storm(cluster, command.get(1), talk)
                                    : null);
            Runnable close = redis::close;
            List<Thread> threads = new ArrayList<>();
            AtomicBoolean isOver = new AtomicBoolean();
            for (int i = 0; i < 12; i++) {
                int number = i;
                threads.add(new Thread(() -> call(redis, number, isOver, wrong, right)));
            }
            threads.forEach(Thread::start);
            long begunNs = System.nanoTime();
            for (long ms = 0; ms < 2000 || right.sum() == 0 && ms < 30_000; ) {
                threads.get(ThreadLocalRandom.current().nextInt(threads.size())).interrupt();
                Thread.sleep(3);
                ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNs);
                // On a busy machine the interrupts leave no call time for a value at first.
                if (isClosedInTheMiddle && ms > 1000 && right.sum() > 0) {
                    close.run();
                }
            }
            isOver.set(true);
            for (Thread thread : threads) {
                thread.join(30_000);
                assertFalse(thread.isAlive(), "a call has no end");
            }
            assertEquals(List.of(), List.copyOf(wrong));
            assertTrue(right.sum() > 0, "there was no value");
            if (!isClosedInTheMiddle) {
                cluster.behave((node, command, talk) -> null);
                Inspected.assertNothingLeased(redis);
                assertTrue(Callers.answered(() -> redis.get("key")).endsWith(" key"));
            }
        }
    }

    /** A node's answer to a GET. */
    private static String storm(LyingCluster cluster, String key, ScriptedNode.Talk talk)
            throws IOException {
        ThreadLocalRandom chance = ThreadLocalRandom.current();
        int dice = chance.nextInt(100);
        if (dice < 15) {
            return cluster.to("MOVED", RedisCluster.slot(key), chance.nextInt(4));
        } else if (dice < 25) {
            return cluster.to("ASK", RedisCluster.slot(key), chance.nextInt(4));
        } else if (dice < 28) {
            return "-TRYAGAIN\r\n";
        } else if (dice < 29) {
            return half(talk, "$20\r\n" + key);
        } else if (dice < 30) {
            return "-CLUSTERDOWN The cluster is down\r\n";
        }
        return LyingCluster.bulk("the value of " + key);
    }

    private static void call(
            OneHopClient redis,
            int number,
            AtomicBoolean isOver,
            Queue<String> wrong,
            LongAdder right) {
        for (int i = 0; !isOver.get(); i++) {
            int first = i;
            try {
                if (i % 3 == 0) {
                    String key = "key:" + number + ":" + i;
                    check(key, redis.get(key), wrong, right);
                } else {
                    List<String> keys =
                            IntStream.range(0, 40)
                                    .mapToObj(j -> "key:" + number + ":" + first + ":" + j % 30)
                                    .toList();
                    AbstractPipeline pipeline = redis.pipelined();
                    List<Response<String>> replies = keys.stream().map(pipeline::get).toList();
                    try {
                        pipeline.sync();
                    } catch (OneHopException some) {
                        // Each reply is checked below.
                    }
                    for (int j = 0; j < keys.size(); j++) {
                        check(keys.get(j), value(replies.get(j)), wrong, right);
                    }
                }
            } catch (OneHopException failure) {
                Thread.interrupted();
            } catch (RuntimeException | Error unexpected) {
                wrong.add(unexpected.toString());
            }
        }
    }

    private static String value(Response<String> reply) {
        try {
            return reply.get();
        } catch (OneHopException failure) {
            return null;
        }
    }

    private static void check(String key, String value, Queue<String> wrong, LongAdder right) {
        if (value != null && !value.equals("the value of " + key)) {
            wrong.add(key + " is " + value);
        } else if (value != null) {
            right.increment();
        }
    }
}
