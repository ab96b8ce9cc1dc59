package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertBegins;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import redis.clients.jedis.Jedis;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * {@code read_from} on a real Redis Cluster. The first master and its replica 4 are known by
 * address. Replica 2 has a host name, so one of its labels can be a zone. The second master has a
 * host name, and its replica 3 has none. Master 5 has no replica.
 */
class RedisClusterReadFromTest {
    private static final String ZONE = "localhost";

    private static RedisCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RedisCluster.start(2, false);
        String[] named = {"cluster-announce-hostname", ZONE};
        cluster.add(named);
        cluster.add();
        cluster.add();
        cluster.add();
        cluster.replicate(2, 0);
        cluster.replicate(3, 1);
        cluster.replicate(4, 0);
        cluster.server(1).ask(jedis -> jedis.configSet("cluster-announce-hostname", ZONE));
        for (int i = 0; i < 6; i++) {
            try (Jedis jedis = cluster.server(i).jedis()) {
                jedis.configSet("cluster-preferred-endpoint-type", "hostname");
                RedisCluster.await(
                        "the server knows all others",
                        () ->
                                jedis.clusterNodes()
                                                .lines()
                                                .filter(
                                                        line ->
                                                                line.contains("slave")
                                                                        || line.contains(
                                                                                "," + ZONE))
                                                .count()
                                        == 4);
            }
        }
        cluster.move(0, 0, 5);
        cluster.awaitReplicas();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static OneHopClient client(String... directives) {
        return cluster.client(
                Stream.concat(Stream.of("timeout: 30000"), Arrays.stream(directives))
                        .toArray(String[]::new));
    }

    /** A key of the master that is this server. */
    private static String keyOf(OneHopClient client, int server) {
        client.get("first contact");
        return Nodes.keysOn(
                        client,
                        client.topology().nodes().stream()
                                .filter(node -> node.port() == cluster.server(server).port())
                                .findFirst()
                                .orElseThrow()
                                .name())
                .findFirst()
                .orElseThrow();
    }

    /** Reads each key so many times. Returns how many reads each server has answered. */
    private static Map<Integer, Long> readers(OneHopClient client, int reads, String... keys) {
        long[] before =
                cluster.servers().stream().mapToLong(server -> server.calls("get")).toArray();
        IntStream.range(0, reads).forEach(i -> Arrays.stream(keys).forEach(client::get));
        return new TreeMap<>(
                IntStream.range(0, before.length)
                        .boxed()
                        .collect(
                                Collectors.toMap(
                                        i -> i, i -> cluster.server(i).calls("get") - before[i]))
                        .entrySet()
                        .stream()
                        .filter(each -> each.getValue() > 0)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    @Test
    void theStatusHasRolesAndTheMastersOfReplicas() {
        try (OneHopClient client = client()) {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            new OneHopMetrics(client).bindTo(registry);
            client.get("first contact");
            Map<Integer, Node> nodes =
                    client.topology().nodes().stream()
                            .collect(
                                    Collectors.toMap(
                                            node ->
                                                    IntStream.range(0, 6)
                                                            .filter(
                                                                    i ->
                                                                            cluster.server(i).port()
                                                                                    == node.port())
                                                            .findFirst()
                                                            .orElseThrow(),
                                            node -> node));
            assertEquals(6, nodes.size());
            for (int i : new int[] {0, 1, 5}) {
                assertEquals(Role.MASTER, nodes.get(i).role());
            }
            for (int i : new int[] {2, 3, 4}) {
                assertEquals(Role.REPLICA, nodes.get(i).role());
                assertEquals(nodes.get(i == 3 ? 1 : 0).index(), nodes.get(i).master());
            }
            assertEquals(ZONE, nodes.get(1).host());
            for (NodeStatus status : client.status().nodes()) {
                Node node = client.topology().find(status.name());
                assertEquals(node.role(), status.role());
                assertEquals(
                        node.role() == Role.REPLICA
                                ? client.snapshots()
                                        .newest()
                                        .topology()
                                        .byIndex()
                                        .get(node.master())
                                        .name()
                                : null,
                        status.master());
                registry.get("onehop.node.info")
                        .tags(
                                "node",
                                status.name(),
                                "role",
                                status.role().name().toLowerCase(Locale.ROOT),
                                "master",
                                Objects.toString(status.master(), ""))
                        .gauge();
            }
            assertEquals(6, registry.get("onehop.node.info").gauges().size());
            assertEquals("127.0.0.1", nodes.get(3).host());
        }
    }

    @Test
    void theReplicasOfEachMasterTakeTurns() {
        try (OneHopClient client = client("read_from: prefer_replica")) {
            String first = keyOf(client, 0);
            String second = keyOf(client, 1);
            assertEquals(Map.of(2, 20L, 3, 40L, 4, 20L), readers(client, 40, first, second));
            assertEquals("PONG", client.ping());
            assertEquals(Map.of(2, 5L, 4, 5L), readers(client, 10, first));
        }
    }

    @Test
    void nodesOfTheZoneAnswerReadsAlsoIfTheyAreMastersAndOtherNodesIfTheZoneHasNone() {
        try (OneHopClient client = client("read_from: same_zone", "zone: " + ZONE)) {
            assertEquals(Map.of(2, 10L), readers(client, 10, keyOf(client, 0)));
            assertEquals(Map.of(1, 10L), readers(client, 10, keyOf(client, 1)));
            assertEquals(Map.of(5, 10L), readers(client, 10, keyOf(client, 5)));
        }
        try (OneHopClient client = client("read_from: same_zone", "zone: elsewhere")) {
            assertEquals(Map.of(2, 5L, 4, 5L), readers(client, 10, keyOf(client, 0)));
        }
    }

    @Test
    void aMasterWithoutReplicasAnswersOrTheReadFails() {
        try (OneHopClient preferring = client("read_from: prefer_replica");
                OneHopClient strict = client("read_from: replica")) {
            String key = keyOf(preferring, 5);
            assertEquals(Map.of(5, 10L), readers(preferring, 10, key));
            NodeDown none = assertThrows(NodeDown.class, () -> strict.get(key));
            assertBegins("No replica of this node can answer, node ", none);
            assertEquals("OK", strict.set(key, "written"));
        }
    }

    @Test
    void ifAReplicaIsDeadItsMasterAnswersOrTheReadFails() {
        try (OneHopClient preferring = client("read_from: prefer_replica");
                OneHopClient zone = client("read_from: same_zone", "zone: " + ZONE);
                OneHopClient strict = client("read_from: replica")) {
            String key = keyOf(preferring, 0);
            preferring.set(key, "value");
            cluster.server(0).ask(jedis -> jedis.waitReplicas(2, 5000));
            keyOf(zone, 0);
            keyOf(strict, 0);
            cluster.server(2).kill();
            for (int i = 0; i < 10; i++) {
                assertEquals("value", preferring.get(key));
                assertEquals("value", zone.get(key));
            }
            int down = 0;
            // One of the two reads fails, or none if the map already has the change.
            for (int i = 0; i < 2; i++) {
                try {
                    assertEquals("value", strict.get(key));
                } catch (NodeDown dead) {
                    down++;
                }
            }
            assertTrue(down <= 1, down + " of 2 reads failed");
            cluster.server(2).restart();
            RedisCluster.await(
                    "the replica is back",
                    () -> {
                        return cluster.server(2)
                                .ask(jedis -> jedis.info("replication"))
                                .contains("master_link_status:up");
                    });
            cluster.awaitReplicas();
        }
    }
}
