package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Nodes that hang for a short time, or only on open connections, or that reset connections. Calls
 * that are under way fail, no others.
 */
class StallsTest {
    private static final int THREADS = 8;

    /**
     * Makes calls in all threads for so long. Returns how many calls ended at their deadline in the
     * worst thread.
     */
    private static int mostLate(OneHopClient redis, long ms) throws InterruptedException {
        long begin = System.nanoTime();
        AtomicInteger most = new AtomicInteger();
        Callers.inThreads(
                THREADS,
                number -> {
                    int late = 0;
                    while (System.nanoTime() - begin < ms * 1_000_000) {
                        try {
                            redis.get("key");
                        } catch (DeadlineExceeded failure) { // Any other failure ends the test.
                            late++;
                        }
                    }
                    most.accumulateAndGet(late, Math::max);
                });
        return most.get();
    }

    @Test
    void inAStallThatIsLongerThanTheTimeoutEachThreadLosesOneCall() throws Exception {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("timeout: 6000")) {
            mostLate(redis, 100);
            Thread stall =
                    new Thread(
                            () -> {
                                server.freeze();
                                Processes.pause(7000);
                                server.thaw();
                            });
            stall.start();
            assertEquals(1, mostLate(redis, 8200));
            stall.join();
        }
    }

    @Test
    void ifAllOpenConnectionsGoSilentEachThreadLosesOneCall() throws Exception {
        AtomicBoolean isSilent = new AtomicBoolean();
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    boolean isOld = !isSilent.get();
                                    talk.handshake();
                                    while (talk.command() != null) {
                                        if (!isOld || !isSilent.get()) {
                                            Processes.pause(isOld ? 3 : 1);
                                            talk.bulk("value");
                                        }
                                    }
                                });
                OneHopClient redis = node.client("timeout: 4000")) {
            for (int i = 0; i < 100 && node.connections() < 2; i++) {
                mostLate(redis, 300);
            }
            int before = node.connections();
            assertTrue(before >= 2, before + " connections");
            isSilent.set(true);
            assertEquals(1, mostLate(redis, 8200));
            assertEquals("value", redis.get("key"));
            assertTrue(
                    node.connections() <= before + THREADS,
                    node.connections() - before + " new connections");
        }
    }

    @Test
    void nodesThatAreAllLateTogetherDoNotRest() {
        try (RedisServer first = RedisServer.start();
                RedisServer second = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(first.server(), second.server()), "timeout: 200")) {
            String[] keys = {Nodes.keyOn(redis, first.node()), Nodes.keyOn(redis, second.node())};
            Callers.answered(() -> redis.mget(keys));
            first.freeze();
            second.freeze();
            assertEquals(0, rests(redis, keys, 900));
            first.thaw();
            second.thaw();
            Callers.answered(() -> redis.mget(keys));
            first.freeze();
            assertTrue(
                    Callers.holdsSoon(() -> rests(redis, keys, 400) > 0), "one node alone rests");
            first.thaw();
        }
    }

    @Test
    void replicasThatAreLateTogetherDoNotRest() {
        ScriptedNode.Script silent =
                talk -> {
                    talk.handshake();
                    talk.awaitClose();
                };
        try (Nodes masters = Nodes.start(2);
                ScriptedNode first = ScriptedNode.start(silent);
                ScriptedNode second = ScriptedNode.start(silent);
                OneHopClient redis =
                        masters.client(
                                "timeout: 3000",
                                "read_from: prefer_replica",
                                "replicas:",
                                " - " + first.node() + " " + masters.servers().get(0).node(),
                                " - " + second.node() + " " + masters.servers().get(1).node())) {
            String[] keys =
                    masters.servers().stream()
                            .map(master -> Nodes.keyOn(redis, master.node()))
                            .toArray(String[]::new);
            for (String key : keys) {
                Callers.answered(() -> redis.set(key, "value"));
            }
            for (int i = 0; i < 2; i++) {
                assertEquals(List.of("value", "value"), Callers.answered(() -> redis.mget(keys)));
                assertEquals(
                        List.of(0, 0, 0, 0),
                        redis.status().nodes().stream().map(NodeStatus::failures).toList());
            }
            assertTrue(first.connections() > 0 && second.connections() > 0, "both were asked");
        }
    }

    /** How many calls failed because a node rested, while calls were made for so long. */
    private static int rests(OneHopClient redis, String[] keys, long ms) {
        int rests = 0;
        for (long begin = System.nanoTime(); System.nanoTime() - begin < ms * 1_000_000; ) {
            try {
                redis.mget(keys);
            } catch (OneHopException failure) {
                rests += failure.getMessage().contains("The node is resting") ? 1 : 0;
            }
        }
        return rests;
    }

    @Test
    void eachResetInTheMiddleOfAReplyClosesOnlyOneConnection() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger resets = new AtomicInteger();
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    while (talk.command() != null) {
                                        Processes.pause(1);
                                        if (calls.incrementAndGet() % 40 == 0) {
                                            resets.incrementAndGet();
                                            talk.send("$5\r\nva").reset();
                                            return;
                                        }
                                        talk.bulk("value");
                                    }
                                });
                OneHopClient redis = node.client()) {
            Callers.inThreads(
                    THREADS,
                    number -> {
                        for (int i = 0; i < 200; i++) {
                            try {
                                redis.get("key");
                            } catch (OneHopException lost) {
                                continue;
                            }
                            Processes.pause(2); // In this time other connections are idle.
                        }
                    });
            assertTrue(resets.get() >= 30, resets + " resets");
            assertTrue(
                    node.connections() <= THREADS + resets.get(),
                    node.connections() + " connections after " + resets + " resets");
        }
    }
}
