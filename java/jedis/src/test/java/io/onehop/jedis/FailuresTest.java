package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;
import io.onehop.jedis.lab.SilentAddress;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Everything that can go wrong with one command on one node: the kind of failure, the node, whether
 * the command may have run, and no long delay after the deadline.
 */
class FailuresTest {
    private static final int TIMEOUT_MS = 300;
    private static final int PATIENT_MS = 30_000;
    /*
     * A call that would wait for ever, or for some seconds more than it should, must have ended
     * long before this limit, which leaves time for a loaded machine.
     */
    private static final long MUCH_LATER_MS = 15_000;

    /** For failures other than deadlines: its timeout is long enough on any machine. */
    private static OneHopClient client(String server, String... directives) {
        return client(PATIENT_MS, server, directives);
    }

    /** For calls that end at the deadline: its timeout is short. */
    private static OneHopClient hurriedClient(String server, String... directives) {
        return client(TIMEOUT_MS, server, directives);
    }

    private static OneHopClient client(int timeoutMs, String server, String... directives) {
        String[] all =
                Stream.concat(Stream.of("timeout: " + timeoutMs), Stream.of(directives))
                        .toArray(String[]::new);
        return Nodes.clientOf(Stream.of(server), all);
    }

    private static <T extends OneHopException> T fails(
            Class<T> kind, String node, boolean mayHaveExecuted, Executable call) {
        T failure = failsInTime(kind, call);
        // A busy machine may reach the deadline before it sends the command.
        for (int i = 0; i < 5 && mayHaveExecuted && !failure.mayHaveExecuted(); i++) {
            failure = failsInTime(kind, call);
        }
        assertEquals(node, failure.getNode(), failure.getMessage());
        assertEquals(mayHaveExecuted, failure.mayHaveExecuted(), failure.getMessage());
        assertSays(", node " + node, failure);
        assertSays("server pool alpha: the command ", failure);
        return failure;
    }

    private static <T extends OneHopException> T failsInTime(Class<T> kind, Executable call) {
        long begin = System.nanoTime();
        T failure = assertThrows(kind, call);
        long ms = (System.nanoTime() - begin) / 1_000_000;
        assertTrue(ms < MUCH_LATER_MS, "took " + ms + " ms");
        return failure;
    }

    /**
     * Makes two calls over one connection. The node answers the first. For the second it runs
     * {@code then}.
     */
    private static void endsAtTheDeadline(ScriptedNode.Script then) {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.bulk("first").command();
                    then.talk(talk);
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = hurriedClient(node.server())) {
            assertEquals("first", Callers.answered(() -> redis.get("key")));
            fails(DeadlineExceeded.class, node.node(), true, () -> redis.incr("key"));
        }
    }

    /* ---- On the way to the node ---- */

    @Test
    void aRefusedConnectionIsNodeDownAndNothingWasSent() {
        int port = Processes.freePort();
        try (OneHopClient redis = client("127.0.0.1:" + port + ":1 lost")) {
            NodeDown failure =
                    fails(NodeDown.class, "lost", false, () -> redis.set("key", "value"));
            assertBegins(
                    "Connection refused while connecting, node lost (127.0.0.1:"
                            + port
                            + "), server pool alpha: "
                            + "the command was not sent; ",
                    failure);
        }
    }

    @Test
    void aCallToANodeWithAFullBacklogEndsAtTheDeadlineAndNothingWasSent() throws IOException {
        try (SilentAddress full = SilentAddress.at("127.0.0.1", 0);
                OneHopClient redis = hurriedClient("127.0.0.1:" + full.port() + ":1")) {
            String node = "127.0.0.1:" + full.port();
            fails(DeadlineExceeded.class, node, false, () -> redis.get("key"));
        }
    }

    @Test
    void aCallToANodeThatAcceptsAndNeverAnswersEndsAtTheDeadlineAndNothingWasSent() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis = hurriedClient(node.server())) {
            fails(DeadlineExceeded.class, node.node(), false, () -> redis.incr("key"));
        }
    }

    @Test
    void aNameThatDoesNotResolveIsAFailureOfItsNodeAndNothingWasSent() {
        try (OneHopClient redis = hurriedClient("no-such-host.invalid:6379:1")) {
            OneHopException failure =
                    fails(
                            OneHopException.class,
                            "no-such-host.invalid:6379",
                            false,
                            () -> redis.get("key"));
            assertTrue(
                    failure instanceof NodeDown || failure instanceof DeadlineExceeded,
                    failure.toString());
        }
    }

    @Test
    void aNodeIsReachedByItsHostName() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = client("localhost:" + server.port() + ":1")) {
            assertEquals("OK", redis.set("key", "value"));
        }
    }

    /* ---- During the exchange ---- */

    @Test
    void aCallToAHungNodeEndsAtTheDeadlineAndTheCommandMayHaveRun() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = hurriedClient(server.server())) {
            Callers.answered(() -> redis.set("count", "1"));
            server.freeze();
            DeadlineExceeded failure =
                    fails(DeadlineExceeded.class, server.node(), true, () -> redis.incr("count"));
            assertBegins("No answer within 300 ms, node ", failure);
            fails(DeadlineExceeded.class, server.node(), false, () -> redis.incr("count"));
            server.thaw();
            assertEquals(
                    "2",
                    Callers.answered(() -> redis.get("count")), // At first the node still rests.
                    "the first INCR was executed, the second was not sent");
        }
    }

    @Test
    void aCallWithAHugeReplyThatNeverPausesEndsAtTheDeadline() {
        // To decode these elements takes longer than to send them.
        byte[] million = ":1234567890123456789\r\n".repeat(1_000_000).getBytes();
        endsAtTheDeadline(
                talk -> {
                    talk.send("*16000000\r\n");
                    for (int i = 0; i < 16; i++) {
                        talk.send(million);
                    }
                });
    }

    @Test
    void aCallToANodeThatStopsReadingEndsAtTheDeadlineWhileWriting() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.bulk("first");
                    Processes.pause(20_000);
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = hurriedClient(node.server())) {
            assertEquals("first", Callers.answered(() -> redis.get("key")));
            byte[] large = new byte[64_000_000];
            fails(
                    DeadlineExceeded.class,
                    node.node(),
                    true,
                    () -> redis.set(new byte[] {1}, large));
        }
    }

    @Test
    void announcedElementsTakeNoMemoryBeforeTheyArrive() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        endsAtTheDeadline(talk -> talk.send("*16000000\r\n".repeat(100)).awaitClose());
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;
        assertTrue(
                allocated < 10_000_000,
                "allocated " + allocated + " bytes for 100 lists of 16 million elements");
    }

    @Test
    void textOfTheNodeIsEscapedAndCutInMessages() {
        ScriptedNode.Script script =
                talk -> {
                    talk.command();
                    talk.send("-WRONGPASS \"\u0007\\ " + "x".repeat(1000) + "\r\n").awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = client(node.server(), "redis_auth: a-secret")) {
            ConfigInvalid failure =
                    fails(ConfigInvalid.class, node.node(), false, () -> redis.get("key"));
            assertSays("WRONGPASS \\x22\\x07\\x5c xxx", failure);
            assertTrue(failure.getMessage().length() < 500, failure.getMessage());
            assertFalse(failure.getMessage().contains("a-secret"), failure.getMessage());
        }
    }

    @Test
    void anInterruptedThreadStopsWaitingAndKeepsItsFlag() {
        Thread waiting = Thread.currentThread();
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    if (talk.bulk("first").command() != null) {
                        waiting.interrupt();
                    }
                    talk.awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = client(node.server(), "pool_size: 1")) {
            assertEquals("first", redis.get("key"));
            DeadlineExceeded failure =
                    fails(DeadlineExceeded.class, node.node(), true, () -> redis.incr("key"));
            assertBegins("The calling thread was interrupted", failure);
            assertTrue(Thread.interrupted());
            assertEquals("first", redis.get("key"));
        }
    }

    @Test
    void aThreadInterruptedBeforehandSendsNothing() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = client(server.server())) {
            redis.set("count", "1");
            Thread.currentThread().interrupt();
            fails(DeadlineExceeded.class, server.node(), false, () -> redis.incr("count"));
            fails(DeadlineExceeded.class, server.node(), false, () -> redis.mget("count", "other"));
            assertTrue(Thread.interrupted());
            assertEquals("1", redis.get("count"));
        }
    }

    @Test
    void aTimeoutOf0MeansNoDeadline() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    Processes.pause(2500); // Longer than the default.
                    talk.bulk("at last").command();
                    talk.bulk("again").awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("timeout: 0")) {
            assertEquals("at last", redis.get("key"));
            try (AbstractPipeline pipeline = redis.pipelined()) {
                Response<String> reply = pipeline.get("key");
                pipeline.sync();
                assertEquals("again", reply.get());
            }
        }
    }

    /* ---- Never again over the same connection ---- */

    @Test
    void twoRepliesToOneCommandReachNoOtherCommand() throws InterruptedException {
        for (int pause : new int[] {0, 50}) {
            CountDownLatch isSent = new CountDownLatch(1);
            ScriptedNode.Script script =
                    talk -> {
                        talk.handshake();
                        for (List<String> command : talk.commands()) {
                            String value = "value of " + command.get(1);
                            if (command.get(1).equals("twice") && pause == 0) {
                                talk.send(
                                        ("$" + value.length() + "\r\n" + value + "\r\n").repeat(2));
                            } else {
                                talk.bulk(value);
                            }
                            if (command.get(1).equals("twice") && pause > 0) {
                                Processes.pause(pause);
                                talk.bulk("surplus");
                            }
                            isSent.countDown();
                        }
                    };
            try (ScriptedNode node = ScriptedNode.start(script);
                    OneHopClient redis = client(node.server())) {
                assertEquals("value of twice", redis.get("twice"));
                isSent.await();
                assertEquals("value of next", redis.get("next"));
                assertEquals(2, node.connections());
            }
        }
    }

    @Test
    void aReadIsRetriedIfItsIdleConnectionWasClosed() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode node = closingAtTheSecond(seen);
                OneHopClient redis = client(node.server())) {
            assertEquals("value of a", redis.get("a"));
            assertEquals("value of b", redis.get("b"));
            assertEquals(List.of("GET a", "GET b", "GET b"), seen);
        }
    }

    @Test
    void aWriteIsNeverRetried() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        try (ScriptedNode node = closingAtTheSecond(seen);
                OneHopClient redis = client(node.server())) {
            assertEquals("value of a", redis.get("a"));
            fails(NodeDown.class, node.node(), true, () -> redis.incr("b"));
            assertEquals(List.of("GET a", "INCR b"), seen);
        }
    }

    private static ScriptedNode closingAtTheSecond(List<String> seen) {
        return ScriptedNode.start(
                talk -> {
                    talk.handshake();
                    int commands = 0;
                    for (List<String> command : talk.commands()) {
                        seen.add(command.get(0) + " " + command.get(1));
                        if (++commands == 2 && talk.number() == 1) {
                            return;
                        }
                        talk.bulk("value of " + command.get(1));
                    }
                });
    }

    @Test
    void retriesStopWhenTheyAreATenthOfTheTraffic() {
        AtomicInteger reads = new AtomicInteger();
        // Every connection serves one command and is closed during the second.
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    reads.incrementAndGet();
                    talk.bulk("served").command();
                    reads.incrementAndGet();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = client(node.server())) {
            int failures = 0;
            for (int i = 0; i < 300; i++) {
                try {
                    assertEquals("served", redis.get("key"));
                } catch (NodeDown stopped) {
                    failures++;
                }
            }
            int retries = reads.get() - 300;
            assertTrue(retries >= 10 && retries <= 10 + 30, "retries: " + retries);
            assertTrue(failures > 50, "failures: " + failures);
        }
    }

    @Test
    void anExceptionOfTheCommandsOwnBuilderIsPassedOnAndItsConnectionClosed() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = client(server.server())) {
            redis.set("key", "value");
            CommandArguments get = new CommandArguments(Command.GET).key("key");
            assertThrows(
                    ClassCastException.class,
                    () -> redis.executeCommand(new CommandObject<>(get, BuilderFactory.LONG)));
            assertEquals("value", redis.get("key"));
        }
    }

    @Test
    void everyFailureIsAJedisException() {
        try (OneHopClient redis = client(Nodes.refusing())) {
            assertInstanceOf(
                    JedisException.class,
                    assertThrows(RuntimeException.class, () -> redis.get("key")));
        }
    }
}
