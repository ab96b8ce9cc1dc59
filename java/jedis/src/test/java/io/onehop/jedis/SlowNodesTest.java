package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** Nodes that take more than half of the timeout for every answer. */
class SlowNodesTest {
    private static final int TIMEOUT_MS = 5000;
    private static final int SLOW_MS = 2800;

    /** Answers the handshake and every command, each after its time. */
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
        try (ScriptedNode node = ScriptedNode.start(after(SLOW_MS, SLOW_MS));
                OneHopClient redis = client(node)) {
            // The first command is sent in spite of the slow handshake, which may be chance.
            assertTrue(late(() -> redis.incr("key")).mayHaveExecuted());
            DeadlineExceeded failure = unsent(() -> redis.incr("key"));
            assertBegins("No connection", failure);
            assertEquals("value", redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    @Test
    void aConnectionThatIsReadyTooLateForABatchServesTheNextBatch() {
        try (ScriptedNode node = ScriptedNode.start(after(SLOW_MS, SLOW_MS));
                OneHopClient redis = client(node)) {
            late(() -> batch(redis));
            unsent(() -> batch(redis));
            assertEquals("value", batch(redis));
            assertEquals(2, node.connections());
        }
    }

    /**
     * If the handshake was slow, a call may fail and leave its connection to the next call. A
     * subscription keeps its connection for itself, so it goes on instead.
     */
    @Test
    void aSubscriptionGoesOnAfterASlowHandshake() {
        ScriptedNode.Script slow =
                talk -> {
                    talk.command();
                    Processes.pause(SLOW_MS);
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
        try (ScriptedNode node = ScriptedNode.start(after(TIMEOUT_MS + 1000, 0));
                OneHopClient redis = client(node)) {
            unsent(() -> redis.get("key"));
            assertEquals(0, redis.status().nodes().get(0).idle(), "the connection is not open yet");
            assertEquals("value", redis.get("key"));
            assertEquals(1, node.connections());
        }
    }

    @Test
    void theNextBatchGoesOnWithAConnectionThatIsBeingOpened() {
        try (ScriptedNode node = ScriptedNode.start(after(TIMEOUT_MS + 1000, 0));
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
                OneHopClient redis = node.client("timeout: 4000")) {
            unsent(() -> redis.get("key"));
            isLate.set(true);
            RedisCluster.await("the node has closed", hasClosed::get);
            assertEquals("value", redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    /** The second connection fails, too, because the node does not speak TLS. */
    @Test
    void theNextCallDoesNotGoOnWithATlsHandshakeThatTheNodeHasClosed() {
        AtomicBoolean isLate = new AtomicBoolean();
        AtomicBoolean hasClosed = new AtomicBoolean();
        try (ScriptedNode node = ScriptedNode.start(closing(isLate, hasClosed));
                OneHopClient redis = node.client("timeout: 4000", "tls: true")) {
            unsent(() -> redis.get("key"));
            isLate.set(true);
            RedisCluster.await("the node has closed", hasClosed::get);
            assertThrows(OneHopException.class, () -> redis.get("key"));
            assertEquals(2, node.connections());
        }
    }

    @Test
    void aConnectionOnWhichNothingArrivesIsGivenUpByTheSecondCall() {
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
}
