package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.ProtocolCommand;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Building a client, its topology, and everything that it refuses before a byte is sent. */
class OneHopClientTest {
    private static final String LONELY = Nodes.configOf(Stream.of("127.0.0.1:1:1"));

    private static ConfigInvalid rejected(String config, String pool) {
        ConfigInvalid failure =
                assertThrows(
                        ConfigInvalid.class,
                        () -> OneHopClient.builder().configText(config).pool(pool).build());
        assertEquals(ErrorKind.CONFIG_INVALID, failure.getKind());
        assertNull(failure.getNode());
        assertFalse(failure.mayHaveExecuted());
        return failure;
    }

    /* ---- Building ---- */

    @Test
    void aFileAndAPoolMakeAClient(@TempDir Path folder) throws Exception {
        try (RedisServer server = RedisServer.start()) {
            String config = Nodes.configOf(Stream.of(server.server()));
            Path file = Files.writeString(folder.resolve("nutcracker.yml"), config);
            try (OneHopClient redis = Nodes.clientOf(file)) {
                assertEquals("OK", redis.set("key", "value"));
                UnifiedJedis asJedis = redis;
                assertEquals("value", asJedis.get("key"));
            }
        }
    }

    @Test
    void buildingConnectsToNothing() {
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose)) {
            node.client().close();
            Processes.pause(50);
            assertEquals(0, node.connections());
        }
    }

    @Test
    void theTopologySaysWhereAKeyIs() {
        try (OneHopClient redis = Nodes.clientOf(LONELY)) {
            assertEquals("127.0.0.1:1", redis.topology().locate("any").name());
            assertSame(redis.topology(), redis.topology());
            assertEquals(32, redis.topology().fingerprint().length());
        }
    }

    @Test
    void anUnknownPoolIsNamed() {
        String message = rejected(LONELY, "beta").getMessage();
        assertEquals(
                "There is no server pool beta in the configuration, only alpha; name one of these",
                message);
    }

    @Test
    void aMemcachedPoolIsRefused() {
        String message = rejected(LONELY.replace("  redis: true\n", ""), "alpha").getMessage();
        assertTrue(message.contains("Server pool alpha speaks memcached"), message);
    }

    @Test
    void aBadFileIsReportedWithLineAndReason(@TempDir Path folder) throws Exception {
        String message =
                rejected(LONELY.replace("redis: true", "redis: yes"), "alpha").getMessage();
        assertTrue(
                message.startsWith(
                        "Configuration, line 3: directive \"redis\" is not \"true\" or"
                                + " \"false\""),
                message);
        Path file = Files.writeString(folder.resolve("bad.yml"), "alpha:\n  hash: none\n");
        message = assertThrows(ConfigInvalid.class, () -> Nodes.clientOf(file)).getMessage();
        assertTrue(
                message.startsWith(
                        "Configuration "
                                + file
                                + ", line 2: directive \"hash\" is not a valid hash"),
                message);
    }

    @Test
    void aMissingFileIsAConfigurationError(@TempDir Path folder) {
        Path file = folder.resolve("missing.yml");
        String message = assertThrows(ConfigInvalid.class, () -> Nodes.clientOf(file)).getMessage();
        assertTrue(
                message.startsWith("Configuration " + file + ": No such file or directory; "),
                message);
    }

    @Test
    void configAndPoolMustBeGiven() {
        assertThrows(ConfigInvalid.class, () -> OneHopClient.builder().build());
        assertThrows(ConfigInvalid.class, () -> OneHopClient.builder().pool("alpha").build());
        assertThrows(ConfigInvalid.class, () -> OneHopClient.builder().configText(LONELY).build());
    }

    /* ---- Refusing ---- */

    private static void assertUnsupported(String name, Executable call) {
        Unsupported failure = assertThrows(Unsupported.class, call);
        assertEquals(ErrorKind.UNSUPPORTED, failure.getKind());
        assertFalse(failure.mayHaveExecuted());
        assertBegins(name + " is not supported, server pool alpha: ", failure);
        assertSays("the command was not sent; ", failure);
    }

    private static void assertAdvises(String advice, Executable call) {
        String message = assertThrows(Unsupported.class, call).getMessage();
        assertTrue(message.contains(advice), message);
    }

    @Test
    @SuppressWarnings("deprecation") // Deprecated methods must be refused, too.
    void unsupportedMethodsAreRefusedByNameBeforeAConnectionIsMade() {
        ProtocolCommand lowerCase = () -> "select".getBytes(StandardCharsets.UTF_8);
        try (ScriptedNode node = ScriptedNode.start(ScriptedNode.Talk::awaitClose);
                OneHopClient redis = node.client()) {
            assertUnsupported("SELECT", () -> redis.sendCommand("key", Command.SELECT, "1"));
            assertUnsupported(
                    "SELECT",
                    () ->
                            redis.sendCommand(
                                    "key".getBytes(StandardCharsets.UTF_8),
                                    lowerCase,
                                    "1".getBytes(StandardCharsets.UTF_8)));
            assertUnsupported("MULTI", () -> redis.sendCommand("key", Command.MULTI));
            for (Command bound : List.of(Command.MULTI, Command.EXEC, Command.WATCH)) {
                assertAdvises(
                        "call multi() or transaction()",
                        () -> redis.sendCommand("key", bound, "key"));
            }
            assertAdvises(
                    "call subscribe(), psubscribe() or ssubscribe()",
                    () -> redis.sendCommand("key", Command.SUBSCRIBE, "key"));
            assertAdvises("set `redis_auth`", () -> redis.sendCommand("key", Command.HELLO, "3"));
            assertUnsupported(
                    "CLIENT REPLY", () -> redis.sendCommand("key", Command.CLIENT, "REPLY", "OFF"));
            assertUnsupported(
                    "SUBSCRIBE", () -> redis.sendCommand("key", Command.SUBSCRIBE, "a", "b"));
            assertUnsupported("FT.SEARCH", () -> redis.ftSearch("index", "query"));
            AbstractPipeline pipeline = redis.pipelined();
            assertUnsupported(
                    "HIMPORT",
                    () -> pipeline.sendCommand(new CommandArguments(Command.HIMPORT).key("key")));
            pipeline.close();
            assertEquals(0, node.connections());
        }
    }

    @Test
    @SuppressWarnings("deprecation")
    void aCommandWithASampleKeyGoesToTheNodeOfThatKey() {
        try (Nodes nodes = Nodes.start(3);
                OneHopClient redis = nodes.client()) {
            for (RedisServer server : nodes.servers()) {
                String key = Nodes.keyOn(redis.topology(), server.node());
                Object config = redis.sendCommand(key, Command.CONFIG, "GET", "port");
                assertEquals(
                        String.valueOf(server.port()),
                        new String((byte[]) ((List<?>) config).get(1), StandardCharsets.UTF_8));
            }
        }
    }

    @Test
    void preProcessedKeysArePlacedByTheBytesThatAreSent() {
        try (Nodes nodes = Nodes.start(4);
                OneHopClient redis = nodes.client()) {
            redis.setKeyArgumentPreProcessor(
                    key -> key instanceof String text ? "prefix:" + text : key);
            for (int i = 0; i < 100; i++) {
                redis.set("key:" + i, "value " + i);
            }
            redis.setKeyArgumentPreProcessor(null);
            for (int i = 0; i < 100; i++) {
                assertEquals("value " + i, redis.get("prefix:key:" + i));
            }
        }
    }
}
