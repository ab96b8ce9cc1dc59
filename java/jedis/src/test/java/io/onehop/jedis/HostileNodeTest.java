package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.ScriptedNode.Talk;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A node that sends wrong bytes at every place where it can, in answer to single commands,
 * pipelines and split commands. These bytes never become a value.
 */
@ExtendWith(NoSecondTry.class)
class HostileNodeTest {
    /* The timeouts of these tests are 2 s or 30 s: a call beyond this limit hangs. */
    private static final long IN_TIME_MS = 20_000;

    private static <T extends OneHopException> T fails(
            Class<T> type, String node, boolean mayHaveExecuted, Executable command) {
        long begin = System.nanoTime();
        T failure = assertThrows(type, command);
        long ms = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(ms < IN_TIME_MS, "took " + ms + " ms");
        assertEquals(type.getSimpleName(), failure.getKind().label());
        assertEquals(node, failure.getNode());
        assertEquals(mayHaveExecuted, failure.mayHaveExecuted(), failure.getMessage());
        String phrase = mayHaveExecuted ? "(may have executed|was answered)" : "was not sent";
        assertTrue(
                failure.getMessage()
                        .matches(
                                ".+, node \\S+( \\(\\S+\\))?, server pool alpha: the command "
                                        + phrase
                                        + "; .+"),
                failure.getMessage());
        return failure;
    }

    private static <T extends OneHopException> T fails(
            Class<T> type, ScriptedNode node, boolean mayHaveExecuted, Executable command) {
        return fails(type, node.node(), mayHaveExecuted, command);
    }

    /**
     * A node that completes the handshake, reads one command, acts on it, and then waits until the
     * client closes.
     */
    private static ScriptedNode nodeThat(ScriptedNode.Script answers) {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    if (talk.command() != null) {
                        answers.talk(talk);
                        talk.awaitClose();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"handshake", "reply", "large reply"})
    void aNodeThatDripsIsCutOffAtTheDeadline(String what) {
        ScriptedNode.Script script =
                talk -> {
                    if (!what.equals("handshake")) {
                        talk.handshake().command();
                        talk.bulk("at once");
                    }
                    talk.command();
                    drip(talk, what.startsWith("large") ? 1_000_000 : 1000);
                };
        boolean isSent = !what.equals("handshake");
        List<Consumer<OneHopClient>> calls =
                List.of(
                        redis -> redis.get("key"),
                        redis -> redis.mget("key", "other"),
                        redis -> {
                            AbstractPipeline pipeline = redis.pipelined();
                            pipeline.get("key");
                            pipeline.sync();
                        });
        for (Consumer<OneHopClient> call : calls) {
            try (ScriptedNode node = ScriptedNode.start(script);
                    OneHopClient redis = node.client("timeout: 2000")) {
                if (isSent) { // A busy machine may be too late with a new connection.
                    assertEquals("at once", Callers.answered(() -> redis.get("key")));
                }
                fails(DeadlineExceeded.class, node, isSent, () -> call.accept(redis));
                Inspected.assertNothingLeased(redis);
            }
        }
    }

    /**
     * Sends one byte, or a small part of a large reply, every 10 ms. The whole reply would take
     * some 10 s.
     */
    private static void drip(Talk talk, int size) throws IOException {
        talk.send("$" + size + "\r\n");
        for (int i = 0; i < 1000; i++) {
            talk.send("x".repeat(size / 1000));
            Processes.pause(10);
        }
    }

    /* ---- Half an answer ---- */

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReplyCutAtAnyByteNeverSurfaces(boolean byReset) {
        String reply = "*2\r\n$5\r\nhello\r\n$-1\r\n";
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake().command();
                                    talk.send(reply.substring(0, (talk.number() - 1) / 3));
                                    if (byReset) {
                                        talk.reset();
                                    }
                                });
                OneHopClient redis = node.client(Inspected.NEVER_RESTING)) {
            for (int cut = 0; cut < reply.length(); cut++) {
                fails(NodeDown.class, node, true, () -> redis.lrange("key", 0, -1));
                fails(NodeDown.class, node, true, () -> redis.mget("key", "other"));
                AbstractPipeline pipeline = redis.pipelined();
                pipeline.lrange("key", 0, -1);
                fails(NodeDown.class, node, true, pipeline::sync);
            }
            assertEquals(3 * reply.length(), node.connections());
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void aReplyThatComesByteByByteIsReadLikeAnyOther() {
        String reply = "*3\r\n$5\r\nhello\r\n$-1\r\n$0\r\n\r\n";
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    while (talk.command() != null) {
                                        for (char each : reply.toCharArray()) {
                                            talk.send(String.valueOf(each));
                                            Processes.pause(1);
                                        }
                                    }
                                });
                OneHopClient redis = node.client()) {
            List<String> expected = new ArrayList<>(List.of("hello", "?", ""));
            expected.set(1, null);
            assertEquals(expected, redis.lrange("key", 0, -1));
            assertEquals(expected, redis.mget("a", "b", "c"));
            assertEquals(1, node.connections());
        }
    }

    /* ---- What is not an answer ---- */

    static Stream<String> garbage() {
        return Stream.of(
                "$-2\r\n",
                "*-5\r\n",
                "$+3\r\nabc\r\n",
                "$ 3\r\nabc\r\n",
                "$03\r\nabc\r\n",
                "$\r\n",
                "$abc\r\n",
                "$-01\r\n",
                "$2147483648\r\n",
                "$9223372036854775808\r\n",
                "$99999999999999999999\r\n",
                "$536870913\r\n",
                "*2147483647\r\n",
                "*16777217\r\n",
                "$3\r\nabcXX",
                ":12\n",
                "!5\r\nERR x\r\n",
                "$3\r\nabcd\r\n",
                "+OK\nmore\r\n",
                "*1\r\n".repeat(200_000),
                "-" + "x".repeat(70_000) + "\r\n",
                "HTTP/1.1 400 Bad Request\r\n\r\n",
                "\0\0\0\0",
                "$?\r\n;1\r\na\r\n;0\r\n",
                ">2\r\n+message\r\n+x\r\n$1\r\nx\r\n",
                "|1\r\n+a\r\n+b\r\n$1\r\nx\r\n",
                "-MOVED\r\n",
                "-MOVED x y\r\n",
                "-ASK 1 :\r\n");
    }

    @ParameterizedTest
    @MethodSource("garbage")
    void garbageNeverBecomesAValueAndItsConnectionIsClosed(String bytes) {
        try (ScriptedNode node =
                        nodeThat(
                                talk -> {
                                    talk.send(bytes);
                                });
                OneHopClient redis = node.client(Inspected.NEVER_RESTING)) {
            // A strange redirect is either the node's error or a violation.
            if (bytes.startsWith("-") && bytes.length() < 1000) {
                assertThrows(JedisException.class, () -> redis.get("key"));
                return;
            }
            assertBegins(
                    "The node violated the protocol (",
                    fails(ProtocolViolation.class, node, true, () -> redis.get("key")));
            fails(ProtocolViolation.class, node, true, () -> redis.mget("key", "other"));
            AbstractPipeline pipeline = redis.pipelined();
            Response<String> reply = pipeline.get("key");
            fails(ProtocolViolation.class, node, true, pipeline::sync);
            assertThrows(ProtocolViolation.class, reply::get);
            assertEquals(3, node.connections());
            Inspected.assertNothingLeased(redis);
        }
    }

    @Test
    void garbageInsteadOfAHandshakeMeansThatNothingWasSent() {
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.send("SSH-2.0-OpenSSH_9.2\r\n");
                                    talk.awaitClose();
                                });
                OneHopClient redis = node.client()) {
            fails(ProtocolViolation.class, node, false, () -> redis.set("key", "value"));
            fails(
                    ProtocolViolation.class,
                    node,
                    false,
                    () -> redis.mset("key", "value", "other", "value"));
        }
    }

    /* ---- More answers than questions ---- */

    /**
     * Answers each command with the value of its key, so that a swapped reply is noticed. After the
     * first command of the first connection, runs {@code surplus}.
     */
    private static ScriptedNode nodeThatAdds(ScriptedNode.Script surplus) {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    List<String> command = talk.command();
                    for (int i = 0; command != null; i++) {
                        talk.bulk("value of " + command.get(1));
                        if (i == 0 && talk.number() == 1) {
                            surplus.talk(talk);
                        }
                        command = talk.command();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"$6\r\nstolen\r\n", "$6\r\nsto", "$", "\r\n", ">2\r\n+message\r\n+x\r\n"})
    void aReplyThatWasSentBeforeTheCommandIsNeverTakenForItsReply(String early)
            throws InterruptedException {
        CountDownLatch isRead = new CountDownLatch(1);
        CountDownLatch isSent = new CountDownLatch(1);
        try (ScriptedNode node =
                        nodeThatAdds(
                                talk -> {
                                    Callers.await(isRead);
                                    talk.send(early);
                                    isSent.countDown();
                                });
                OneHopClient redis = node.client()) {
            assertEquals("value of a", redis.get("a"));
            isRead.countDown();
            isSent.await();
            assertEquals("value of b", redis.get("b"));
            assertEquals("value of c", redis.get("c"));
            assertEquals(2, node.connections());
        }
    }

    @Test
    void pipelinesAndSplitCommandsNoticeAReplyThatWasSentBeforeTheCommandToo()
            throws InterruptedException {
        for (boolean isSplit : new boolean[] {false, true}) {
            CountDownLatch isRead = new CountDownLatch(1);
            CountDownLatch isSent = new CountDownLatch(1);
            try (ScriptedNode node =
                            ScriptedNode.start(
                                    talk -> {
                                        talk.handshake();
                                        for (List<String> command : talk.commands()) {
                                            talk.send(
                                                    command.get(0).equals("MGET")
                                                            ? "*2\r\n+1\r\n+2\r\n"
                                                            : "$1\r\n" + command.get(1) + "\r\n");
                                            if (talk.number() == 1) {
                                                Callers.await(isRead);
                                                talk.send(
                                                        isSplit
                                                                ? "*2\r\n+x\r\n+y\r\n"
                                                                : "$1\r\nX\r\n");
                                                isSent.countDown();
                                            }
                                        }
                                    });
                    OneHopClient redis = node.client()) {
                assertEquals("a", redis.get("a"));
                isRead.countDown();
                isSent.await();
                AbstractPipeline pipeline = redis.pipelined();
                Response<?> reply = isSplit ? pipeline.mget("b", "c") : pipeline.get("b");
                pipeline.sync();
                assertEquals(isSplit ? List.of("1", "2") : "b", reply.get());
                assertEquals(2, node.connections());
            }
        }
    }

    @Test
    void surplusAfterTheHandshakeIsAViolationBeforeAnythingIsSent() {
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.command();
                                    talk.send("+PONG\r\n$6\r\nstolen\r\n");
                                    talk.awaitClose();
                                });
                OneHopClient redis = node.client()) {
            fails(ProtocolViolation.class, node, false, () -> redis.get("key"));
            AbstractPipeline pipeline = redis.pipelined();
            pipeline.get("key");
            fails(ProtocolViolation.class, node, false, pipeline::sync);
        }
    }

    /* ---- What is an answer ---- */

    @Test
    void anErrorReplyIsNoFailureAndTheConnectionStaysOpen() {
        List<String> errors =
                List.of(
                        "LOADING Redis is loading the dataset in memory",
                        "OOM command not allowed",
                        "MISCONF x",
                        "MASTERDOWN x",
                        "NOREPLICAS x",
                        "BUSY x",
                        "WRONGTYPE x",
                        "NOSCRIPT x",
                        "ASK 1 127.0.0.1:1",
                        "CLUSTERDOWN x",
                        "NOAUTH x",
                        "WRONGPASS x",
                        "NOPERM x",
                        "ERR max number of clients reached");
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    for (List<String> command : talk.commands()) {
                                        talk.send(
                                                "-"
                                                        + errors.get(
                                                                Integer.parseInt(command.get(1)))
                                                        + "\r\n");
                                    }
                                });
                OneHopClient redis = node.client()) {
            for (int i = 0; i < errors.size(); i++) {
                String key = String.valueOf(i);
                assertEquals(
                        errors.get(i),
                        assertThrows(JedisDataException.class, () -> redis.get(key)).getMessage());
                AbstractPipeline pipeline = redis.pipelined();
                Response<String> reply = pipeline.get(key);
                pipeline.sync();
                assertEquals(
                        errors.get(i),
                        assertThrows(JedisDataException.class, reply::get).getMessage());
            }
            assertEquals(1, node.connections());
        }
    }

    @Test
    void aPortThatClosesEachConnectionImmediatelyIsNodeDown() throws IOException {
        try (ServerSocket closing = new ServerSocket()) {
            closing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread slammer =
                    new Thread(
                            () -> {
                                try {
                                    while (true) {
                                        closing.accept().close();
                                    }
                                } catch (IOException closed) {
                                    // The test is over.
                                }
                            });
            slammer.setDaemon(true);
            slammer.start();
            String server = "127.0.0.1:" + closing.getLocalPort();
            try (OneHopClient redis = Nodes.clientOf(Stream.of(server + ":1"))) {
                for (int i = 0; i < 200; i++) {
                    fails(NodeDown.class, server, false, () -> redis.set("key", "value"));
                }
                Inspected.assertNothingLeased(redis);
            }
        }
    }
}
