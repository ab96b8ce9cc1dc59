package io.onehop.jedis;

import static io.onehop.jedis.LearntCommandsTest.named;
import static io.onehop.jedis.LearntCommandsTest.sent;
import static io.onehop.jedis.LearntCommandsTest.text;
import static io.onehop.jedis.LearntCommandsTest.words;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.CommandModule;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.json.JsonProtocol.JsonCommand;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Commands that a node has renamed, that the user may not ask about, or that the node describes as
 * older servers do; nodes that do not answer; replicas. A command that the node does not fully
 * describe may be SELECT under another name, so its connection is not used for other commands.
 */
@SuppressWarnings("deprecation") // Deprecated methods must work, too.
class LearntOtherwiseTest {
    private static void assertUnsent(String part, OneHopException failure) {
        assertSays(part, failure);
        assertFalse(failure.mayHaveExecuted());
    }

    /* ---- Real servers ---- */

    @Test
    void aRenamedCommandIsTreatedByItsEntryInTheTable() {
        String[] options = {
            "rename-command", "HSET hsetx",
            "rename-command", "MGET several",
            "rename-command", "BLPOP await",
            "rename-command", "SELECT choose",
            "rename-command", "CLIENT customer"
        };
        try (RedisServer one = RedisServer.start(options);
                RedisServer other = RedisServer.start(options);
                OneHopClient redis = Nodes.clientOf(Stream.of(one.server(), other.server()))) {
            String a = Nodes.keyOn(redis, one.node());
            String b = Nodes.keyOn(redis, other.node());
            assertEquals(1L, sent(redis, "HSETX h f 1"));
            assertEquals("1", redis.hget("h", "f"));
            redis.set(a, "A");
            redis.set(b, "B");
            assertEquals(
                    List.of("A", "B"),
                    ((List<?>) sent(redis, "several " + a + " " + b))
                            .stream().map(LearntCommandsTest::text).toList());
            assertEquals(null, sent(redis, "await list 0.01"));
            assertUnsent(
                    "SELECT is not supported",
                    assertThrows(Unsupported.class, () -> sent(redis, "choose 3")));
            assertUnsent(
                    "CLIENT SETNAME is not supported",
                    assertThrows(Unsupported.class, () -> sent(redis, "customer SETNAME me")));
        }
    }

    @Test
    void theRefusalSaysIfTheUserMayNotSendCommand() {
        try (RedisServer server = RedisServer.start(CommandModule.options());
                Jedis jedis = server.jedis()) {
            jedis.aclSetUser("app", "on", ">secret", "~*", "+@all", "-command");
            try (OneHopClient redis = server.client("username: app", "redis_auth: secret")) {
                Unsupported refused =
                        assertThrows(Unsupported.class, () -> sent(redis, "onehop.set k v"));
                assertUnsent(
                        "Unknown command \"onehop.set\", and the node does not describe it: NOPERM",
                        refused);
                assertUnsent("allow the server pool's user to run COMMAND", refused);
                jedis.aclSetUser("app", "+command");
                assertEquals("OK", sent(redis, "onehop.set k v"));
            }
        }
    }

    @Test
    void aReplicaAnswersALearntCommandThatOnlyReads() {
        try (RedisServer master =
                        RedisServer.start(CommandModule.options("repl-diskless-sync-delay", "0"));
                RedisServer replica =
                        RedisServer.start(
                                CommandModule.options("replicaof", "127.0.0.1 " + master.port()));
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(master.server() + " one"),
                                "read_from: replica",
                                "replicas:\n    - " + replica.node() + " one");
                Jedis jedis = replica.jedis()) {
            sent(redis, "onehop.set k v");
            RedisCluster.await(
                    "the replica has the key",
                    () ->
                            jedis.info("replication").contains("master_link_status:up")
                                    && "v".equals(jedis.get("k")));
            assertEquals("v", sent(redis, "onehop.get k"));
            try (OneHopPipeline pipeline = redis.pipelined()) {
                pipeline.sendCommand(words("onehop.get k"));
                assertEquals("v", text(pipeline.syncAndReturnAll().get(0)));
            }
            assertEquals(2, replica.calls("onehop.get"));
        }
    }

    @Test
    void inARedisClusterALearntCommandFollowsItsSlot() {
        try (RedisCluster cluster = RedisCluster.start(3, false, CommandModule.options());
                OneHopClient redis = cluster.client("pool_size: 1");
                OneHopClient other = cluster.client("pool_size: 1")) {
            int slot = RedisCluster.slot("k");
            int from = cluster.ownerOf(slot);
            assertEquals("OK", sent(redis, "onehop.set k v"));
            for (OneHopClient each : List.of(redis, other)) {
                assertEquals("v", sent(each, "onehop.get k"));
            }
            cluster.move(slot, from, (from + 1) % 3);
            assertEquals("v", sent(redis, "onehop.get k"));
            try (OneHopPipeline pipeline = other.pipelined()) {
                pipeline.sendCommand(words("onehop.get k"));
                assertEquals("v", text(pipeline.syncAndReturnAll().get(0)));
            }
            long asked =
                    cluster.servers().stream()
                            .mapToLong(server -> server.calls("command|info"))
                            .sum();
            assertEquals(3, asked);
        }
    }

    /* ---- Nodes that do not answer ---- */

    @Test
    void ifANodeIsDownTheNextNodeIsAskedForTheDescription() {
        try (RedisServer server = RedisServer.start(CommandModule.options())) {
            String down = "127.0.0.1:" + Processes.freePort();
            try (OneHopClient redis = Nodes.clientOf(Stream.of(down + ":1", server.server()))) {
                String here = Nodes.keyOn(redis, server.node());
                String there = Nodes.keyOn(redis, down);
                assertEquals("OK", sent(redis, "onehop.set " + here + " v"));
                assertThrows(NodeDown.class, () -> sent(redis, "onehop.set " + there + " v"));
                server.kill();
                NodeDown failure =
                        assertThrows(NodeDown.class, () -> sent(redis, "onehop.get " + here));
                assertFalse(failure.mayHaveExecuted());
                try (AbstractTransaction transaction = redis.multi()) {
                    assertThrows(
                            NodeDown.class,
                            () -> transaction.sendCommand(words("onehop.get " + here)));
                    assertUnsent(
                            "The transaction was discarded",
                            assertThrows(NodeDown.class, transaction::exec));
                }
            }
        }
    }

    @Test
    void theTimeForTheDescriptionCountsTowardsTheDeadline() {
        try (ScriptedNode node =
                        ScriptedNode.start(
                                talk -> {
                                    talk.handshake();
                                    talk.awaitClose();
                                });
                OneHopClient redis = node.client("timeout: 100")) {
            assertUnsent(
                    "the command was not sent; try again",
                    assertThrows(DeadlineExceeded.class, () -> sent(redis, "onehop.get k")));
        }
    }

    /* ---- Servers before redis 6 ---- */

    private static void old(ScriptedNode.Talk talk) throws IOException {
        talk.handshake();
        for (List<String> words : talk.commands()) {
            if (!words.get(0).equals("COMMAND")) {
                talk.bulk("connection " + talk.number());
            } else if (words.get(2).equals("new.do")) {
                talk.send("*2\r\n:1\r\n:2\r\n");
            } else {
                String name = words.get(2);
                String flag = name.equals("old.get") ? "readonly" : "fast";
                talk.send(
                        "*1\r\n*6\r\n+%s\r\n:2\r\n*1\r\n+%s\r\n:1\r\n:1\r\n:1\r\n"
                                .formatted(name, flag));
            }
        }
    }

    @Test
    void aCommandWithoutAFullDescriptionSharesNoConnection() {
        try (ScriptedNode node = ScriptedNode.start(LearntOtherwiseTest::old);
                OneHopClient redis = node.client("pool_size: 1")) {
            assertEquals("connection 1", sent(redis, "old.get k"));
            try (OneHopPipeline pipeline = redis.pipelined()) {
                pipeline.sendCommand(words("old.get k"));
                assertEquals("connection 1", text(pipeline.syncAndReturnAll().get(0)));
            }
            assertEquals("connection 1", sent(redis, "old.do k"));
            assertEquals("connection 2", redis.get("k"));
            try (OneHopPipeline pipeline = redis.pipelined()) {
                assertUnsent(
                        "it may not share a connection with the rest of the pipeline",
                        assertThrows(
                                Unsupported.class, () -> pipeline.sendCommand(words("old.do k"))));
            }
            assertUnsent(
                    "Unknown command \"new.do\", and the node does not describe it: its answer is"
                            + " not the description of a command",
                    assertThrows(Unsupported.class, () -> sent(redis, "new.do k")));
            assertEquals(2, node.connections());
        }
    }

    /* ---- Unknown commands that change their connection ---- */

    /** A command as programs define it that is not in Jedis' enum. */
    private enum Renamed implements ProtocolCommand {
        CHOOSE;

        @Override
        public byte[] getRaw() {
            return name().getBytes(StandardCharsets.UTF_8);
        }
    }

    private static RedisServer server;
    private static OneHopClient redis;

    @BeforeAll
    static void start() {
        server =
                RedisServer.start(
                        "rename-command",
                        "SELECT choose",
                        "rename-command",
                        "CLIENT customer",
                        "rename-command",
                        "SUBSCRIBE listen",
                        "rename-command",
                        "MULTI begin");
        redis =
                OneHopClient.builder()
                        .pool("alpha")
                        .configText(
                                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n"
                                        + "  pool_size: 1\n  timeout: 30000\n  servers:\n    - "
                                        + server.server()
                                        + "\n")
                        .build();
        redis.set("key", "of database 0");
    }

    @AfterAll
    static void stop() {
        redis.close();
        server.close();
    }

    /** The database and the name of the client's only connection. */
    private static String connection() {
        try (Jedis jedis = server.jedis()) {
            byte[] list = (byte[]) jedis.sendCommand(named("customer"), "LIST");
            return new String(list, StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.contains("cmd=client"))
                    .map(
                            line ->
                                    Pattern.compile(".* name=(\\S*) .* db=(\\d+) .*")
                                            .matcher(line)
                                            .replaceAll("database $2, name '$1'"))
                    .toList()
                    .toString();
        }
    }

    @Test
    void noLaterCommandRunsInTheDatabaseThatARenamedSelectHasChosen() {
        for (List<String> words :
                List.of(
                        List.of("choose", "3"),
                        List.of("CHOOSE", "4"),
                        List.of("customer", "SETNAME", "me"),
                        List.of("listen", "channel"),
                        List.of("begin"))) {
            String[] rest = words.subList(1, words.size()).toArray(String[]::new);
            redis.sendCommand("key", named(words.get(0)), rest);
            assertEquals("of database 0", redis.get("key"), words.toString());
            redis.sendCommand(
                    "key".getBytes(StandardCharsets.UTF_8),
                    named(words.get(0)),
                    List.of(rest).stream().map(String::getBytes).toArray(byte[][]::new));
            assertEquals("of database 0", redis.get("key"), words.toString());
        }
        assertThrows(JedisDataException.class, () -> redis.sendCommand("key", named("nonsense")));
        redis.sendCommand("key", Renamed.CHOOSE, "5");
        redis.sendBlockingCommand("key", named("choose"), "6");
        assertEquals("of database 0", redis.get("key"));
        assertEquals("[database 0, name '']", connection());
        Inspected.assertNothingLeased(redis);
    }

    @Test
    void onlyCommandsUnknownToTheTableAndJedisCloseTheirConnection() {
        redis.get("key");
        long before = server.number("stats", "total_connections_received");
        redis.sendCommand("key", named("get"), "key");
        assertThrows(
                JedisDataException.class, () -> redis.sendCommand("key", JsonCommand.GET, "key"));
        redis.get("key");
        assertEquals(
                1,
                // The one connection is that of this question.
                server.number("stats", "total_connections_received") - before);
        redis.sendCommand("key", named("choose"), "3");
        redis.get("key");
        assertEquals(3, server.number("stats", "total_connections_received") - before);
    }

    @Test
    void aPipelineRefusesUnknownCommandsAndExecutesTheRest() {
        try (OneHopPipeline pipeline = redis.pipelined()) {
            pipeline.set("key", "of database 0");
            Unsupported refused =
                    assertThrows(
                            Unsupported.class,
                            () ->
                                    pipeline.sendCommand(
                                            new CommandArguments(Renamed.CHOOSE).key("7")));
            assertEquals(
                    "CHOOSE is not supported, server pool alpha: the command was not sent;"
                            + " OneHop does not know this command, so it may not share a connection"
                            + " with the rest of the pipeline; call it separately",
                    refused.getMessage());
            pipeline.sendCommand(new CommandArguments(JsonCommand.GET).key("key"));
            List<Object> replies = pipeline.syncAndReturnAll();
            assertEquals("OK", replies.get(0));
            assertTrue(replies.get(1) instanceof JedisDataException, replies.toString());
        }
        assertEquals("[database 0, name '']", connection());
    }

    @Test
    void aTransactionRefusesUnknownCommandsAlsoBetweenWatchAndMulti() {
        try (AbstractTransaction transaction = redis.transaction(false)) {
            transaction.watch("key");
            assertThrows(
                    Unsupported.class,
                    () -> transaction.sendCommand(new CommandArguments(Renamed.CHOOSE).key("8")));
            transaction.unwatch();
        }
        try (AbstractTransaction transaction = redis.multi()) {
            assertThrows(
                    Unsupported.class,
                    () -> transaction.sendCommand(new CommandArguments(Renamed.CHOOSE).key("8")));
            assertThrows(Unsupported.class, transaction::exec);
        }
        assertEquals("of database 0", redis.get("key"));
        assertEquals("[database 0, name '']", connection());
        Inspected.assertNothingLeased(redis);
    }
}
