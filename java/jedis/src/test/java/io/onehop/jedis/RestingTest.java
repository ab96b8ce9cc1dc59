package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertEnds;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.health.Health;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisBusyException;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A node that is down rests. Calls to it fail immediately, and say why. One caller at a time probes
 * the node. Failures that say nothing about the node have no effect.
 */
class RestingTest {
    private int attempts; // How many failed calls have asked the node.

    private OneHopException rests(OneHopClient redis, String key) {
        return rests(() -> assertThrows(OneHopException.class, () -> redis.get(key)));
    }

    /** Repeats the call, because on a busy machine a rest may end before the call is made. */
    private OneHopException rests(Supplier<OneHopException> call) {
        OneHopException failure = call.get();
        for (int i = 0;
                i < 20 && !failure.getMessage().startsWith("The node is resting after a failure: ");
                i++) {
            attempts++;
            failure = call.get();
        }
        assertBegins("The node is resting after a failure: ", failure);
        assertFalse(failure.mayHaveExecuted());
        return failure;
    }

    private static boolean isUp(OneHopClient redis, String node) {
        return Health.until(Inspected.pool(redis, node).health().state()) == 0;
    }

    /* ---- Down ---- */

    @Test
    void aNodeThatRefusesRestsAndTheOthersServe() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(server.server() + " well", Nodes.refusing() + " lost"))) {
            String lost = Nodes.keyOn(redis, "lost");
            String well = Nodes.keyOn(redis, "well");
            NodeDown first = assertThrows(NodeDown.class, () -> redis.get(lost));
            attempts = 1;
            assertBegins("Connection refused while connecting, ", first);
            OneHopException failure = rests(redis, lost);
            assertBegins(
                    "The node is resting after a failure: Connection refused while"
                            + " connecting, node lost (127.0.0.1:",
                    failure);
            assertEnds(" ms more; failures in a row: " + attempts + ")", failure);
            assertSays("the command was not sent; ", failure);
            assertInstanceOf(NodeDown.class, failure);
            assertInstanceOf(NodeDown.class, failure.getCause());
            assertEquals("lost", failure.getNode());
            assertEquals("OK", redis.set(well, "value"));
            rests(
                    () -> {
                        AbstractPipeline pipeline = redis.pipelined();
                        Response<String> onLost = pipeline.get(lost);
                        Response<String> onWell = pipeline.get(well);
                        PartialBatch partial = assertThrows(PartialBatch.class, pipeline::sync);
                        assertEquals("value", onWell.get());
                        assertThrows(NodeDown.class, onLost::get);
                        return partial.getFailures().get("lost");
                    });
            assertEquals(attempts, Inspected.pool(redis, "lost").meter().connects());
        }
    }

    @Test
    void aNodeThatReturnsServesAgain() {
        int port = Processes.freePort();
        try (OneHopClient redis = Nodes.clientOf(Stream.of("127.0.0.1:" + port + ":1 n"))) {
            assertThrows(NodeDown.class, () -> redis.get("key"));
            rests(redis, "key");
            try (RedisServer server = RedisServer.startOn(port)) {
                assertEquals(port, server.port());
                assertTrue(Callers.holdsSoon(() -> isAnswered(redis)));
                assertTrue(isUp(redis, "n"));
                assertEquals("OK", redis.set("key", "value"));
            }
        }
    }

    private static boolean isAnswered(OneHopClient redis) {
        try {
            return redis.get("key") == null;
        } catch (OneHopException rests) {
            return false;
        }
    }

    @Test
    void aDeadNodeIsTriedByOneCallerAtATime() throws InterruptedException {
        try (OneHopClient redis = Nodes.clientOf(Stream.of(Nodes.refusing() + " n"))) {
            assertThrows(NodeDown.class, () -> redis.get("key"));
            long begin = System.nanoTime();
            AtomicInteger calls = new AtomicInteger();
            Callers.inThreads(
                    8,
                    number -> {
                        while (System.nanoTime() - begin < 1_300_000_000L) {
                            assertThrows(NodeDown.class, () -> redis.get("key"));
                            calls.incrementAndGet();
                        }
                    });
            long tries = Inspected.pool(redis, "n").meter().connects();
            long ms = (System.nanoTime() - begin) / 1_000_000;
            // The rests take 50, 100 and then 200 ms. Chance varies each of them.
            assertTrue(tries >= 2 && tries <= 4 + ms / 200, tries + " tries in " + ms + " ms");
            assertEquals(1 + calls.get(), Inspected.pool(redis, "n").meter().errors());
        }
    }

    @Test
    void aNodeRestsAfterTwoBrokenExchangesInARowNotAfterOne() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    if (talk.number() == 2) {
                        talk.send(":1\r\n").command();
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client()) {
            assertThrows(NodeDown.class, () -> redis.incr("key"));
            assertEquals(1, redis.incr("key"));
            // The node does not answer: the first failure in a row.
            assertThrows(NodeDown.class, () -> redis.incr("key"));
            assertTrue(isUp(redis, node.node()));
            assertThrows(NodeDown.class, () -> redis.incr("key"));
            assertFalse(isUp(redis, node.node()));
        }
    }

    @Test
    void aHungNodeRestsAfterTwoDeadlines() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("timeout: 700")) {
            Callers.answered(() -> redis.set("key", "value"));
            server.freeze();
            // A deadline that a busy machine notices too late is not counted.
            OneHopException failure = rests(redis, "key");
            assertSays("The node is resting after a failure: No connection within ", failure);
            server.thaw();
            assertTrue(
                    Callers.holdsSoon(
                            () -> {
                                try {
                                    return "value".equals(redis.get("key"));
                                } catch (OneHopException notYet) {
                                    return false;
                                }
                            }));
        }
    }

    @Test
    void aProbeMayFindItsIdleConnectionClosed() {
        AtomicBoolean isSick = new AtomicBoolean(true);
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    talk.command();
                    if (talk.number() == 1) {
                        talk.bulk("value").command(); // The node closes at the next command.
                        return;
                    }
                    if (!isSick.get()) {
                        talk.bulk("value").awaitClose();
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client()) {
            assertEquals("value", redis.get("key"));
            NodeConnection idle =
                    Inspected.pools(redis)[0].lease(new Holder(), Deadline.in(30_000));
            // Other callers find out, over new connections, that the node is sick.
            assertThrows(NodeDown.class, () -> redis.incr("key"));
            assertThrows(NodeDown.class, () -> redis.incr("key"));
            assertFalse(isUp(redis, node.node()));
            Inspected.pools(redis)[0].returnObject(idle);
            isSick.set(false);
            assertTrue(Callers.holdsSoon(() -> Inspected.rested(redis, node.node())));
            assertEquals(
                    "value", redis.get("key"), "a probe that is sent again counts as one probe");
        }
    }

    @Test
    void aNodeThatAcceptsButNeverAnswersRestsAfterTwoFailuresInARow() {
        // On a busy machine the first rest may be over before it is seen.
        assertTrue(IntStream.range(0, 5).anyMatch(i -> failuresOfAHungNodeThatRests() == 2));
    }

    private static int failuresOfAHungNodeThatRests() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis = node.client("timeout: 200")) {
            AtomicInteger late = new AtomicInteger();
            // A deadline that a busy machine notices too late is not counted.
            assertTrue(
                    Callers.holdsSoon(
                            () ->
                                    assertThrows(OneHopException.class, () -> redis.get("key"))
                                                    instanceof NodeDown
                                            || late.incrementAndGet() < 0));
            assertTrue(late.get() >= 2, late + " handshakes were needed");
            return Health.failures(Inspected.pools(redis)[0].health().state());
        }
    }

    /* ---- What is logged ---- */

    @Test
    void anOutageIsLoggedAtItsBeginAndEndAndFurtherOutagesWithinAMinuteAreNot()
            throws InterruptedException {
        int port = Processes.freePort();
        String node = "node n (127.0.0.1:" + port + ") of server pool alpha is ";
        try (Log log = new Log();
                OneHopClient redis = Nodes.clientOf(Stream.of("127.0.0.1:" + port + ":1 n"))) {
            Callers.inThreads(
                    8,
                    number -> {
                        assertThrows(NodeDown.class, () -> redis.get("key"));
                        // The outage has begun. It lasts for a second, so that a probe fails, too.
                        long begin = System.nanoTime();
                        while (System.nanoTime() - begin < 1_000_000_000L) {
                            assertThrows(NodeDown.class, () -> redis.get("key"));
                        }
                    });
            assertEquals(
                    List.of(
                            "warning: "
                                    + node
                                    + "down: Connection refused while connecting; its keys fail"
                                    + " until it answers again"),
                    log.taken());
            try (RedisServer server = RedisServer.startOn(port)) {
                assertEquals(port, server.port());
                assertTrue(Callers.holdsSoon(() -> isAnswered(redis)));
                List<String> lines = log.taken();
                assertEquals(1, lines.size(), lines.toString());
                assertTrue(
                        lines.get(0)
                                .matches(
                                        "info: "
                                                + Pattern.quote(node)
                                                + "back after [1-9][0-9]*\\.[0-9] s"),
                        lines.get(0));
            }
            // Within a minute the node is down and back twice more.
            for (int i = 0; i < 2; i++) {
                assertThrows(OneHopException.class, () -> redis.incr("key"));
                assertTrue(
                        Callers.holdsSoon(
                                () ->
                                        !isUp(redis, "n")
                                                || assertThrows(
                                                                OneHopException.class,
                                                                () -> redis.get("key"))
                                                        == null));
                try (RedisServer server = RedisServer.startOn(port)) {
                    assertEquals(port, server.port());
                    assertTrue(Callers.holdsSoon(() -> isAnswered(redis)));
                }
            }
            assertEquals(List.of(), log.taken());
        }
    }

    /* ---- Failures that say nothing about the node ---- */

    @Test
    void aNodeWhoseHandshakesSometimesHangDoesNotRestWhileItAnswersOtherConnections()
            throws InterruptedException {
        ScriptedNode.Script script =
                talk -> {
                    if (talk.number() % 3 == 0) {
                        talk.awaitClose();
                    }
                    talk.handshake();
                    while (talk.command() != null) {
                        // So long that the calls of all threads overlap, and each needs a
                        // connection.
                        pause(3);
                        talk.bulk("value");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("timeout: 2000", "server_failure_limit: 1")) {
            AtomicInteger late = new AtomicInteger();
            Callers.inThreads(
                    6,
                    number -> {
                        for (int answered = 0; answered < 300; answered++) {
                            try {
                                assertEquals("value", redis.get("key"));
                            } catch (DeadlineExceeded hung) {
                                // Any other failure, such as a refusal, ends the test.
                                late.incrementAndGet();
                            }
                        }
                    });
            assertTrue(late.get() >= 2, late + " handshakes hung");
            assertTrue(isUp(redis, node.node()));
        }
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anIdleConnectionThatWasClosedIsNoFailure() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("server_failure_limit: 1")) {
            for (int i = 1; i < 6; i++) {
                assertEquals(i, redis.incr("count"));
                server.killClients();
            }
            assertEquals("5", redis.get("count"));
            assertEquals(0, Inspected.pools(redis)[0].meter().errors());
            assertEquals(0, Inspected.pools(redis)[0].health().state());
        }
    }

    @Test
    void aWrongPasswordAnInterruptAndAFullPoolAreNotFailuresOfTheNode()
            throws InterruptedException {
        try (RedisServer server = RedisServer.start("requirepass", "right");
                OneHopClient wrong = server.client("redis_auth: wrong", "server_failure_limit: 1");
                OneHopClient right =
                        server.client(
                                "redis_auth: right",
                                "server_failure_limit: 1",
                                "pool_size: 1",
                                "timeout: 4000")) {
            for (int i = 0; i < 3; i++) {
                assertThrows(ConfigInvalid.class, () -> wrong.get("key"));
            }
            assertEquals(0, Inspected.pools(wrong)[0].health().state());
            Thread.currentThread().interrupt();
            assertThrows(DeadlineExceeded.class, () -> right.get("key"));
            assertTrue(Thread.interrupted());
            NodeConnection only =
                    Inspected.pools(right)[0].lease(new Holder(), Deadline.in(30_000));
            assertThrows(PoolExhausted.class, () -> right.get("key"));
            Inspected.pools(right)[0].returnObject(only);
            assertNull(right.get("key"));
            assertEquals(0, Inspected.pools(right)[0].health().state());
            assertEquals(2, Inspected.pools(right)[0].meter().errors());
            assertEquals(1, Inspected.pools(right)[0].meter().waits());
        }
    }

    @Test
    void anErrorReplyCountsAsAnAnswer() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("server_failure_limit: 1")) {
            redis.set("key", "text");
            assertThrows(JedisDataException.class, () -> redis.incr("key"));
            assertEquals(0, Inspected.pools(redis)[0].health().state());
            assertEquals(2, Inspected.pools(redis)[0].meter().calls());
            assertEquals(0, Inspected.pools(redis)[0].meter().errors());
        }
    }

    /* ---- Where nodes are ejected ---- */

    @Test
    void anAnswerThatSaysBusyIsAFailureIfThePoolEjectsNodes() {
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake();
                    for (int i = 0; talk.command() != null; i++) {
                        talk.send(i == 1 ? "-BUSYKEY no\r\n" : "-BUSY a script runs\r\n");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient resting = node.client("server_failure_limit: 1");
                OneHopClient ejecting =
                        node.client("auto_eject_hosts: true", "server_failure_limit: 2")) {
            assertThrows(JedisBusyException.class, () -> resting.get("key"));
            assertEquals(0, Inspected.pools(resting)[0].health().state());
            assertThrows(JedisBusyException.class, () -> ejecting.get("key"));
            assertEquals(1, Health.failures(Inspected.pools(ejecting)[0].health().state()));
            assertThrows(JedisDataException.class, () -> ejecting.get("key"));
            assertEquals(
                    0,
                    Health.failures(Inspected.pools(ejecting)[0].health().state()),
                    "BUSYKEY is an answer");
        }
    }
}
