package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Processes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClusterResetType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Real Redis Clusters whose nodes join, leave, are replaced and change their address; and how a
 * client gets its first map.
 */
class RedisClusterNodesTest {
    private static final int SLOT_OF_LAST = 16000; // A slot of the last of three masters.

    @TempDir private Path folder;

    private static Pool poolOf(OneHopClient client, String node) {
        Node found = client.route().take().topology().find(node);
        return found == null ? null : client.route().take().pools()[found.index()];
    }

    /**
     * Repeats calls until the condition is true. Their failures and redirects make the client
     * refresh its map. Each round also reads another slot, because a client that gets no redirects
     * may keep its map for a minute.
     */
    private static void callUntil(
            OneHopClient client, String key, String what, BooleanSupplier condition) {
        AtomicInteger calls = new AtomicInteger();
        RedisCluster.await(
                what,
                () -> {
                    try {
                        client.set(key, "x");
                        client.get("any:" + calls.getAndIncrement());
                    } catch (OneHopException meanwhile) {
                        return false;
                    }
                    return condition.getAsBoolean();
                });
    }

    private static Set<String> connections(RedisServer server) {
        return server.ask(jedis -> jedis.clientList())
                .lines()
                .filter(line -> !line.contains("cmd=client"))
                .map(line -> line.split(" ")[0])
                .collect(Collectors.toSet());
    }

    /* ---- Joining and leaving ---- */

    @Test
    void aNodeThatJoinsIsUsedWhenTheMapNamesItAndUnknownAfterItHasLeft() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            client.set(key, "1");
            assertEquals(3, client.topology().nodes().size());
            cluster.add();
            cluster.awaitKnown(3);
            cluster.move(SLOT_OF_LAST, 2, 3);
            assertEquals("1", client.get(key)); // MOVED to a node that the map lacks.
            assertEquals(4, client.topology().nodes().size());
            assertEquals(cluster.server(3).node(), client.topology().locate(key).name());
            client.flushAll();
            cluster.giveAll(3, 0);
            cluster.forget(3);
            cluster.server(3).kill();
            callUntil(client, key, "the map lacks it", () -> client.topology().nodes().size() == 3);
            assertNull(client.topology().find(cluster.server(3).node()));
            assertEquals(3, client.status().nodes().size());
            assertEquals(3, client.onEachNode(commands -> commands.dbSize()).size());
            assertTrue(
                    client.topology().nodes().stream()
                            .allMatch(node -> node.role() == Role.MASTER));
        }
    }

    /** Each node is up and answers, but the answer is CLUSTERDOWN. */
    @Test
    void aClientIsNotReadyWhileItsClusterIsDown() {
        try (RedisCluster cluster =
                        RedisCluster.start(1, false, "cluster-require-full-coverage", "yes");
                OneHopClient client = cluster.client("timeout: 1500");
                Jedis admin = cluster.server(0).jedis()) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            Callers.answered(() -> client.set(key, "value"));
            assertTrue(client.status().isUsable());
            admin.clusterDelSlots(0);
            RedisCluster.await(
                    "the cluster is down", () -> admin.clusterInfo().contains("state:fail"));
            assertThrows(OneHopException.class, () -> client.get(key));
            RedisCluster.await("the client is not ready", () -> !client.status().isUsable());
            assertTrue(client.status().isClusterDown());
            assertFalse(client.status().isWell());
            assertEquals(NodeStatus.State.UP, client.status().nodes().get(0).state());
            admin.clusterAddSlots(0);
            RedisCluster.await(
                    "the client is ready without a call", () -> client.status().isUsable());
            assertEquals("value", Callers.answered(() -> client.get(key)));
        }
    }

    @Test
    void whenAllSeedsAreDeadNodesOfTheMapAreAsked() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            client.set(key, "1");
            cluster.add();
            cluster.awaitKnown(3);
            cluster.server(0).kill();
            cluster.move(SLOT_OF_LAST, 2, 1);
            assertEquals("1", client.get(key));
            callUntil(
                    client,
                    key,
                    "the map has the node that joined",
                    () -> client.topology().nodes().size() == 4);
        }
    }

    /* ---- Replaced ---- */

    @Test
    void aNewNodeAtTheSameAddressGetsNoConnectionOfTheEarlierNode() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            client.set(key, "1");
            String name = cluster.server(2).node();
            Pool before = poolOf(client, name);
            Set<String> connections = connections(cluster.server(2));
            String id = client.topology().find(name).id();
            client.flushAll();
            cluster.giveAll(2, 0);
            cluster.forget(2); // The node gets another id, but its connections stay open.
            cluster.meet(2);
            cluster.awaitKnown(2);
            cluster.move(SLOT_OF_LAST, 0, 2);
            callUntil(
                    client,
                    key,
                    "the map has the new node",
                    () -> !client.topology().find(name).id().equals(id));
            assertEquals(name, client.topology().locate(key).name());
            client.set(key, "2");
            assertEquals("2", client.get(key));
            assertNotSame(before, poolOf(client, name));
            // A question for the map may still use a connection.
            RedisCluster.await(
                    "the earlier node's pool is empty",
                    () -> before.getNumIdle() + before.getNumActive() == 0);
            RedisCluster.await(
                    "no connection of the earlier node is left",
                    () -> connections(cluster.server(2)).stream().noneMatch(connections::contains));
        }
    }

    @Test
    void aNewNodeAtTheAddressOfADeadNodeIsAskedImmediately() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client =
                        cluster.client("timeout: 5000", "server_retry_timeout: 600000")) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            Callers.answered(() -> client.set(key, "1"));
            String name = cluster.server(2).node();
            String id = client.topology().find(name).id();
            cluster.server(2).kill();
            for (int i = 0; i < 10; i++) {
                assertThrows(NodeDown.class, () -> client.get(key));
            }
            cluster.server(2).forgetCluster();
            cluster.server(2).restart();
            try (Jedis jedis = cluster.server(2).jedis()) {
                jedis.clusterAddSlotsRange(2 * 16384 / 3, 16383);
                jedis.clusterSetConfigEpoch(100);
            }
            for (int i = 0; i < 2; i++) {
                cluster.server(i).ask(jedis -> jedis.clusterForget(id));
            }
            cluster.meet(2);
            cluster.awaitKnown(2);
            callUntil(
                    client,
                    RedisCluster.tagIn(0),
                    "the map has the new node",
                    () -> {
                        try {
                            return client.get(key) == null
                                    && !id.equals(client.topology().find(name).id());
                        } catch (OneHopException stillTheOldOne) {
                            return false;
                        }
                    });
            NodeStatus status =
                    client.status().nodes().stream()
                            .filter(node -> node.name().equals(name))
                            .findFirst()
                            .orElseThrow();
            assertEquals(NodeStatus.State.UP, status.state());
            assertEquals(0, status.failures());
        }
    }

    @Test
    void aNodeThatComesBackAtAnotherAddressIsFoundThere() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            String key = RedisCluster.tagIn(SLOT_OF_LAST);
            client.set(key, "1");
            String before = cluster.server(2).node();
            String id = client.topology().find(before).id();
            cluster.server(2).kill();
            assertThrows(NodeDown.class, () -> client.get(key));
            cluster.server(2).restartElsewhere();
            cluster.awaitKnown(2);
            callUntil(client, key, "the node is found", () -> true);
            assertEquals(cluster.server(2).node(), client.topology().locate(key).name());
            assertEquals(id, client.topology().locate(key).id());
            assertNull(client.topology().find(before));
            assertEquals(3, client.topology().nodes().size());
        }
    }

    @Test
    void ifTwoNodesDoNotKnowEachOtherTheMapWithMoreNodesWins() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client("timeout: 3000")) {
            String lost = RedisCluster.tagIn(SLOT_OF_LAST);
            Callers.answered(() -> client.set(lost, "1"));
            List<String> ids = IntStream.range(0, 3).mapToObj(cluster::id).toList();
            for (int i = 0; i < 3; i++) {
                try (Jedis jedis = cluster.server(i).jedis()) {
                    for (int other = 0; other < 3; other++) {
                        if (other != i && (i == 2 || other == 2)) {
                            jedis.clusterForget(ids.get(other));
                        }
                    }
                }
            }
            try (Jedis jedis = cluster.server(1).jedis()) {
                jedis.sendCommand(redis.clients.jedis.Protocol.Command.CLUSTER, "BUMPEPOCH");
            }
            cluster.move(0, 0, 1);
            callUntil(
                    client,
                    RedisCluster.tagIn(0),
                    "two are left",
                    () -> client.topology().nodes().size() == 2);
            // Each call refreshes the map more than once, until its deadline.
            for (int i = 0; i < 3; i++) {
                assertThrows(OneHopException.class, () -> client.get(lost));
                assertEquals(2, client.topology().nodes().size());
            }
        }
    }

    /* ---- Addresses ---- */

    @Test
    void ifANodeNamesNoHostTheHostThatWasAskedIsUsed() {
        try (RedisCluster cluster = RedisCluster.start(3, false)) {
            int slot = 100;
            // In MOVED these are written as ":port" and "?:port".
            for (String type : List.of("unknown-endpoint", "hostname")) {
                for (RedisServer server : cluster.servers()) {
                    server.ask(jedis -> jedis.configSet("cluster-preferred-endpoint-type", type));
                }
                try (OneHopClient client = cluster.client()) {
                    String key = RedisCluster.tagIn(slot);
                    client.set(key, "1");
                    cluster.move(slot, 0, 2);
                    assertEquals("1", client.get(key));
                    assertEquals(cluster.server(2).node(), client.topology().locate(key).name());
                    IntStream.range(0, 50).forEach(i -> client.set("other:" + i, "x"));
                    assertEquals(51, client.dbSize());
                    client.flushAll();
                }
                slot++;
            }
        }
    }

    @Test
    void nodesMayHaveIpv6Addresses() throws IOException {
        Path both = Files.writeString(folder.resolve("bind"), "bind 127.0.0.1 ::1\n");
        try (RedisCluster cluster =
                        RedisCluster.start(
                                2,
                                false,
                                "include",
                                both.toString(),
                                "cluster-announce-ip",
                                "::1");
                OneHopClient client = cluster.client()) {
            String key = RedisCluster.tagIn(100);
            client.set(key, "1");
            for (RedisServer server : cluster.servers()) {
                RedisCluster.await(
                        "the map has the address",
                        () -> {
                            client.set(key, "1");
                            return client.topology().find("::1:" + server.port()) != null;
                        });
            }
            cluster.move(100, 0, 1);
            assertEquals("1", client.get(key));
            assertEquals("::1:" + cluster.server(1).port(), client.topology().locate(key).name());
            IntStream.range(0, 50).forEach(i -> client.set("other:" + i, "x"));
            assertEquals(51, client.dbSize());
        }
    }

    @Test
    void aSingleNodeIsACluster() {
        try (RedisCluster cluster = RedisCluster.start(1, false);
                OneHopClient client = cluster.client()) {
            client.set("a", "1");
            assertEquals("1", client.get("a"));
            assertEquals(
                    List.of(cluster.server(0).node()),
                    client.topology().nodes().stream().map(Node::name).toList());
        }
    }

    /* ---- First contact ---- */

    private static OneHopClient clientOf(int timeoutMs, String... servers) {
        return Nodes.clientOf(
                "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n  timeout: "
                        + timeoutMs
                        + "\n  servers:\n    - "
                        + String.join("\n    - ", servers)
                        + "\n");
    }

    @Test
    void aFailedBootstrapNamesEachNodesReason() {
        try (RedisServer plain = RedisServer.start();
                RedisServer frozen = RedisServer.start();
                OneHopClient dead =
                        clientOf(30_000, "127.0.0.1:1:1", "127.0.0.1:2:1", "127.0.0.1:3:1");
                OneHopClient mixed = clientOf(30_000, "127.0.0.1:1:1", plain.server());
                OneHopClient late = clientOf(2000, frozen.server())) {
            NodeDown down = assertThrows(NodeDown.class, () -> dead.get("a"));
            for (int port = 1; port <= 3; port++) {
                assertSays("127.0.0.1:" + port + ": Connection refused", down);
            }
            assertFalse(down.mayHaveExecuted());
            ConfigInvalid none = assertThrows(ConfigInvalid.class, () -> mixed.get("a"));
            assertSays("127.0.0.1:1: Connection refused", none);
            assertSays(
                    plain.node()
                            + ": it answered: ERR This instance has cluster support"
                            + " disabled",
                    none);
            frozen.freeze();
            DeadlineExceeded silent = assertThrows(DeadlineExceeded.class, () -> late.get("a"));
            assertSays(frozen.node() + ": ", silent);
            assertFalse(silent.mayHaveExecuted());
            frozen.thaw();
        }
    }

    /* ---- The end ---- */

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("onehop-"))
                .count();
    }

    @Test
    void aClientThatIsClosedWhileItAsksForTheMapLeavesNoThread() throws InterruptedException {
        assertTrue(Callers.holdsSoon(() -> threads() == 0));
        try (RedisCluster cluster = RedisCluster.start(3, false);
                RedisServer frozen = RedisServer.start()) {
            for (int i = 0; i < 5; i++) {
                try (OneHopClient client = cluster.client()) {
                    client.set("a", "1");
                }
            }
            frozen.freeze();
            OneHopClient asking = clientOf(12_000, frozen.server());
            Thread caller =
                    new Thread(() -> assertThrows(OneHopException.class, () -> asking.get("a")));
            caller.start();
            RedisCluster.await("the client asks for the map", () -> threads() >= 2);
            asking.close();
            caller.join(10_000);
            assertFalse(caller.isAlive(), "a call still waits for the map of a closed client");
            OneHopClient known = cluster.client("timeout: 2000");
            Callers.answered(() -> known.set("a", "1"));
            cluster.servers().forEach(RedisServer::freeze);
            assertThrows(DeadlineExceeded.class, () -> known.get("a"));
            known.close();
            RedisCluster.await("no thread is left", () -> threads() == 0);
            cluster.servers().forEach(RedisServer::thaw);
            frozen.thaw();
        }
    }

    /** A node was reset, and is now a cluster of its own that has all slots and a higher epoch. */
    @Test
    void aMapOfStrangersIsNotBelievedWhileAKnownNodeAnswers() {
        try (RedisCluster cluster = RedisCluster.start(3, false);
                OneHopClient client = cluster.client()) {
            String first = RedisCluster.tagIn(0);
            client.set(first, "value");
            try (Jedis stranger = cluster.server(2).jedis()) {
                stranger.clusterReset(ClusterResetType.HARD);
                stranger.sendCommand(Protocol.Command.CLUSTER, "SET-CONFIG-EPOCH", "1000");
                stranger.sendCommand(Protocol.Command.CLUSTER, "ADDSLOTSRANGE", "0", "16383");
            }
            for (int slot = 1; slot <= 4; slot++) {
                for (int server : new int[] {1, 0}) {
                    try (Jedis jedis = cluster.server(server).jedis()) {
                        jedis.clusterSetSlotNode(slot, cluster.id(1));
                    }
                }
                String key = RedisCluster.tagIn(slot);
                client.set(key, "value"); // The node answers MOVED, so the map is refreshed.
                for (int i = 0; i < 65; i++) {
                    client.set(first, "value");
                    Processes.pause(20);
                }
            }
            assertEquals(0, cluster.server(2).calls("set"));
        }
    }
}
