package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertLinesMatch;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three healthy nodes, and a fourth node that fails in ways that could affect the others. Nothing
 * that the healthy nodes answered is lost, no connection stays leased, and commands that are
 * reported as not sent were not sent.
 */
class PartialBatchTest {
    @RegisterExtension static final SharedNodes SHARED = SharedNodes.start(3);
    private static final Nodes nodes = SHARED.nodes();

    /** The nodes have names of their own, so placement does not depend on the ports. */
    private static OneHopClient with(String fourth, String... directives) {
        List<RedisServer> servers = nodes.servers();
        return Nodes.clientOf(
                Stream.of(
                        servers.get(0).server() + " first",
                        servers.get(1).server() + " second",
                        servers.get(2).server() + " third",
                        fourth + " fourth"),
                directives);
    }

    private static boolean isFourth(OneHopClient redis, String key) {
        return redis.topology().locate(key).name().equals("fourth");
    }

    private static void write(OneHopClient redis, String value, String... keys) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            Stream.of(keys)
                    .filter(key -> !isFourth(redis, key))
                    .forEach(key -> pipeline.set(key, value + " of " + key));
        }
    }

    /* ---- The message ---- */

    @Test
    void theMessageNamesThreeNodesAndCountsTheRest() {
        String dead = Nodes.refusing();
        Stream<String> failing = IntStream.range(0, 5).mapToObj(i -> dead + " d%s{}\u00e9" + i);
        String live = nodes.servers().get(0).server() + " live";
        try (OneHopClient redis = Nodes.clientOf(Stream.concat(Stream.of(live), failing))) {
            PartialBatch batch =
                    assertThrows(PartialBatch.class, () -> redis.mget(Nodes.keys(400)));
            assertEquals(5, batch.getFailures().size());
            String name = Pattern.quote("d%s{}\\xc3\\xa9") + "[0-4]";
            String names = name + ", " + name + ", " + name + " and 2 more";
            String what = "Part of the batch failed \\(nodes that failed: ";
            assertLinesMatch(
                    List.of(what + names + "\\), server pool .*"), List.of(batch.getMessage()));
        }
    }

    /* ---- Dead or hung ---- */

    @ParameterizedTest
    @ValueSource(strings = {"dead", "hung before the handshake", "hung after it"})
    void theRepliesOfThreeNodesAreInTheCallersOrderAndTheFourthNodeIsNamed(String how) {
        ScriptedNode.Script script =
                talk -> {
                    if (how.endsWith("it")) {
                        talk.handshake();
                    }
                    talk.awaitClose();
                };
        try (ScriptedNode hung = ScriptedNode.start(script);
                OneHopClient redis =
                        with(
                                how.equals("dead") ? Nodes.refusing() : hung.server(),
                                "timeout: 4000")) {
            String[] keys = Nodes.keys(400);
            write(redis, "value", keys);
            List<String> wanted = new ArrayList<>(List.of(keys));
            wanted.addAll(wanted.subList(0, 100)); // Some keys are wanted twice.
            String missing =
                    Stream.iterate("missing", key -> key + "!")
                            .filter(key -> !isFourth(redis, key))
                            .findFirst()
                            .orElseThrow();
            wanted.add(missing);
            Collections.shuffle(wanted, new Random(5));

            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies = wanted.stream().map(pipeline::get).toList();
            PartialBatch batch = assertThrows(PartialBatch.class, pipeline::sync);
            pipeline.close();
            PartialBatch split =
                    assertThrows(
                            PartialBatch.class, () -> redis.mget(wanted.toArray(String[]::new)));
            for (PartialBatch each : List.of(batch, split)) {
                assertEquals(Set.of("fourth"), each.getFailures().keySet());
                assertEquals("fourth", each.getNode());
                assertTrue(each.mayHaveExecuted());
                assertEquals(
                        how.equals("hung after it"),
                        each.getFailures().get("fourth").mayHaveExecuted());
                assertEquals(wanted.size(), each.getReplies().size());
                for (int i = 0; i < wanted.size(); i++) {
                    Object expected =
                            isFourth(redis, wanted.get(i))
                                    ? each.getFailures().get("fourth")
                                    : expected(wanted.get(i), missing);
                    assertEquals(expected, each.getReplies().get(i));
                }
            }
            for (int i = 0; i < wanted.size(); i++) {
                if (isFourth(redis, wanted.get(i))) {
                    assertSame(
                            batch.getFailures().get("fourth"),
                            assertThrows(OneHopException.class, replies.get(i)::get));
                } else {
                    assertEquals(expected(wanted.get(i), missing), replies.get(i).get());
                }
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    private static String expected(String key, String missing) {
        return key.equals(missing) ? null : "value of " + key;
    }

    @Test
    void aPipelineCanBeUsedAgainAfterItFailed() {
        try (OneHopClient redis = with(Nodes.refusing())) {
            String healthy = Nodes.keyOn(redis, "first");
            String dead = Nodes.keyOn(redis, "fourth");
            try (AbstractPipeline pipeline = redis.pipelined()) {
                for (int i = 0; i < 20; i++) {
                    Response<String> good = pipeline.set(healthy, "value " + i);
                    Response<String> bad = pipeline.set(dead, "value " + i);
                    assertThrows(PartialBatch.class, pipeline::sync);
                    assertEquals("OK", good.get());
                    assertThrows(NodeDown.class, bad::get);
                    Response<String> read = pipeline.get(healthy);
                    pipeline.sync();
                    assertEquals("value " + i, read.get());
                }
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    /* ---- Failures that could affect the other nodes ---- */

    @Test
    void aLargeReplyThatDripsDoesNotDelayManyWindowsOfTheOtherNodes() {
        ScriptedNode.Script dripping =
                talk -> {
                    talk.handshake().command();
                    talk.send("$1000000\r\n" + "x".repeat(100_000)); // More than every buffer.
                    for (int i = 0; i < 900; i++) {
                        talk.send("x");
                        Processes.pause(20);
                    }
                };
        try (ScriptedNode fourth = ScriptedNode.start(dripping);
                OneHopClient redis = with(fourth.server(), "timeout: 8000")) {
            String value = "x".repeat(2000);
            String[] keys =
                    Stream.of(Nodes.keys(4000))
                            .filter(key -> !isFourth(redis, key))
                            .toArray(String[]::new);
            AbstractPipeline pipeline = redis.pipelined();
            Response<String> sick = pipeline.get(Nodes.keyOn(redis, "fourth"));
            // Some 6 MB: many windows for each node.
            List<Response<String>> healthy =
                    Stream.of(keys).map(key -> pipeline.set(key, value)).toList();
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            assertThrows(DeadlineExceeded.class, sick::get);
            assertEquals(Set.of("fourth"), failure.getFailures().keySet());
            healthy.forEach(reply -> assertEquals("OK", reply.get()));
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void elementsThatAreNotTextDoNotHideTheFailureOfAnotherNode() {
        ScriptedNode.Script strange =
                talk -> {
                    talk.handshake();
                    for (List<String> command : talk.commands()) {
                        talk.send(
                                "*"
                                        + (command.size() - 1)
                                        + "\r\n"
                                        + ":5\r\n".repeat(command.size() - 1));
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(strange);
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(
                                        node.server() + " strange", Nodes.refusing() + " dead"))) {
            String[] keys = {Nodes.keyOn(redis, "strange"), Nodes.keyOn(redis, "dead")};
            OneHopException failure = assertThrows(OneHopException.class, () -> redis.mget(keys));
            assertInstanceOf(PartialBatch.class, failure);
            AbstractPipeline pipeline = redis.pipelined();
            Response<List<String>> split = pipeline.mget(keys);
            Response<String> dead = pipeline.get(keys[1]);
            assertThrows(OneHopException.class, pipeline::sync);
            assertThrows(OneHopException.class, split::get);
            assertThrows(NodeDown.class, dead::get);
            Inspected.assertNothingLeased(redis);
        }
    }

    /* ---- What is reported as not sent ---- */

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void commandsReportedAsNotSentNeverReachedTheNode(boolean closes) {
        Set<String> reached = Collections.synchronizedSet(new HashSet<>());
        ScriptedNode.Script silent =
                talk -> {
                    talk.handshake();
                    for (List<String> command : talk.commands()) {
                        reached.add(command.get(1));
                        if (closes && reached.size() == 50) {
                            return;
                        }
                    }
                };
        try (ScriptedNode fourth = ScriptedNode.start(silent);
                OneHopClient redis = with(fourth.server(), "timeout: 4000")) {
            String[] keys = Nodes.keysOn(redis, "fourth").limit(1000).toArray(String[]::new);
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies =
                    Arrays.stream(keys).map(key -> pipeline.set(key, "x".repeat(1000))).toList();
            assertTrue(assertThrows(OneHopException.class, pipeline::sync).mayHaveExecuted());
            int unsent = 0;
            for (int i = 0; i < keys.length; i++) {
                OneHopException failure = assertThrows(OneHopException.class, replies.get(i)::get);
                if (!failure.mayHaveExecuted()) {
                    unsent++;
                    assertFalse(reached.contains(keys[i]), keys[i]);
                }
            }
            assertTrue(
                    unsent > 500 && !reached.isEmpty(),
                    unsent + " not sent, " + reached.size() + " reached the node");
        }
    }

    @Test
    void anInterruptedBatchReturnsWhatArrivedAndLeavesNoLease() throws InterruptedException {
        ScriptedNode.Script silent = talk -> talk.handshake().awaitClose();
        try (ScriptedNode fourth = ScriptedNode.start(silent);
                OneHopClient redis = with(fourth.server(), "timeout: 60000")) {
            String[] keys = Nodes.keys(400);
            write(redis, "value", keys);
            List<Pool> healthy =
                    Stream.of("first", "second", "third")
                            .map(name -> Inspected.pool(redis, name))
                            .toList();
            List<Long> before = healthy.stream().map(pool -> pool.meter().calls()).toList();
            AtomicBoolean isInterrupted = new AtomicBoolean();
            Callers.Running caller =
                    new Callers.Running(
                            () -> {
                                try {
                                    redis.mget(keys);
                                } finally {
                                    isInterrupted.set(Thread.currentThread().isInterrupted());
                                }
                            });
            RedisCluster.await(
                    "the others have answered",
                    () ->
                            IntStream.range(0, 3)
                                    .allMatch(i -> healthy.get(i).meter().calls() > before.get(i)));
            caller.thread.interrupt();
            PartialBatch failure = assertInstanceOf(PartialBatch.class, caller.end());
            assertTrue(isInterrupted.get(), "the flag is gone");
            for (int i = 0; i < keys.length; i++) {
                assertTrue(
                        isFourth(redis, keys[i])
                                || failure.getReplies().get(i).equals("value of " + keys[i]),
                        keys[i]);
            }
            Inspected.assertNothingLeased(redis);
        }
    }
}
