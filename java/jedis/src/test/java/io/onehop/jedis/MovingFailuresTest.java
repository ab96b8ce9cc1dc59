package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

/**
 * What stands in the way of a key that moves from one node to another: errors, nodes that rest or
 * are slow, too few connections. Implements spec/topology/moving.md.
 */
class MovingFailuresTest {
    private static String config(String owner, String old, String... directives) {
        return Nodes.configOf(Stream.of(owner), directives) + "  moving_from:\n    - " + old + "\n";
    }

    private static OneHopClient client(String owner, String old, String... directives) {
        return Nodes.clientOf(config(owner, old, directives));
    }

    /* ---- Transactions ---- */

    @Test
    void bringingAndExecHaveOneDeadline() {
        ScriptedNode.Script bringsLate =
                talk -> {
                    talk.handshake();
                    talk.command();
                    pause();
                    talk.send("+NOKEY\r\n");
                    talk.command();
                };
        ScriptedNode.Script answersLate =
                talk -> {
                    talk.handshake();
                    talk.command(); // MULTI
                    pause();
                    talk.send("+OK\r\n");
                    talk.command();
                    talk.command(); // EXEC
                    talk.send("+QUEUED\r\n*1\r\n:1\r\n");
                    talk.command();
                };
        try (ScriptedNode old = ScriptedNode.start(bringsLate);
                ScriptedNode owner = ScriptedNode.start(answersLate);
                OneHopClient client = client(owner.server(), old.server(), "timeout: 500");
                AbstractTransaction transaction = client.multi()) {
            Response<Long> reply = transaction.incr("key");
            assertThrows(DeadlineExceeded.class, transaction::exec);
            assertThrows(DeadlineExceeded.class, reply::get);
        }
    }

    /** More than half of the timeout: the two pauses of a call exceed it. */
    private static void pause() {
        try {
            Thread.sleep(350);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void allResponsesSayWhyNothingWasBrought() {
        try (ScriptedNode old = ScriptedNode.start(MovingFailuresTest::refuse);
                ScriptedNode owner = ScriptedNode.start(MovingFailuresTest::refuse);
                OneHopClient client = client(owner.server(), old.server());
                AbstractTransaction transaction = client.multi()) {
            Response<Long> first = transaction.incr("key");
            Response<Long> second = transaction.incr("key");
            JedisDataException why = assertThrows(JedisDataException.class, transaction::exec);
            assertTrue(why.getMessage().startsWith("NOPERM"), why.getMessage());
            assertSame(why, assertThrows(JedisDataException.class, first::get));
            assertSame(why, assertThrows(JedisDataException.class, second::get));
        }
    }

    private static void refuse(ScriptedNode.Talk talk) throws IOException {
        talk.handshake();
        while (talk.command() != null) {
            talk.send("-NOPERM no permission\r\n");
        }
    }

    /** Two copies are compared at the owner, whose only connection watches. */
    @Test
    void aWatchThatHoldsTheOnlyConnectionCanBring() {
        try (RedisServer old = RedisServer.start();
                RedisServer owner = RedisServer.start();
                OneHopClient client = client(owner.server(), old.server(), "pool_size: 1");
                AbstractTransaction transaction = client.transaction(false)) {
            for (RedisServer each : List.of(old, owner)) {
                try (Jedis jedis = each.jedis()) {
                    jedis.mset("a", "1", "b", "1");
                }
            }
            transaction.watch("watched");
            assertEquals("1", transaction.get("a").get());
            transaction.multi();
            transaction.incr("b");
            assertEquals(List.of(2L), transaction.exec());
            Inspected.assertNothingLeased(client);
        }
    }
}
