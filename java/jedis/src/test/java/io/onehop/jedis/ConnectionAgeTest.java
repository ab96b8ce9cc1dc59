package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * Connections are replaced when they reach their maximum age, before the node closes them, and no
 * call fails for that.
 */
class ConnectionAgeTest {

    private static long accepted(Jedis plain) {
        return plain.info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }

    /** Makes calls for a while. Returns how many connections they open. */
    private static long opened(OneHopClient redis, Jedis plain) {
        long before = accepted(plain);
        for (int i = 0; i < 150; i++) {
            redis.incr("number");
            Processes.pause(10);
        }
        return accepted(plain) - before;
    }

    @Test
    void connectionsAreReplacedWhenTheyReachTheirAge() {
        try (RedisServer server = RedisServer.start();
                Jedis plain = server.jedis();
                OneHopClient young = server.client("max_connection_age: 300");
                OneHopClient unlimited = server.client("max_connection_age: 0");
                OneHopClient usual = server.client()) {
            long count = opened(young, plain);
            assertTrue(count >= 4, count + " connections");
            assertEquals(1, opened(unlimited, plain));
            assertEquals(1, opened(usual, plain));
        }
    }

    @Test
    void aTransactionKeepsItsConnection() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("max_connection_age: 200");
                AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch("number");
            Processes.pause(400);
            transaction.multi();
            transaction.set("number", "1");
            assertEquals(List.of("OK"), transaction.exec());
        }
    }

    @Test
    void aNodeThatDropsIdleConnectionsFailsNoCall() {
        try (RedisServer server = RedisServer.start("timeout", "1");
                OneHopClient young = server.client("max_connection_age: 800");
                OneHopClient old = server.client()) {
            for (int pause : new int[] {900, 1100, 1900, 2100, 2500}) {
                young.rpush("list", "one");
                old.rpush("list", "other");
                Processes.pause(pause);
            }
            assertEquals(10, young.llen("list"));
        }
    }

    private static void spin(long nanoseconds) {
        for (long end = System.nanoTime() + nanoseconds; System.nanoTime() - end < 0; ) {
            Thread.onSpinWait();
        }
    }

    /**
     * Calls a node until it has answered 500 calls. The node sends one reply on each connection,
     * and closes the connection within two milliseconds. A call that begins after the close must
     * not fail.
     */
    private static void requireNoFailureAfterTheClose(Consumer<OneHopClient> call) {
        AtomicLongArray closed = new AtomicLongArray(2000);
        ScriptedNode.Script script =
                talk -> {
                    talk.handshake().command();
                    talk.bulk("OK");
                    spin(ThreadLocalRandom.current().nextLong(2_000_000));
                    talk.end();
                    closed.set(talk.number(), System.nanoTime());
                    talk.awaitClose();
                };
        int early = 0;
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("server_failure_limit: 1000")) {
            call.accept(redis);
            for (int answered = 1; answered < 500; ) {
                int connection = node.connections();
                spin(ThreadLocalRandom.current().nextLong(3_000_000));
                long begin = System.nanoTime();
                boolean isClosed = closed.get(connection) != 0;
                early += isClosed ? 0 : 1;
                try {
                    call.accept(redis);
                    answered++;
                } catch (NodeDown failure) {
                    assertTrue(failure.mayHaveExecuted(), failure.getMessage());
                    assertFalse(
                            isClosed && begin - closed.get(connection) > 0,
                            () -> "closed before the call began: " + failure.getMessage());
                }
            }
        }
        assertTrue(early > 20 && early < 480, early + " calls began before the close");
    }

    @Test
    void aCallThatBeginsAfterItsNodeHasClosedTheConnectionDoesNotFail() {
        requireNoFailureAfterTheClose(redis -> redis.set("key", "value"));
        requireNoFailureAfterTheClose(redis -> redis.get("key"));
    }

    @Test
    void aConnectionToANodeThatHasBecomeAReplicaIsNotUsedAgain() {
        try (RedisServer server = RedisServer.start();
                Jedis plain = server.jedis();
                OneHopClient redis = server.client()) {
            redis.set("a", "1");
            plain.replicaof("127.0.0.1", 1);
            JedisDataException refused =
                    assertThrows(JedisDataException.class, () -> redis.set("a", "2"));
            assertBegins("READONLY ", refused);
            long before = accepted(plain);
            assertEquals("1", redis.get("a"));
            assertEquals("1", redis.get("a"));
            assertEquals(1, accepted(plain) - before);
            plain.replicaofNoOne();
            assertEquals("OK", redis.set("a", "3"));
        }
    }
}
