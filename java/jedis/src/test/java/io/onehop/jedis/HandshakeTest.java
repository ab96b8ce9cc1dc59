package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.ErrorKind;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Nutcracker;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.ScriptedNode;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisAccessControlException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The handshake of a connection: passwords, users, and databases by nutcracker's rules and by
 * OneHop's, over TCP and unix sockets.
 */
class HandshakeTest {

    private static String unix(RedisServer server) {
        return server.unixSocket() + ":1";
    }

    private static void assertRejected(OneHopClient redis, String node, String reason) {
        ConfigInvalid failure = assertThrows(ConfigInvalid.class, () -> redis.set("key", "value"));
        assertEquals(ErrorKind.CONFIG_INVALID, failure.getKind());
        assertEquals(node, failure.getNode());
        assertFalse(failure.mayHaveExecuted());
        assertBegins(reason, failure);
        assertSays("server pool alpha: the command was not sent", failure);
    }

    /* ---- Passwords ---- */

    @Test
    void theRightPasswordIsAccepted() {
        try (RedisServer server = RedisServer.start("requirepass", "secret");
                OneHopClient redis = server.client("redis_auth: secret")) {
            assertEquals("OK", redis.set("key", "value"));
        }
    }

    /** The file is one that only OneHop reads: in flow style, without listen, redis and weights. */
    @Test
    void thePasswordMayBeAVariableOfTheEnvironment() {
        String password = System.getenv("PATH"); // A variable that is always set, as the password.
        try (RedisServer server = RedisServer.start("requirepass", password);
                OneHopClient redis =
                        Nodes.clientOf(
                                "alpha: {engine: redis, timeout: 30000, redis_auth: '${PATH}',"
                                        + " servers: ["
                                        + server.node()
                                        + "]}")) {
            assertEquals("OK", redis.set("key", "value"));
            assertEquals("value", redis.get("key"));
        }
    }

    @Test
    void aWrongPasswordIsAConfigurationErrorThatNamesTheNodeAndNotThePassword() {
        try (RedisServer server = RedisServer.start("requirepass", "secret");
                OneHopClient redis = server.client("redis_auth: the-wrong-one")) {
            assertRejected(
                    redis, server.node(), "The node refused the user name or password: WRONGPASS ");
            String message = assertThrows(ConfigInvalid.class, () -> redis.get("key")).toString();
            assertFalse(message.contains("the-wrong-one"), message);
        }
    }

    @Test
    void aMissingPasswordIsAConfigurationErrorToo() {
        try (RedisServer server = RedisServer.start("requirepass", "secret");
                OneHopClient redis = server.client()) {
            assertRejected(redis, server.node(), "The node requires a password: NOAUTH ");
        }
    }

    @Test
    void aPasswordTheNodeDoesNotNeedDoesNotMatter() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_auth: secret")) {
            assertEquals("OK", redis.set("key", "value"));
        }
    }

    @Test
    void aUserWithLimitedRightsIsServed() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_auth: secret", "username: reader")) {
            try (Jedis admin = server.jedis()) {
                admin.set("key", "value");
                admin.aclSetUser("reader", "on", ">secret", "~*", "+get");
            }
            assertEquals("value", redis.get("key"), "PING is not among them, and does not matter");
            assertThrows(JedisAccessControlException.class, () -> redis.set("key", "other"));
        }
    }

    @Test
    void aUserTheNodeDoesNotKnowIsAConfigurationError() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_auth: secret", "username: nobody")) {
            assertRejected(
                    redis, server.node(), "The node refused the user name or password: WRONGPASS ");
        }
    }

    @Test
    void aWrongPasswordOfOneNodeFailsOnlyCallsForItsKeys() {
        try (RedisServer open = RedisServer.start();
                RedisServer locked = RedisServer.start("requirepass", "another");
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(open.server(), locked.server()), "redis_auth: secret");
                AbstractPipeline pipeline = redis.pipelined()) {
            Response<String> good = pipeline.set(Nodes.keyOn(redis, open.node()), "value");
            Response<String> bad = pipeline.set(Nodes.keyOn(redis, locked.node()), "value");
            PartialBatch failure = assertThrows(PartialBatch.class, pipeline::sync);
            assertEquals("OK", good.get());
            assertEquals(locked.node(), assertThrows(ConfigInvalid.class, bad::get).getNode());
            assertFalse(failure.getFailures().get(locked.node()).mayHaveExecuted());
        }
    }

    /* ---- Databases ---- */

    private static String databaseOf(RedisServer server, String password, String key) {
        try (Jedis jedis = server.jedis()) {
            if (password != null) {
                jedis.auth(password);
            }
            List<String> found = new ArrayList<>();
            for (int database = 0; database < 16; database++) {
                jedis.select(database);
                if (jedis.exists(key)) {
                    found.add(String.valueOf(database));
                }
            }
            return String.join(" and ", found);
        }
    }

    @Test
    void redisDbIsSelectedWhereNutcrackerSelectsIt() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_db: 3");
                Nutcracker nutcracker =
                        Nutcracker.start(
                                Nodes.configOf(Stream.of(server.server()), "redis_db: 3"));
                Jedis proxied = nutcracker.jedis()) {
            redis.set("ours", "x");
            proxied.set("theirs", "x");
            assertEquals("3", databaseOf(server, null, "ours"));
            assertEquals("3", databaseOf(server, null, "theirs"));
        }
    }

    @Test
    void ifTheNodeDemandsAPasswordDatabase0IsUsedInsteadOfRedisDbAsWithNutcracker() {
        String[] directives = {"redis_db: 3", "redis_auth: secret"};
        try (RedisServer server = RedisServer.start("requirepass", "secret");
                OneHopClient redis = server.client(directives);
                Nutcracker nutcracker =
                        Nutcracker.start(Nodes.configOf(Stream.of(server.server()), directives));
                Jedis proxied = nutcracker.jedis()) {
            redis.set("ours", "x");
            proxied.auth("secret");
            proxied.set("theirs", "x");
            assertEquals("0", databaseOf(server, "secret", "ours"));
            assertEquals("0", databaseOf(server, "secret", "theirs"));
        }
    }

    @Test
    void ifTheNodeDoesNotNeedThePasswordRedisDbIsSelected() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_db: 3", "redis_auth: secret")) {
            redis.set("key", "x");
            assertEquals("3", databaseOf(server, null, "key"));
        }
    }

    @Test
    void onAUnixSocketDatabase0IsUsedInsteadOfRedisDbAsWithNutcracker() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = Nodes.clientOf(Stream.of(unix(server)), "redis_db: 3");
                Nutcracker nutcracker =
                        Nutcracker.start(Nodes.configOf(Stream.of(unix(server)), "redis_db: 3"));
                Jedis proxied = nutcracker.jedis()) {
            redis.set("ours", "x");
            proxied.set("theirs", "x");
            assertEquals("0", databaseOf(server, null, "ours"));
            assertEquals("0", databaseOf(server, null, "theirs"));
        }
    }

    @Test
    void ifTheNodeDoesNotHaveTheDatabaseOfRedisDbDatabase0IsUsed() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("redis_db: 4711")) {
            redis.set("key", "x");
            assertEquals("0", databaseOf(server, null, "key"));
        }
    }

    @Test
    void databaseIsSelectedAfterThePasswordAndOnEverySocket() {
        try (RedisServer server = RedisServer.start("requirepass", "secret");
                OneHopClient tcp = server.client("database: 5", "redis_auth: secret");
                OneHopClient local =
                        Nodes.clientOf(
                                Stream.of(unix(server)), "database: 6", "redis_auth: secret")) {
            tcp.set("tcp", "x");
            local.set("unix", "x");
            assertEquals("5", databaseOf(server, "secret", "tcp"));
            assertEquals("6", databaseOf(server, "secret", "unix"));
        }
    }

    @Test
    void aDatabaseTheNodeDoesNotHaveIsAConfigurationError() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = server.client("database: 4711")) {
            assertRejected(
                    redis,
                    server.node(),
                    "The node refused the database: ERR DB index is out of range");
        }
    }

    /* ---- Unix sockets ---- */

    @Test
    void unixSocketsServeSingleCommandsAndPipelines() {
        try (RedisServer one = RedisServer.start();
                RedisServer two = RedisServer.start();
                OneHopClient redis =
                        Nodes.clientOf(
                                Stream.of(unix(one) + " one", unix(two) + " two"),
                                "timeout: 30000");
                AbstractPipeline pipeline = redis.pipelined()) {
            List<Response<String>> replies = new ArrayList<>();
            for (int i = 0; i < 20_000; i++) {
                pipeline.set("key:" + i, "value " + i);
                replies.add(pipeline.get("key:" + i));
            }
            pipeline.sync();
            for (int i = 0; i < 20_000; i++) {
                assertEquals("value " + i, replies.get(i).get());
            }
            assertEquals(
                    Arrays.asList("value 1", null, "value 3"),
                    redis.mget("key:1", "missing", "key:3"));
            assertEquals("one", redis.topology().nodes().get(0).name());
        }
    }

    @Test
    void aUnixSocketThatIsNotThereIsNodeDown() {
        try (OneHopClient redis = Nodes.clientOf(Stream.of("/nowhere/redis.sock:1 gone"))) {
            NodeDown failure = assertThrows(NodeDown.class, () -> redis.get("key"));
            assertEquals("gone", failure.getNode());
            assertSays("(/nowhere/redis.sock)", failure);
            assertFalse(failure.mayHaveExecuted());
        }
    }

    /* ---- What is sent, and how a node may answer ---- */

    @Test
    void neitherHelloNorClientIsSent() {
        List<String> seen = Collections.synchronizedList(new ArrayList<>());
        ScriptedNode.Script script =
                talk -> {
                    for (List<String> command : talk.commands()) {
                        seen.add(String.join(" ", command));
                        talk.send("+OK\r\n");
                    }
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client("redis_auth: secret", "redis_db: 2")) {
            redis.set("key", "value");
            redis.set("key", "value");
            assertEquals(
                    List.of("SELECT 2", "AUTH secret", "PING", "SET key value", "SET key value"),
                    seen);
        }
    }

    @Test
    void aNodeThatAcceptsNoMoreConnectionsIsNoticedBeforeACommandIsSent() {
        try (RedisServer server = RedisServer.start();
                Jedis admin = server.jedis();
                Jedis other = server.jedis()) {
            other.ping();
            admin.configSet("maxclients", "1");
            try (OneHopClient redis = server.client()) {
                NodeDown failure = assertThrows(NodeDown.class, () -> redis.incr("key"));
                assertBegins(
                        "The node accepts no more connections: ERR max number of"
                                + " clients reached",
                        failure);
                assertFalse(failure.mayHaveExecuted());
            }
        }
    }

    @Test
    void aNodeInProtectedModeIsAConfigurationError() {
        ScriptedNode.Script script =
                talk -> talk.send("-DENIED Redis is running in protected mode\r\n").awaitClose();
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client()) {
            assertRejected(redis, node.node(), "The node is in protected mode: DENIED ");
        }
    }

    @Test
    void aServerWithoutPingIsServed() {
        ScriptedNode.Script script =
                talk -> {
                    talk.command();
                    talk.send("-ERR Unknown Command: ping\r\n").command();
                    talk.bulk("value").awaitClose();
                };
        try (ScriptedNode node = ScriptedNode.start(script);
                OneHopClient redis = node.client()) {
            assertEquals("value", redis.get("key"));
        }
    }

    /* ---- The database of the builder ---- */

    private static OneHopClient clientIn(int database, String config) {
        return Nodes.clientOf(OneHopClient.builder().database(database), config);
    }

    private static Set<String> keys(RedisServer server, int database) {
        try (Jedis plain = server.jedis()) {
            plain.select(database);
            return plain.keys("*");
        }
    }

    @Test
    void theDatabaseOfTheBuilderReplacesTheDatabaseOfTheServerPool() {
        try (RedisServer server = RedisServer.start()) {
            for (String own : List.of("database: 3", "redis_db: 3", "timeout: 40000")) {
                String config = Nodes.configOf(Stream.of(server.server()), own);
                try (OneHopClient zero = clientIn(0, config);
                        OneHopClient seven = clientIn(7, config);
                        OneHopClient unchosen = Nodes.clientOf(config)) {
                    zero.set("zero", own);
                    seven.set("seven", own);
                    unchosen.set("own", own);
                    String fingerprint = unchosen.topology().fingerprint();
                    assertEquals(fingerprint, seven.topology().fingerprint());
                    assertEquals(Set.of("seven"), keys(server, 7));
                    assertTrue(keys(server, 0).contains("zero"), own);
                    assertTrue(keys(server, own.startsWith("timeout") ? 0 : 3).contains("own"));
                }
            }
        }
    }

    @Test
    void aDatabaseThatANodeRefusesFailsBeforeAnythingIsSent() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = clientIn(99, Nodes.configOf(Stream.of(server.server())))) {
            ConfigInvalid refused =
                    assertThrows(ConfigInvalid.class, () -> redis.set("key", "value"));
            assertBegins("The node refused database 99: ERR DB index is out of range", refused);
            assertEquals(0, server.calls("set"));
        }
        assertThrows(IllegalArgumentException.class, () -> OneHopClient.builder().database(-1));
    }

    @Test
    void selectIsRefusedWithAdvice() {
        try (RedisServer server = RedisServer.start();
                OneHopClient redis = clientIn(1, Nodes.configOf(Stream.of(server.server())))) {
            CommandArguments select = new CommandArguments(Command.SELECT).add(2);
            Unsupported refused =
                    assertThrows(Unsupported.class, () -> redis.executeCommand(select));
            assertSays("call database() of the builder", refused);
        }
    }

    @Test
    void noCommandRunsInAnotherDatabaseWhileConnectionsAreKilled() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2)) {
            List<OneHopClient> clients =
                    IntStream.range(0, 3).mapToObj(n -> clientIn(n, nodes.config())).toList();
            try {
                Callers.inThreads(4, caller -> call(clients, nodes, caller));
            } finally {
                clients.forEach(OneHopClient::close);
            }
            for (RedisServer server : nodes.servers()) {
                for (int database = 0; database < 3; database++) {
                    try (Jedis plain = server.jedis()) {
                        plain.select(database);
                        for (String key : plain.keys("*")) {
                            assertEquals("of " + database, plain.get(key), key);
                        }
                    }
                }
            }
        }
    }

    private static void call(List<OneHopClient> clients, Nodes nodes, int caller) {
        for (int i = 0; i < 500; i++) {
            int database = ThreadLocalRandom.current().nextInt(3);
            if (caller == 0 && i % 25 == 0) {
                nodes.servers().get(i / 25 % 2).killClients();
            }
            List<String> values = new ArrayList<>();
            try {
                values.addAll(values(clients.get(database), "k" + i % 50, "of " + database, i % 4));
            } catch (OneHopException killed) {
                continue; // The client does not try again.
            }
            values.removeIf(value -> value == null);
            values.forEach(value -> assertEquals("of " + database, value));
        }
    }

    private static List<String> values(OneHopClient redis, String key, String value, int way) {
        switch (way) {
            case 0:
                redis.set(key, value);
                return redis.mget(key, "k1", "k2", "k3", "k4");
            case 1:
                try (OneHopPipeline pipeline = redis.pipelined()) {
                    pipeline.set(key, value);
                    Response<String> first = pipeline.get(key);
                    Response<String> second = pipeline.get("k5");
                    pipeline.sync();
                    return Stream.of(first.get(), second.get()).toList();
                }
            case 2:
                try (AbstractTransaction transaction = redis.multi()) {
                    transaction.set(key, value);
                    Response<String> first = transaction.get(key);
                    transaction.exec();
                    return List.of(first.get());
                }
            default:
                return List.of(
                        String.valueOf(
                                redis.eval(
                                        "return redis.call('GET', KEYS[1]) or ARGV[1]",
                                        List.of(key),
                                        List.of(value))));
        }
    }
}
