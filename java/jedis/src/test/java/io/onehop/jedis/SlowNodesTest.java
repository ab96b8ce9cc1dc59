package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Nodes whose every answer takes more than half of the timeout; and trouble that is soon over, or
 * that only old connections have. It costs the calls that are under way, and nothing more.
 */
class SlowNodesTest {
    private static final int TIMEOUT_MS = 3000;

    /** Answers every command after that long. */
    private static ScriptedNode.Script after(int handshakeMs, int ms) {
        return talk -> {
            talk.command();
            Processes.pause(handshakeMs);
            talk.send("+PONG\r\n");
            while (talk.command() != null) {
                Processes.pause(ms);
                talk.bulk("value");
            }
        };
    }

    private static OneHopClient client(ScriptedNode node) {
        return node.client("timeout: " + TIMEOUT_MS, "pool_size: 2");
    }

    private static DeadlineExceeded late(Supplier<?> call) {
        return assertThrows(DeadlineExceeded.class, call::get);
    }

    private static DeadlineExceeded unsent(Supplier<?> call) {
        DeadlineExceeded failure = late(call);
        assertFalse(failure.mayHaveExecuted(), failure.getMessage());
        return failure;
    }

    private static String batch(OneHopClient redis) {
        try (AbstractPipeline batch = redis.pipelined()) {
            Response<String> reply = batch.get("key");
            batch.sync();
            return reply.get();
        }
    }

    @Test
    void aConnectionThatIsReadyTooLateServesTheNextCall() {
        try (ScriptedNode node = ScriptedNode.start(after(1800, 1800));
                OneHopClient redis = client(node)) {
            // A handshake may have been slow for once, so the first command is sent.
            assertTrue(late(() -> redis.incr("key")).mayHaveExecuted());
            DeadlineExceeded failure = unsent(() -> redis.incr("key"));
            assertBegins("No connection", failure);
            assertEquals("value", redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    @Test
    void theSameOfABatch() {
        try (ScriptedNode node = ScriptedNode.start(after(1800, 1800));
                OneHopClient redis = client(node)) {
            late(() -> batch(redis));
            unsent(() -> batch(redis));
            assertEquals("value", batch(redis));
            assertEquals(2, node.connections());
        }
    }

    /** Its connection is of no use to the next call. */
    @Test
    void aSubscriptionIsNeverReadyTooLate() {
        ScriptedNode.Script slow =
                talk -> {
                    talk.command();
                    Processes.pause(1800);
                    talk.send("+PONG\r\n");
                    for (List<String> it : talk.commands()) {
                        if (it.get(0).equals("SUBSCRIBE")) {
                            talk.send("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n");
                        } else if (it.get(0).equals("UNSUBSCRIBE")) {
                            talk.send("*3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:0\r\n");
                        } else {
                            talk.awaitClose();
                        }
                    }
                };
        List<String> channels = new ArrayList<>();
        try (ScriptedNode node = ScriptedNode.start(slow);
                OneHopClient redis = client(node)) {
            late(() -> redis.get("key"));
            redis.subscribe(
                    new JedisPubSub() {
                        @Override
                        public void onSubscribe(String channel, int count) {
                            channels.add(channel);
                            unsubscribe("a");
                        }
                    },
                    "a");
            assertEquals(List.of("a"), channels);
        }
    }

    @Test
    void theNextCallGoesOnWithAConnectionThatIsBeingOpened() {
        try (ScriptedNode node = ScriptedNode.start(after(TIMEOUT_MS + 300, 0));
                OneHopClient redis = client(node)) {
            unsent(() -> redis.get("key"));
            assertEquals(0, redis.status().nodes().get(0).idle(), "it is not open yet");
            assertEquals("value", redis.get("key"));
            assertEquals(1, node.connections());
        }
    }

    @Test
    void theSameOfABatchThatGoesOn() {
        try (ScriptedNode node = ScriptedNode.start(after(TIMEOUT_MS + 300, 0));
                OneHopClient redis = client(node)) {
            unsent(() -> batch(redis));
            assertEquals("value", batch(redis));
            assertEquals(1, node.connections());
        }
    }

    /** Accepts a connection, is silent during the first call, and closes before the second. */
    private static ScriptedNode.Script closing(AtomicBoolean isLate, AtomicBoolean hasClosed) {
        return talk -> {
            if (talk.number() == 1) {
                RedisCluster.await("the first call is late", isLate::get);
                talk.end();
                hasClosed.set(true);
                talk.awaitClose();
            }
            talk.handshake().command();
            talk.bulk("value").awaitClose();
        };
    }

    @Test
    void theNextCallDoesNotGoOnWithAConnectionThatTheNodeHasClosed() {
        AtomicBoolean isLate = new AtomicBoolean();
        AtomicBoolean hasClosed = new AtomicBoolean();
        try (ScriptedNode node = ScriptedNode.start(closing(isLate, hasClosed));
                OneHopClient redis = node.client("timeout: 1500")) {
            unsent(() -> redis.get("key"));
            isLate.set(true);
            RedisCluster.await("the node has closed", hasClosed::get);
            assertEquals("value", redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    /** Its second connection fails, too: the node does not speak TLS. */
    @Test
    void theSameOfATlsHandshake() {
        AtomicBoolean isLate = new AtomicBoolean();
        AtomicBoolean hasClosed = new AtomicBoolean();
        try (ScriptedNode node = ScriptedNode.start(closing(isLate, hasClosed));
                OneHopClient redis = node.client("timeout: 1500", "tls: true")) {
            unsent(() -> redis.get("key"));
            isLate.set(true);
            RedisCluster.await("the node has closed", hasClosed::get);
            assertThrows(OneHopException.class, () -> redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    @Test
    void aConnectionOnWhichNothingComesIsGivenUpByTheSecondCall() {
        ScriptedNode.Script silentAtFirst =
                talk -> {
                    if (talk.number() == 1) {
                        talk.awaitClose();
                    }
                    talk.handshake().command();
                    talk.bulk("value");
                };
        try (ScriptedNode node = ScriptedNode.start(silentAtFirst);
                OneHopClient redis = node.client("timeout: 1500", "pool_size: 4")) {
            unsent(() -> redis.get("key"));
            unsent(() -> redis.get("key"));
            assertEquals("value", Callers.answered(() -> redis.get("key")));
        }
    }

    /* ---- Trouble that is soon over ---- */

    private static final int THREADS = 8;

    /** Calls for that long in all threads. Returns the most deadlines that one of them has met. */
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
    void aStallThatIsLongerThanTheTimeoutCostsEachThreadOneCall() throws Exception {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("timeout: 3000")) {
            mostLate(redis, 100);
            Thread stall =
                    new Thread(
                            () -> {
                                server.freeze();
                                Processes.pause(3900);
                                server.thaw();
                            });
            stall.start();
            assertEquals(1, mostLate(redis, 5100));
            stall.join();
        }
    }

    @Test
    void openConnectionsThatGoSilentTogetherCostEachThreadOneCall() throws Exception {
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
                OneHopClient redis = node.client("timeout: 1500")) {
            mostLate(redis, 300);
            int before = node.connections();
            assertTrue(before >= 2, before + " connections");
            isSilent.set(true);
            assertEquals(1, mostLate(redis, 3200));
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
                                "timeout: 1000",
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

    /** How many calls failed, within that time, because a node rested. */
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
    void resetsInTheMiddleOfRepliesCostOneConnectionEach() throws Exception {
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
                            Processes.pause(2); // So that other connections lie idle.
                        }
                    });
            assertTrue(resets.get() >= 30, resets + " resets");
            assertTrue(
                    node.connections() <= THREADS + resets.get(),
                    node.connections() + " connections after " + resets + " resets");
        }
    }
}
