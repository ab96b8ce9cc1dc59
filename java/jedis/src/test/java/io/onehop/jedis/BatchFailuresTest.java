package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Node;
import io.onehop.jedis.internal.batch.BatchExchange;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.SilentAddress;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Batches in which some nodes answer and others fail. Replies that arrived are not lost, each
 * failure names its kind and its node, and healthy nodes do not wait for sick ones.
 */
class BatchFailuresTest {
    private static RedisServer one;
    private static RedisServer two;

    @BeforeAll
    static void start() {
        one = RedisServer.start();
        two = RedisServer.start();
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    @BeforeEach
    void clean() {
        try (Jedis first = one.jedis();
                Jedis second = two.jedis()) {
            first.flushAll();
            second.flushAll();
        }
    }

    private static OneHopClient withTwoHealthy(String sick, int timeoutMs) {
        return Nodes.clientOf(
                Stream.of(one.server(), two.server(), sick + " sick"), "timeout: " + timeoutMs);
    }

    private static String[] keys(OneHopClient redis, int eachNode) {
        List<String> keys = new ArrayList<>();
        List<List<String>> byNode =
                redis.topology().nodes().stream()
                        .map(node -> Nodes.keysOn(redis, node.name()).limit(eachNode).toList())
                        .toList();
        // Keys of different nodes alternate, so the order of replies is tested, too.
        for (int i = 0; i < eachNode; i++) {
            for (List<String> node : byNode) {
                keys.add(node.get(i));
            }
        }
        return keys.toArray(String[]::new);
    }

    private static boolean isSick(OneHopClient redis, String key) {
        return redis.topology().locate(key).name().equals("sick");
    }

    /** Writes the keys of the healthy nodes. */
    private static void write(OneHopClient redis, String... keys) {
        Arrays.stream(keys)
                .filter(key -> !isSick(redis, key))
                .forEach(key -> redis.set(key, "value of " + key));
    }

    /* ---- Pipelines ---- */

    @Test
    void aPipelineWithoutAnyReplyThrowsTheFailureItself() {
        try (OneHopClient redis = withTwoHealthy(Nodes.refusing(), 30_000)) {
            String key = Nodes.keyOn(redis, "sick");
            AbstractPipeline pipeline = redis.pipelined();
            Response<String> reply = pipeline.get(key);
            NodeDown failure = assertThrows(NodeDown.class, pipeline::sync);
            assertSame(failure, assertThrows(NodeDown.class, reply::get));
            Response<String> next = pipeline.set(Nodes.keyOn(redis, one.node()), "goes on");
            pipeline.close();
            assertEquals("OK", next.get());
        }
    }

    @Test
    void closingAPipelineThatWasNotSyncedThrowsItsFailure() {
        try (OneHopClient redis = withTwoHealthy(Nodes.refusing(), 30_000)) {
            AbstractPipeline pipeline = redis.pipelined();
            pipeline.set(Nodes.keyOn(redis, "sick"), "x");
            assertThrows(NodeDown.class, pipeline::close);
            pipeline.close();
        }
    }

    @Test
    void aNodeThatAnswersAFewAndClosesFailsAllOfItsCommands() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    talk.command();
                    talk.bulk("first").command();
                    talk.bulk("second").command();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = withTwoHealthy(node.server(), 30_000)) {
            String key = Nodes.keyOn(redis, "sick");
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies =
                    IntStream.range(0, 5).mapToObj(i -> pipeline.lpop(key)).toList();
            assertTrue(assertThrows(NodeDown.class, pipeline::sync).mayHaveExecuted());
            for (Response<String> reply : replies) {
                assertTrue(assertThrows(NodeDown.class, reply::get).mayHaveExecuted());
            }
        }
    }

    @Test
    void aHungNodeFailsOnlyItsOwnCommandsHoweverManyThereAre() {
        try (RedisServer sick = RedisServer.start();
                OneHopClient redis = withTwoHealthy(sick.server(), 8000)) {
            String[] keys = keys(redis, 50);
            write(redis, keys);
            sick.freeze();
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<Long>> healthy = new ArrayList<>();
            List<Response<Long>> hung = new ArrayList<>();
            for (int i = 0; i < 60_000; i++) { // Some 2 MB for each node: many windows.
                String key = keys[i % keys.length];
                (isSick(redis, key) ? hung : healthy).add(pipeline.exists(new String[] {key}));
            }
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            assertEquals(Set.of("sick"), failure.getFailures().keySet());
            for (Response<Long> reply : healthy) {
                assertEquals(1, reply.get());
            }
            for (Response<Long> reply : hung) {
                assertThrows(DeadlineExceeded.class, reply::get);
            }
            sick.thaw();
        }
    }

    @Test
    void aNodeThatStopsInTheMiddleOfALargeReplyFailsOnlyItsOwnCommands() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.send("$100000\r\n" + "x".repeat(60_000)).awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = withTwoHealthy(node.server(), 5000)) {
            String[] keys = keys(redis, 100);
            write(redis, keys);
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies = Arrays.stream(keys).map(pipeline::get).toList();
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            assertEquals(Set.of("sick"), failure.getFailures().keySet());
            for (int i = 0; i < keys.length; i++) {
                if (!isSick(redis, keys[i])) {
                    assertEquals("value of " + keys[i], replies.get(i).get());
                }
            }
        }
    }

    @Test
    void anUnreachableNodeFailsOnlyItsOwnCommands() throws IOException {
        try (SilentAddress full = SilentAddress.at("127.0.0.1", 0);
                OneHopClient redis = withTwoHealthy("127.0.0.1:" + full.port() + ":1", 5000)) {
            String[] keys = keys(redis, 2000);
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies =
                    Arrays.stream(keys).map(key -> pipeline.set(key, "x".repeat(500))).toList();
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            assertFalse(failure.getFailures().get("sick").mayHaveExecuted());
            for (int i = 0; i < keys.length; i++) {
                if (isSick(redis, keys[i])) {
                    assertThrows(DeadlineExceeded.class, replies.get(i)::get);
                } else {
                    assertEquals("OK", replies.get(i).get());
                }
            }
        }
    }

    @Test
    void anIdleConnectionThatWasClosedIsReplacedAndReadsAreSentAgain() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    int commands = 0;
                    for (List<String> command : talk.commands()) {
                        seen.add(command.get(0));
                        if (++commands == 4 && talk.number() == 1) {
                            return;
                        }
                        talk.bulk("value of " + command.get(1));
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = withTwoHealthy(node.server(), 30_000)) {
            String[] keys = keys(redis, 4);
            write(redis, keys);
            assertEquals(
                    "value of " + Nodes.keyOn(redis, "sick"),
                    redis.get(Nodes.keyOn(redis, "sick")));
            // The sick node's second command of this batch is the fourth on its connection.
            try (AbstractPipeline pipeline = redis.pipelined()) {
                List<Response<String>> replies = Arrays.stream(keys).map(pipeline::get).toList();
                pipeline.sync();
                for (int i = 0; i < keys.length; i++) {
                    assertEquals("value of " + keys[i], replies.get(i).get());
                }
            }
            assertEquals(2, node.connections());
            assertEquals(1 + 3 + 4, seen.size(), "all commands for the node were sent again");
        }
    }

    @Test
    void waitIsNotSentAgainWithoutThePublishBeforeIt() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    if (talk.number() == 1) {
                        talk.command();
                        talk.bulk("value").command();
                        talk.command();
                        talk.send("+OK\r\n:0\r\n").reset();
                    }
                    for (List<String> command : talk.commands()) {
                        seen.add(command.get(0));
                        talk.send(":1\r\n");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client()) {
            assertEquals("value", redis.get("key"));
            AbstractPipeline pipeline = redis.pipelined();
            int around =
                    "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$123456\r\n\r\n".length()
                            + "*3\r\n$7\r\nPUBLISH\r\n$11\r\nonehop:wait\r\n$0\r\n\r\n".length();
            pipeline.set("key", "x".repeat(BatchExchange.WINDOW_BYTES - around));
            Response<Long> replicas = pipeline.waitReplicas("key", 1, 1);
            assertThrows(NodeDown.class, pipeline::sync);
            assertThrows(NodeDown.class, replicas::get);
            assertEquals(List.of(), seen);
        }
    }

    /* ---- Split commands ---- */

    @Test
    void theFailureOfASplitWriteSaysWhichPartsWereExecuted() {
        try (OneHopClient redis = withTwoHealthy(Nodes.refusing(), 30_000)) {
            String[] keys = keys(redis, 5);
            String[] pairs = Nodes.pairs(key -> "v", keys);
            PartialBatch written = assertThrows(PartialBatch.class, () -> redis.mset(pairs));
            for (int i = 0; i < keys.length; i++) {
                assertEquals(
                        isSick(redis, keys[i]) ? written.getFailures().get("sick") : "OK",
                        written.getReplies().get(i));
            }
            PartialBatch deleted = assertThrows(PartialBatch.class, () -> redis.del(keys));
            assertEquals(List.of(10L), deleted.getReplies());
        }
    }

    @Test
    void aSplitCommandWithoutAnyReplyThrowsTheFailureItself() {
        try (OneHopClient redis = withTwoHealthy(Nodes.refusing(), 30_000)) {
            String[] sick = Nodes.keysOn(redis, "sick").limit(3).toArray(String[]::new);
            assertEquals("sick", assertThrows(NodeDown.class, () -> redis.mget(sick)).getNode());
        }
    }

    @Test
    void ofSeveralFailuresTheOneWhoseCommandMayHaveRunIsThrown() {
        ScriptedNode.Script script = talk -> talk.handshake().command();
        try (ScriptedNode closing = ScriptedNode.start(script);
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(
                                        Nodes.refusing() + " a",
                                        closing.server() + " b",
                                        Nodes.refusing() + " c"))) {
            String[] pairs =
                    Stream.of("a", "b", "c")
                            .flatMap(node -> Stream.of(Nodes.keyOn(redis, node), "v"))
                            .toArray(String[]::new);
            NodeDown failure = assertThrows(NodeDown.class, () -> redis.mset(pairs));
            assertEquals("b", failure.getNode());
            assertTrue(failure.mayHaveExecuted());
        }
    }

    @Test
    void aReadThatWasSentBeforeItsRetryFailedMayHaveRun() {
        ScriptedNode.Script script =
                talk -> {
                    if (talk.number() > 1) {
                        talk.command();
                        talk.send("-NOAUTH since just now\r\n").awaitClose();
                    }
                    talk.handshake().command();
                    talk.bulk("served").command();
                };
        for (boolean single : new boolean[] {true, false}) {
            try (ScriptedNode node = ScriptedNode.start(script);
                    OneHopClient redis = withTwoHealthy(node.server(), 30_000)) {
                String key = Nodes.keyOn(redis, "sick");
                assertEquals("served", redis.get(key));
                AbstractPipeline pipeline = redis.pipelined();
                Response<String> reply = pipeline.get(key);
                assertTrue(
                        assertThrows(NodeDown.class, single ? () -> redis.get(key) : pipeline::sync)
                                .mayHaveExecuted());
                assertTrue(single || assertThrows(NodeDown.class, reply::get).mayHaveExecuted());
                assertEquals(2, node.connections());
            }
        }
    }

    @Test
    void aSplitCommandInAPipelineFailsInItsOwnResponse() {
        try (OneHopClient redis = withTwoHealthy(Nodes.refusing(), 30_000)) {
            String[] keys = keys(redis, 10);
            write(redis, keys);
            String healthy = Nodes.keyOn(redis, two.node());
            AbstractPipeline pipeline = redis.pipelined();
            Response<List<String>> split = pipeline.mget(keys);
            Response<String> single = pipeline.get(healthy);
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            PartialBatch own = assertThrows(PartialBatch.class, split::get);
            assertSame(own, failure.getReplies().get(0));
            assertEquals(Set.of("sick"), own.getFailures().keySet());
            assertEquals(keys.length, own.getReplies().size());
            assertEquals("value of " + healthy, single.get());
        }
    }

    @Test
    void aNodesReplyOfTheWrongTypeIsAProtocolViolation() {
        for (String wrong : List.of("*1\r\n$1\r\nx\r\n", ":1\r\n", "+OK\r\n", "*-1\r\n")) {
            ScriptedNode.Script script =
                    talk -> {
                        talk.handshake().command();
                        talk.send(wrong).awaitClose();
                    };
            try (ScriptedNode node = ScriptedNode.start(script);
                    OneHopClient redis = withTwoHealthy(node.server(), 30_000)) {
                String[] keys = keys(redis, 3);
                PartialBatch failure = assertThrows(PartialBatch.class, () -> redis.mget(keys));
                assertInstanceOf(ProtocolViolation.class, failure.getFailures().get("sick"));
            }
        }
    }

    private static void answering(
            String one,
            String other,
            Class<? extends OneHopException> failure,
            Consumer<OneHopClient> call) {
        List<ScriptedNode> nodes =
                Stream.of(one, other)
                        .map(
                                answer ->
                                        ScriptedNode.start(
                                                talk -> {
                                                    talk.handshake().command();
                                                    talk.send(answer).awaitClose();
                                                }))
                        .toList();
        try (OneHopClient redis = Inspected.clientOf(nodes.stream())) {
            assertThrows(failure, () -> call.accept(redis), one + other);
            Inspected.assertNothingLeased(redis);
        } finally {
            nodes.forEach(ScriptedNode::close);
        }
    }

    @Test
    void repliesThatCanNotBecomeOneFailTheCall() {
        answering("*1\r\n$1\r\na\r\n", "$1\r\nb\r\n", Unsupported.class, redis -> redis.keys("*"));
        answering("$1\r\nb\r\n", "*1\r\n$1\r\na\r\n", Unsupported.class, redis -> redis.keys("*"));
        answering(":1\r\n", "*0\r\n", Unsupported.class, OneHopClient::dbSize);
        answering(
                "*2\r\n:1\r\n:1\r\n",
                "*1\r\n:1\r\n",
                Unsupported.class,
                redis -> redis.scriptExists(List.of("one", "other")));
        answering("$-1\r\n", "$-1\r\n", ProtocolViolation.class, OneHopClient::functionKill);
    }

    /* ---- All nodes are down ---- */

    @Test
    void ifAllNodesAreDownTheFirstFailureIsThrownAndTheClientRecoversByItself() {
        int port = Processes.freePort();
        try (OneHopClient redis =
                Nodes.clientOf(Stream.of("127.0.0.1:" + port + ":1", Nodes.refusing()))) {
            String[] keys =
                    Nodes.keysOn(redis, "127.0.0.1:" + port).limit(5).toArray(String[]::new);
            String other =
                    Nodes.keyOn(
                            redis,
                            redis.topology().nodes().stream()
                                    .map(Node::name)
                                    .filter(name -> !name.endsWith(":" + port))
                                    .findFirst()
                                    .orElseThrow());
            NodeDown failure = assertThrows(NodeDown.class, () -> redis.mget(keys[0], other));
            assertEquals(redis.topology().nodes().get(0).name(), failure.getNode());
            try (RedisServer back = RedisServer.startOn(port)) {
                assertEquals("127.0.0.1:" + port, back.node());
                // The node must have rested before.
                assertTrue(Callers.holdsSoon(() -> Inspected.rested(redis, back.node())));
                assertEquals(Arrays.asList(null, null), redis.mget(keys[0], keys[1]));
            }
        }
    }

    @Test
    void commandsThatTheWindowHeldBackWereNotSent() {
        try (RedisServer sick = RedisServer.start();
                OneHopClient redis = withTwoHealthy(sick.server(), 3000)) {
            String key = Nodes.keyOn(redis, "sick");
            Callers.answered(() -> redis.set(key, "0"));
            sick.freeze();
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<Long>> replies =
                    IntStream.range(0, 100_000).mapToObj(i -> pipeline.incr(key)).toList();
            DeadlineExceeded failure = assertThrows(DeadlineExceeded.class, pipeline::sync);
            assertTrue(failure.mayHaveExecuted());
            long maybe =
                    replies.stream()
                            .filter(
                                    reply ->
                                            assertThrows(DeadlineExceeded.class, reply::get)
                                                    .mayHaveExecuted())
                            .count();
            assertTrue(maybe > 1000 && maybe < 10_000, "may have run: " + maybe);
            sick.thaw();
            Processes.pause(300);
            long executed = Long.parseLong(Callers.answered(() -> redis.get(key)));
            assertTrue(executed <= maybe, executed + " ran, " + maybe + " may have");
        }
    }
}
