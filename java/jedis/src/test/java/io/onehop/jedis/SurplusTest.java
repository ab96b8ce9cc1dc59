package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.LyingCluster;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Response;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A node that sends one reply of a batch twice. It answers a batch in one write, as redis does.
 * Either every value of the batch is right, or the batch fails.
 */
class SurplusTest {
    private static final String PATIENT = "timeout: 60000\n  server_failure_limit: 16383";

    /* At how many positions of a batch a reply is sent twice: at all of them if this is large. */
    private static final int POSITIONS = Integer.getInteger("onehop.test.positions", 12);

    /** Answers whole batches. Sends the reply at {@code position} twice, or none if it is -1. */
    private static final class Doubling {
        private final Map<Object, List<String>> answers = new ConcurrentHashMap<>();
        private volatile int position = -1;
        private volatile int lateMs = -1;
        private final int count; // Commands of a batch; 0: those that arrive together.

        private Doubling(int count) {
            this.count = count;
        }

        /** Adds an answer. Returns all answers if the whole batch was read, otherwise nothing. */
        private String add(ScriptedNode.Talk talk, String answer) throws IOException {
            List<String> batch = answers.computeIfAbsent(talk, any -> new ArrayList<>());
            batch.add(answer);
            if (count == 0 ? talk.arrived() > 0 : batch.size() < count) {
                return "";
            }
            answers.remove(talk);
            if (lateMs >= 0) {
                talk.send(String.join("", batch));
                Processes.pause(lateMs);
                return batch.get(batch.size() - 1);
            }
            if (position >= 0 && position < batch.size()) {
                batch.add(position, batch.get(position));
            }
            return String.join("", batch);
        }

        private ScriptedNode node() {
            return ScriptedNode.start(
                    talk -> {
                        talk.handshake();
                        for (List<String> command : talk.commands()) {
                            talk.send(add(talk, answer(command)));
                        }
                    });
        }

        private LyingCluster cluster() {
            LyingCluster cluster = new LyingCluster(2);
            cluster.behave(
                    (node, command, talk) ->
                            List.of("PING", "CLUSTER").contains(command.get(0))
                                    ? null
                                    : add(talk, answer(command)));
            return cluster;
        }
    }

    private static String answer(List<String> command) {
        if (!command.get(0).equals("MGET")) {
            return LyingCluster.bulk("value of " + command.get(1));
        }
        StringBuilder values = new StringBuilder("*" + (command.size() - 1) + "\r\n");
        command.stream().skip(1).forEach(k -> values.append(LyingCluster.bulk("value of " + k)));
        return values.toString();
    }

    private static int[] positions(int count) {
        int step = Math.max(1, count / POSITIONS);
        return IntStream.range(0, count).filter(i -> i % step == 0 || i >= count - 2).toArray();
    }

    private static List<String> keys(int count) {
        return List.of(Nodes.keys(count));
    }

    private static List<String> values(List<String> keys) {
        return keys.stream().map("value of "::concat).toList();
    }

    /** True if the batch failed. Requires that every value that came is right. */
    private static boolean fails(OneHopClient redis, List<String> keys) {
        AbstractPipeline pipeline = redis.pipelined();
        List<Response<String>> replies = keys.stream().map(pipeline::get).toList();
        boolean hasFailed = false;
        try {
            pipeline.sync();
        } catch (ProtocolViolation | PartialBatch violation) {
            hasFailed = true;
        }
        for (int i = 0; i < keys.size(); i++) {
            try {
                assertEquals("value of " + keys.get(i), replies.get(i).get());
            } catch (ProtocolViolation each) {
                assertTrue(hasFailed && each.mayHaveExecuted());
            }
        }
        return hasFailed;
    }

    private static void mget(OneHopClient redis, List<String> keys) {
        PartialBatch failure = null;
        try {
            assertEquals(values(keys), redis.mget(keys.toArray(String[]::new)));
        } catch (PartialBatch partial) {
            failure = partial;
        } catch (ProtocolViolation violation) {
            assertTrue(violation.mayHaveExecuted());
        }
        for (int i = 0; failure != null && i < keys.size(); i++) {
            Object reply = failure.getReplies().get(i);
            assertTrue(reply instanceof ProtocolViolation || reply.equals(values(keys).get(i)));
        }
    }

    /* ---- Somewhere in the batch ---- */

    @ParameterizedTest
    @ValueSource(ints = {2, 50, 1000})
    void aReplyTooManyInABatchFailsAllCommandsOfTheNode(int count) {
        Doubling doubling = new Doubling(count);
        try (ScriptedNode node = doubling.node();
                OneHopClient redis = node.client(PATIENT)) {
            assertFalse(fails(redis, keys(count)));
            for (int position : positions(count)) {
                doubling.position = position;
                assertTrue(fails(redis, keys(count)), "at " + position);
            }
            Inspected.assertNothingLeased(redis);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 50, 1000})
    void aReplyTooManyInABatchOfAClusterFailsAllCommandsOfTheNode(int count) {
        Doubling doubling = new Doubling(0);
        try (LyingCluster cluster = doubling.cluster();
                OneHopClient redis = cluster.client(PATIENT)) {
            assertFalse(fails(redis, keys(count)));
            mget(redis, keys(count));
            for (int position : positions(count)) {
                doubling.position = position;
                fails(redis, keys(count));
                mget(redis, keys(count));
            }
            doubling.position = 0;
            assertTrue(fails(redis, keys(count)));
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void aReplyTooManyBehindAFullBufferIsNoticed() {
        // The replies fill exactly what one read takes. One reply too many follows.
        String value = "x".repeat((1 << 14) - "$16376\r\n\r\n".length());
        String reply = "$" + value.length() + "\r\n" + value + "\r\n";
        assertEquals(1 << 14, reply.length());
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.command();
                    talk.send(reply + reply + reply).awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client(PATIENT)) {
            AbstractPipeline pipeline = redis.pipelined();
            List<Response<String>> replies = List.of(pipeline.get("a"), pipeline.get("b"));
            assertThrows(ProtocolViolation.class, pipeline::sync);
            replies.forEach(each -> assertThrows(ProtocolViolation.class, each::get));
        }
    }

    @Test
    void repliesBeforeTheEndOfAConnectionAreNotBelieved() {
        AtomicInteger served = new AtomicInteger();
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    for (List<String> command : talk.commands()) {
                        if (served.incrementAndGet() == 2) { // The batch's first command.
                            talk.send(answer(command).repeat(2)).end();
                            return;
                        }
                        talk.send(answer(command));
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client(PATIENT)) {
            redis.get("any");
            assertFalse(fails(redis, keys(3))); // The batch only reads, so it is sent once more.
            assertEquals(2, node.connections());
        }
    }

    /* ---- Between two batches ---- */

    @ParameterizedTest
    @ValueSource(ints = {2, 50, 1000})
    void aReplyTooManyThatComesLaterNeverReachesTheNextBatch(int count) {
        Doubling doubling = new Doubling(count);
        doubling.lateMs = 1;
        try (ScriptedNode node = doubling.node();
                OneHopClient redis = node.client(PATIENT)) {
            for (int i = 0; i < 30; i++) {
                fails(redis, keys(count));
            }
        }
    }

    /* ---- Transactions ---- */

    @Test
    void aReplyTooManyInATransactionFailsIt() {
        String[] answers = {
            "+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n$1\r\na\r\n$1\r\nb\r\n"
        };
        for (int position = 0; position < answers.length; position++) {
            String[] sent = answers.clone();
            sent[position] += position == 3 ? "$1\r\nb\r\n" : sent[position];
            assertInstanceOf(ProtocolViolation.class, executed(sent));
        }
        assertEquals(List.of("a", "b"), executed(answers));
    }

    /** What a transaction of two commands returns or throws. */
    private static Object executed(String... answers) {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.send(answers[0]);
                    for (int i = 1; i < answers.length; i++) {
                        talk.command();
                    }
                    talk.send(String.join("", Arrays.asList(answers).subList(1, 4))).awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client(PATIENT);
                AbstractTransaction transaction = redis.multi()) {
            Response<String> value = transaction.get("a");
            transaction.get("b");
            try {
                return transaction.exec();
            } catch (ProtocolViolation violation) {
                assertThrows(ProtocolViolation.class, value::get);
                return violation;
            }
        }
    }
}
