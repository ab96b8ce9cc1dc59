package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;
import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A client has the database that its builder has chosen, on every node. */
class DatabasesTest {
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
    void itReplacesThatOfTheServerPool() {
        try (RedisServer server = RedisServer.start()) {
            for (String own : List.of("database: 3", "redis_db: 3", "timeout: 5000")) {
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
    void noCommandCrossesWhileConnectionsAreKilled() throws InterruptedException {
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
                continue; // It is for the callers to try again.
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
