package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.ScriptedNode.Talk;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Nodes that answer too late, thousands of times. A connection on which a reply is still owed is
 * never used again, so every value belongs to its key.
 */
@ExtendWith(NoSecondTry.class)
class LateAnswerTest {
    private static final int TIMEOUT_MS = 8;

    /** The number of values that arrived, so that the test cannot pass because nothing happened. */
    private int arrived;

    private int late;

    private static String value(String key) {
        return "value of " + key;
    }

    private static void answer(Talk talk, List<String> command) throws IOException {
        if (command.get(0).equals("MGET")) {
            talk.send("*" + (command.size() - 1) + "\r\n");
        }
        for (String key : command.subList(1, command.size())) {
            talk.bulk(value(key));
        }
    }

    /**
     * Answers every command, but sometimes only after about the timeout, or one part of the answer
     * before it and the rest after it.
     */
    private static ScriptedNode unpunctual(int seed) {
        return ScriptedNode.start(
                talk -> {
                    Random random = new Random(seed * 1000L + talk.number());
                    talk.handshake();
                    for (List<String> command : talk.commands()) {
                        if (random.nextInt(24) == 0) {
                            String early =
                                    random.nextBoolean() && command.get(0).equals("GET") ? "$" : "";
                            talk.send(early);
                            Processes.pause(TIMEOUT_MS / 2 + random.nextInt(TIMEOUT_MS * 2));
                            if (!early.isEmpty()) {
                                talk.send(
                                        value(command.get(1)).length()
                                                + "\r\n"
                                                + value(command.get(1))
                                                + "\r\n");
                                continue;
                            }
                        }
                        answer(talk, command);
                    }
                });
    }

    /* ---- One late answer, step by step ---- */

    @ParameterizedTest
    @ValueSource(strings = {"get", "mget", "pipeline"})
    void theConnectionIsClosedBeforeTheLateReplyAndTheNextCommandGetsAnotherOne(String kind)
            throws InterruptedException {
        CountDownLatch hasFailed = new CountDownLatch(1);
        CountDownLatch isGone = new CountDownLatch(1);
        List<String> onTheFirst = new ArrayList<>();
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    for (List<String> command : talk.commands()) {
                                        if (talk.number() == 1) {
                                            onTheFirst.add(command.get(1));
                                            await(hasFailed);
                                        }
                                        try {
                                            answer(talk, command);
                                        } catch (IOException closed) {
                                            break;
                                        }
                                    }
                                    isGone.countDown();
                                });
                OneHopClient redis = node.client("timeout: 4000")) {
            assertThrows(DeadlineExceeded.class, () -> read(redis, kind, "a", "b"));
            hasFailed.countDown();
            for (int i = 0; i < 20; i++) {
                assertEquals(
                        List.of(value("c" + i), value("d" + i)),
                        read(redis, kind, "c" + i, "d" + i));
            }
            isGone.await();
            assertTrue(
                    onTheFirst.stream().allMatch(key -> key.equals("a") || key.equals("b")),
                    "seen on connection 1: " + onTheFirst);
            assertEquals(2, node.connections());
            Inspected.assertNothingLeased(redis);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<String> read(OneHopClient redis, String kind, String one, String other) {
        if (kind.equals("mget")) {
            return redis.mget(one, other);
        }
        if (kind.equals("get")) {
            return List.of(redis.get(one), redis.get(other));
        }
        AbstractPipeline pipeline = redis.pipelined();
        Response<String> first = pipeline.get(one);
        Response<String> second = pipeline.get(other);
        pipeline.sync();
        return List.of(first.get(), second.get());
    }

    /* ---- Thousands of late answers ---- */

    @Test
    void singleCommandsNeverGetALateReplyToAnotherCommand() {
        try (ScriptedNode node = unpunctual(1);
                OneHopClient redis =
                        node.client(
                                "timeout: " + TIMEOUT_MS,
                                Inspected.NEVER_RESTING,
                                "pool_size: 2")) {
            for (int i = 0; i < 4000; i++) {
                String key = "key:" + i;
                try {
                    assertEquals(value(key), redis.get(key));
                    arrived++;
                } catch (OneHopException failure) {
                    late++;
                }
            }
            assertBothHappened(redis);
        }
    }

    @Test
    void splitCommandsAndPipelinesNeverGetALateReplyToAnotherCommandEither() {
        List<ScriptedNode> nodes =
                IntStream.range(2, 6).mapToObj(LateAnswerTest::unpunctual).toList();
        try (OneHopClient redis =
                Inspected.clientOf(
                        nodes.stream(),
                        "timeout: " + TIMEOUT_MS,
                        Inspected.NEVER_RESTING,
                        "pool_size: 2")) {
            for (int i = 0; i < 1500; i++) {
                String[] keys =
                        IntStream.range(i * 10, i * 10 + 10)
                                .mapToObj(n -> "key:" + n)
                                .toArray(String[]::new);
                if (i % 2 == 0) {
                    split(redis, keys);
                } else {
                    pipelined(redis, keys);
                }
            }
            assertBothHappened(redis);
        } finally {
            nodes.forEach(ScriptedNode::close);
        }
    }

    private void split(OneHopClient redis, String... keys) {
        try {
            assertEquals(Stream.of(keys).map(LateAnswerTest::value).toList(), redis.mget(keys));
            arrived++;
        } catch (PartialBatch partial) {
            late++;
            for (int i = 0; i < keys.length; i++) {
                Object reply = partial.getReplies().get(i);
                assertTrue(
                        reply instanceof OneHopException || reply.equals(value(keys[i])),
                        () -> "instead of a value: " + reply);
            }
        } catch (OneHopException failure) {
            late++;
        }
    }

    private void pipelined(OneHopClient redis, String... keys) {
        AbstractPipeline pipeline = redis.pipelined();
        List<Response<String>> replies = Stream.of(keys).map(pipeline::get).toList();
        try {
            pipeline.sync();
        } catch (OneHopException failure) {
            late++;
        }
        for (int i = 0; i < keys.length; i++) {
            try {
                assertEquals(value(keys[i]), replies.get(i).get());
                arrived++;
            } catch (OneHopException failure) {
                assertEquals(redis.topology().locate(keys[i]).name(), failure.getNode());
            }
        }
    }

    private void assertBothHappened(OneHopClient redis) {
        assertTrue(arrived > 500, "arrived: " + arrived);
        assertTrue(late > 50, "late: " + late);
        Inspected.assertNothingLeased(redis);
    }

    /* ---- Real servers that stand still for a moment ---- */

    @Test
    void serversStoppedAndContinuedAroundTheDeadlineNeverMixUpValues() {
        try (Nodes nodes = Nodes.start(2);
                OneHopClient redis = nodes.client("timeout: 20", Inspected.NEVER_RESTING)) {
            List<RedisServer> servers = nodes.servers();
            String[] keys =
                    servers.stream()
                            .flatMap(server -> Nodes.keysOn(redis, server.node()).limit(20))
                            .toArray(String[]::new);
            try (OneHopClient patient = nodes.client()) {
                Stream.of(keys).forEach(key -> patient.set(key, value(key)));
            }
            for (int round = 0; round < 60; round++) {
                RedisServer still = servers.get(round % 2);
                still.freeze();
                split(redis, keys);
                still.thaw(); // The server now answers commands whose callers have given up.
                pipelined(redis, keys);
                split(redis, keys);
            }
            assertTrue(late >= 50 && arrived > 500, late + " late, " + arrived + " arrived");
            Inspected.assertNothingLeased(redis);
        }
    }
}
