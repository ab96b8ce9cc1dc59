package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.json.JsonProtocol.JsonCommand;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A command that the table lacks may be SELECT under another name, so no other command follows it
 * on its connection.
 */
@SuppressWarnings("deprecation") // Deprecated methods must work, too.
class UnknownCommandsTest {
    /** As users make them, without Jedis' enum. */
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
                                        + "  pool_size: 1\n  servers:\n    - "
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

    private static ProtocolCommand named(String name) {
        return () -> name.getBytes(StandardCharsets.UTF_8);
    }

    /** The database of the client's only connection, and its name. */
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
                server.number("stats", "total_connections_received") - before); // The test's own.
        redis.sendCommand("key", named("choose"), "3");
        redis.get("key");
        assertEquals(3, server.number("stats", "total_connections_received") - before);
    }

    @Test
    void aPipelineRefusesThemAndRunsTheRest() {
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
    void aTransactionRefusesThemAlsoBetweenWatchAndMulti() {
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
