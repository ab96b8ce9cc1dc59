package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Topology;
import io.onehop.jedis.NodeStatus.State;
import io.onehop.jedis.lab.Log;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Nutcracker;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@code auto_eject_hosts}: after as many failures as in nutcracker, the keys of a dead node move
 * to the nodes to which nutcracker moves them. After the same time they move back.
 */
class EjectionTest {
    private static final int RETRY_MS = 6000;
    private static final List<String> KEYS = List.of(Nodes.keys(400));

    private static NodeStatus nodeOf(OneHopClient redis, String node) {
        return redis.status().nodes().stream()
                .filter(each -> each.name().equals(node))
                .findFirst()
                .orElseThrow();
    }

    private static State stateOf(OneHopClient redis, String node) {
        return nodeOf(redis, node).state();
    }

    /** A client of a healthy node, and of a node named gone at whose address nothing listens. */
    private static OneHopClient clientOf(RedisServer well, int gone, int failures, int retryMs) {
        return Nodes.clientOf(
                Stream.of(well.server() + " well", "127.0.0.1:" + gone + ":1 gone"),
                "auto_eject_hosts: true",
                "server_failure_limit: " + failures,
                "server_retry_timeout: " + retryMs);
    }

    /**
     * Repeats a command for the dead node until the command is answered. Returns how often it
     * failed.
     */
    private static int failuresUntilAnswered(Runnable command) {
        for (int failures = 0; failures < 20; failures++) {
            try {
                command.run();
                return failures;
            } catch (JedisException dead) {
                continue;
            }
        }
        throw new AssertionError("the command is never answered");
    }

    /** Returns for each key the server that has it, and empties the servers. */
    private static Map<String, Integer> homes(List<RedisServer> servers) {
        Map<String, Integer> homes = new TreeMap<>();
        for (RedisServer server : servers) {
            try (Jedis jedis = server.jedis()) {
                jedis.keys("*").forEach(key -> homes.put(key, server.port()));
                jedis.flushAll();
            }
        }
        return homes;
    }

    private static void write(OneHopClient redis) {
        try (AbstractPipeline pipeline = redis.pipelined()) {
            KEYS.forEach(key -> pipeline.set(key, "x"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "distribution: ketama",
                "distribution: modula",
                "distribution: ketama,server_failure_limit: 3"
            })
    void keysAreWhereNutcrackerHasThemWhileANodeIsOutAndWhenItIsBack(String directives) {
        int deadPort = Processes.freePort();
        String dead = "127.0.0.1:" + deadPort;
        try (Nodes nodes = Nodes.start(2);
                RedisServer heavy = RedisServer.start()) {
            List<RedisServer> servers = new ArrayList<>(nodes.servers());
            servers.add(heavy);
            String[] all =
                    Stream.concat(
                                    Stream.of(
                                            "auto_eject_hosts: true",
                                            "server_retry_timeout: " + RETRY_MS),
                                    Stream.of(directives.split(",")))
                            .toArray(String[]::new);
            String config =
                    Nodes.configOf(
                            Stream.of(
                                    nodes.servers().get(0).server(),
                                    nodes.servers().get(1).server(),
                                    "127.0.0.1:" + heavy.port() + ":3",
                                    dead + ":2"),
                            all);
            try (Nutcracker nutcracker = Nutcracker.start(config);
                    OneHopClient redis = Nodes.clientOf(config)) {
                String lost = Nodes.keyOn(redis, dead);
                int limit = directives.endsWith("3") ? 3 : 2;
                try (Jedis proxied = nutcracker.jedis()) {
                    assertEquals(limit, failuresUntilAnswered(() -> proxied.set(lost, "x")));
                    KEYS.forEach(key -> proxied.set(key, "x"));
                }
                Map<String, Integer> expected = homes(servers);
                assertEquals(limit, failuresUntilAnswered(() -> redis.set(lost, "x")));
                assertEquals(State.EJECTED, stateOf(redis, dead));
                write(redis);
                assertEquals(expected, homes(servers));
                try (RedisServer back = RedisServer.startOn(deadPort)) {
                    servers.add(back);
                    assertTrue(
                            Callers.holdsSoon(
                                    () -> redis.topology().locate(lost).name().equals(dead)));
                    assertEquals(
                            State.RETURNED, stateOf(redis, dead), "the node was not asked yet");
                    write(redis);
                    assertEquals(State.UP, stateOf(redis, dead));
                    Map<String, Integer> after = homes(servers);
                    assertEquals(back.port(), after.get(lost));
                    try (Jedis proxied = nutcracker.jedis()) {
                        KEYS.forEach(key -> proxied.set(key, "x"));
                    }
                    assertEquals(homes(servers), after);
                }
            }
        }
    }

    @Test
    void theLogNamesANodeThatIsEjectedAndReturns() {
        int port = Processes.freePort();
        String node = "node gone (127.0.0.1:" + port + ") of server pool alpha is ";
        try (Log log = new Log();
                RedisServer well = RedisServer.start();
                OneHopClient redis = clientOf(well, port, 2, 300)) {
            String lost = Nodes.keyOn(redis, "gone");
            List<Integer> failures = new ArrayList<>();
            for (int returns = 0; returns < 3; returns++) { // The node is ejected in every round.
                failures.add(failuresUntilAnswered(() -> redis.set(lost, "x")));
                assertTrue(
                        Callers.holdsSoon(
                                () -> redis.topology().locate(lost).name().equals("gone")));
                assertThrows(NodeDown.class, () -> redis.get(lost));
                failuresUntilAnswered(() -> redis.set(lost, "x"));
                assertTrue(
                        Callers.holdsSoon(
                                () -> redis.topology().locate(lost).name().equals("gone")));
            }
            // There are more failures only if a busy machine needs 300 ms between two calls.
            assertEquals(2, Collections.min(failures), failures.toString());
            List<String> lines = // Without the lines of other tests' clients.
                    log.taken().stream().filter(line -> line.contains(node)).toList();
            assertEquals(2, lines.size(), lines.toString());
            assertEquals(
                    "warning: "
                            + node
                            + "ejected: Connection refused while connecting; its keys move to other"
                            + " nodes for 0.3 s",
                    lines.get(0));
            assertTrue(
                    lines.get(1)
                            .matches(
                                    "info: "
                                            + Pattern.quote(node)
                                            + "in again after [0-9]+\\.[0-9] s, and its keys with"
                                            + " it"),
                    lines.get(1));
        }
    }

    @Test
    void afterItsEjectionANodeIsReturnedAndNotUp() {
        try (RedisServer well = RedisServer.start();
                OneHopClient redis = clientOf(well, Processes.freePort(), 1, 100)) {
            String lost = Nodes.keyOn(redis, "gone");
            assertThrows(NodeDown.class, () -> redis.get(lost));
            assertTrue(Callers.holdsSoon(() -> stateOf(redis, "gone") == State.RETURNED));
            redis.get(Nodes.keyOn(redis, "well")); // This call places keys on all nodes again.
            PoolStatus status = redis.status();
            assertEquals(State.RETURNED, stateOf(redis, "gone"));
            assertFalse(status.isWell());
            assertTrue(status.isUsable());
            assertEquals(
                    List.of("gone"),
                    status.nodes().stream()
                            .filter(node -> node.reason() != null)
                            .map(NodeStatus::name)
                            .toList());
        }
    }

    @Test
    void ifAllNodesAreEjectedPlacementStaysAndCallsFail() {
        String config =
                Nodes.configOf(
                        Stream.of(Nodes.refusing() + " a", Nodes.refusing() + " b"),
                        "auto_eject_hosts: true",
                        "server_failure_limit: 1",
                        "server_retry_timeout: 60000");
        try (OneHopClient redis = Nodes.clientOf(config)) {
            Topology whole = redis.topology();
            String onA = Nodes.keyOn(redis, "a");
            String onB = Nodes.keyOn(redis, "b");
            assertEquals("a", assertThrows(NodeDown.class, () -> redis.get(onA)).getNode());
            assertEquals("b", redis.topology().locate(onA).name());
            assertEquals("b", assertThrows(NodeDown.class, () -> redis.get(onA)).getNode());
            assertEquals(
                    Set.of(State.EJECTED),
                    Set.copyOf(redis.status().nodes().stream().map(NodeStatus::state).toList()));
            assertEquals(
                    "b",
                    redis.topology().locate(onA).name(),
                    "the ejection of the last node changes no placement");
            assertEquals("b", assertThrows(NodeDown.class, () -> redis.get(onB)).getNode());
            assertEquals(whole.fingerprint(), redis.topology().fingerprint());
            assertEquals(1, redis.status().generation());
        }
    }

    @Test
    void aBatchKeepsThePlacementWithWhichItBegan() {
        try (RedisServer well = RedisServer.start();
                OneHopClient redis = clientOf(well, Processes.freePort(), 1, 60_000)) {
            String[] keys = KEYS.toArray(String[]::new);
            PartialBatch partial = assertThrows(PartialBatch.class, () -> redis.mget(keys));
            assertEquals(Set.of("gone"), partial.getFailures().keySet());
            assertEquals(KEYS.size(), redis.mget(keys).size());
            assertEquals(1.0, nodeOf(redis, "well").share());
            assertNotEquals("gone", redis.topology().locate(keys[0]).name());
        }
    }

    @Test
    void manyThreadsSeeAnEjectionOnceAndNoKeyIsLost() throws InterruptedException {
        try (Nodes nodes = Nodes.start(2)) {
            String config =
                    Nodes.configOf(
                            Stream.concat(
                                    nodes.servers().stream().map(RedisServer::server),
                                    Stream.of(Nodes.refusing() + " lost")),
                            "auto_eject_hosts: true",
                            "server_failure_limit: 2",
                            "server_retry_timeout: 60000");
            try (OneHopClient redis = Nodes.clientOf(config)) {
                Callers.inThreads(
                        8,
                        number -> {
                            for (String key : KEYS) {
                                String own = key + ":" + number;
                                failuresUntilAnswered(() -> redis.set(own, own));
                                assertEquals(own, redis.get(own));
                            }
                        });
                assertEquals(State.EJECTED, stateOf(redis, "lost"));
                Inspected.assertNothingLeased(redis);
            }
        }
    }
}
