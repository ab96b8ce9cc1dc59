package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.NoSecondTry;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.io.File;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Failures of every kind, and a client that is closed while many threads call. No call hangs, and
 * no lease, socket or interrupt is left.
 */
@ExtendWith(NoSecondTry.class)
class LeftoversTest {

    private static String value(String key) {
        return "value of " + key;
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    @Test
    void failuresOfEveryKindLeaveNoSocketOpen() {
        List<ScriptedNode.Script> sick =
                List.of(
                        talk -> {},
                        talk -> talk.handshake().command(),
                        ScriptedNode.Talk::awaitClose,
                        talk -> talk.handshake().awaitClose(),
                        talk -> talk.send("rubbish").awaitClose(),
                        talk -> talk.handshake().reset(),
                        talk -> talk.handshake().send("$3\r\nabcXXXX").awaitClose());
        List<ScriptedNode> nodes = sick.stream().map(ScriptedNode::start).toList();
        try (OneHopClient redis =
                Inspected.clientOf(nodes.stream(), "timeout: 20", "pool_size: 3")) {
            String[] keys =
                    nodes.stream()
                            .map(node -> Nodes.keyOn(redis.topology(), node.node()))
                            .toArray(String[]::new);
            int before = descriptors();
            for (int i = 0; i < 60; i++) {
                for (String key : keys) {
                    assertThrows(OneHopException.class, () -> redis.get(key));
                }
                assertThrows(OneHopException.class, () -> redis.mget(keys));
            }
            Inspected.assertNothingLeased(redis);
            // The nodes' ends of the connections are in this process, too, and close
            // a little later.
            assertTrue(
                    Callers.holdsSoon(() -> descriptors() <= before + 20),
                    before + " descriptors before, " + descriptors() + " after");
        } finally {
            nodes.forEach(ScriptedNode::close);
        }
    }

    @Test
    void closingWhileCallsAreRunningEndsThemAllAndLeavesNothing() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2)) {
            for (int round = 0; round < 10; round++) {
                OneHopClient redis = nodes.client("timeout: 2000", "pool_size: 2");
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
                                throw new AssertionError("The client was closed and goes on.");
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
