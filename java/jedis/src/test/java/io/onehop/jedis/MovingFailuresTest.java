package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * What may keep a key from moving to another node: errors, nodes that rest or are slow, and too few
 * connections. Implements spec/topology/moving.md.
 */
class MovingFailuresTest {
    private static final String BUSYKEY =
            "-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n";

    private static String config(String owner, String old, String... directives) {
        return Nodes.configOf(Stream.of(owner), directives) + "  moving_from:\n    - " + old + "\n";
    }

    private static OneHopClient client(String owner, String old, String... directives) {
        return Nodes.clientOf(config(owner, old, directives));
    }

    /* ---- Transactions ---- */

    @Test
    void bringingKeysAndExecShareOneDeadline() {
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

    /**
     * Waits for more than half of the timeout, so that the two pauses of a call exceed the timeout.
     */
    private static void pause() {
        try {
            Thread.sleep(350);
        } catch (InterruptedException nobodyDoes) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void ifAKeyCannotBeBroughtAllResponsesHaveTheReason() {
        try (ScriptedNode old = ScriptedNode.start(MovingFailuresTest::refuse);
                ScriptedNode owner = ScriptedNode.start(MovingFailuresTest::refuse);
                OneHopClient client = client(owner.server(), old.server());
                AbstractTransaction transaction = client.multi()) {
            Response<Long> first = transaction.incr("key");
            Response<Long> second = transaction.incr("key");
            JedisDataException why = assertThrows(JedisDataException.class, transaction::exec);
            assertBegins("NOPERM", why);
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

    /**
     * Two copies of a key are compared at the owner. The only connection to the owner is the one
     * that watches.
     */
    @Test
    void aTransactionThatHoldsTheOnlyConnectionCanBringKeys() {
        try (RedisServer old = RedisServer.start();
                RedisServer owner = RedisServer.start();
                OneHopClient client = client(owner.server(), old.server(), "pool_size: 1");
                AbstractTransaction transaction = client.transaction(false)) {
            for (RedisServer each : List.of(old, owner)) {
                each.ask(jedis -> jedis.mset("a", "1", "b", "1"));
            }
            transaction.watch("watched");
            assertEquals("1", transaction.get("a").get());
            transaction.multi();
            transaction.incr("b");
            assertEquals(List.of(2L), transaction.exec());
            Inspected.assertNothingLeased(client);
        }
    }

    /* ---- Nodes ---- */

    @Test
    void anOldOwnerThatClosesBetweenItsTwoAnswersFailsTheCall() {
        ScriptedNode.Script endsBetween =
                talk -> {
                    talk.handshake();
                    talk.command();
                    talk.command(); // EXISTS.
                    talk.bulk("value");
                };
        try (ScriptedNode old = ScriptedNode.start(endsBetween);
                RedisServer owner = RedisServer.start();
                OneHopClient client = client(owner.server(), old.server())) {
            assertThrows(NodeDown.class, () -> client.get("key"));
            try (AbstractPipeline batch = client.pipelined()) {
                Response<String> value = batch.get("key");
                assertThrows(OneHopException.class, batch::sync);
                assertThrows(NodeDown.class, value::get);
            }
        }
    }

    @Test
    void aDeadOldOwnerFailsCallsForKeysThatItMayHave() {
        try (RedisServer old = RedisServer.start();
                RedisServer other = RedisServer.start();
                OneHopClient client = client(other.server(), old.server())) {
            client.set("here", "v");
            old.kill();
            assertEquals("v", client.get("here"));
            assertEquals(2, client.append("here", "w")); // So the old owner does not have the key.
            OneHopException read = assertThrows(NodeDown.class, () -> client.get("gone"));
            assertEquals(old.node(), read.getNode());
            OneHopException write = assertThrows(NodeDown.class, () -> client.incr("gone"));
            assertFalse(write.mayHaveExecuted());
            List<Object> replies;
            try (AbstractPipeline pipeline = client.pipelined()) {
                pipeline.get("here");
                pipeline.incr("gone");
                pipeline.get("lost");
                replies = assertThrows(PartialBatch.class, pipeline::sync).getReplies();
            }
            assertEquals("vw", replies.get(0));
            assertInstanceOf(NodeDown.class, replies.get(1));
            assertInstanceOf(NodeDown.class, replies.get(2));
        }
    }

    @Test
    void anOldOwnerMigratesNothingToANodeThatRests() {
        try (RedisServer old = RedisServer.start();
                RedisServer owner = RedisServer.start();
                OneHopClient client = client(owner.server(), old.server())) {
            owner.kill();
            for (int i = 0; i < 100; i++) {
                long before = brought(old);
                OneHopException failure =
                        assertThrows(OneHopException.class, () -> client.incr("key"));
                assertFalse(failure.mayHaveExecuted());
                if (failure.getMessage().startsWith("The node is resting")) {
                    assertEquals(before, brought(old));
                    return;
                }
            }
            throw new AssertionError("the node does not rest");
        }
    }

    /** How often this server was asked to hand over a key. */
    private static long brought(RedisServer server) {
        return server.ask(jedis -> jedis.info("commandstats"))
                .lines()
                .filter(line -> line.matches("cmdstat_(migrate|dump):.*"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("^[^=]*calls=(\\d+).*", "$1")))
                .sum();
    }

    @Test
    void noCopyIsRemovedIfBothAddressesMayBeTheSameNode() {
        List<String> asked = new CopyOnWriteArrayList<>();
        ScriptedNode.Script nameless =
                talk -> {
                    talk.handshake();
                    List<String> command = talk.command();
                    for (; command != null; command = talk.command()) {
                        asked.add(command.get(0));
                        if (command.get(0).equals("MIGRATE")) {
                            talk.send(BUSYKEY);
                        } else {
                            talk.bulk("# Server\r\nredis_version:7.0.0\r\n");
                        }
                    }
                };
        try (ScriptedNode old = ScriptedNode.start(nameless);
                ScriptedNode owner = ScriptedNode.start(nameless);
                OneHopClient client = client(owner.server(), old.server())) {
            NodeDown failure = assertThrows(NodeDown.class, () -> client.incr("key"));
            assertFalse(failure.mayHaveExecuted());
            assertEquals(old.node(), failure.getNode());
            assertSays("shows no run_id", failure);
            assertEquals(List.of("MIGRATE", "INFO", "INFO"), asked);
        }
    }

    /* ---- Credentials ---- */

    @Test
    void theOldOwnerIsNotGivenAPasswordOfTheProvider() {
        try (RedisServer old = RedisServer.start();
                RedisServer owner = RedisServer.start()) {
            for (RedisServer each : List.of(old, owner)) {
                try (Jedis jedis = each.jedis()) {
                    jedis.set("key", "1");
                    jedis.aclSetUser("shop", "on", ">secret", "~*", "&*", "+@all");
                    jedis.aclSetUser("default", "nopass", "-set", "-restore");
                }
            }
            owner.ask(jedis -> jedis.del("key"));
            OneHopClient.Builder builder =
                    OneHopClient.builder()
                            .credentials(() -> new DefaultRedisCredentials("shop", "secret"));
            try (OneHopClient client =
                    Nodes.clientOf(builder, config(owner.server(), old.server()))) {
                assertEquals(2, client.incr("key"));
            }
            try (Jedis jedis = old.jedis()) {
                assertFalse(jedis.exists("key"));
                assertFalse(jedis.info("commandstats").contains("cmdstat_migrate"));
            }
        }
    }
}
