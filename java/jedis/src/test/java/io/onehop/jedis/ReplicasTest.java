package io.onehop.jedis;

import static io.onehop.jedis.lab.Said.assertSays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.onehop.core.Role;
import io.onehop.jedis.lab.Certificates;
import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisCluster;
import io.onehop.jedis.lab.RedisServer;
import io.onehop.jedis.lab.WatchedMasters;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** {@code read_from} where replicas come from the file or from Sentinels. */
class ReplicasTest {
    private static final List<String> KEYS = List.of(Nodes.keys(1000));

    private Nodes nodes; // The two masters.
    private final List<RedisServer> replicas = new ArrayList<>(); // Two for each master.

    @BeforeEach
    void start() {
        nodes = Nodes.start(2);
        for (RedisServer master : nodes.servers()) {
            master.ask(jedis -> jedis.configSet("repl-diskless-sync-delay", "0"));
        }
        for (int i = 0; i < 4; i++) {
            int port = nodes.servers().get(i / 2).port();
            replicas.add(RedisServer.start("replicaof", "127.0.0.1 " + port));
        }
        try (OneHopClient redis = nodes.client()) {
            for (String key : KEYS) {
                redis.set(key, key);
                redis.hset("h:" + key, "f", key);
            }
        }
        awaitReplicas();
    }

    @AfterEach
    void stop() {
        replicas.forEach(RedisServer::close);
        nodes.close();
    }

    private void awaitReplicas() {
        RedisCluster.await(
                "the replicas have everything",
                () -> IntStream.range(0, 4).allMatch(this::hasEverything));
    }

    /** The link must be up: before, the offset of a replica says nothing. */
    private boolean hasEverything(int number) {
        RedisServer replica = replicas.get(number);
        RedisServer master = nodes.servers().get(number / 2);
        return replica.ask(jedis -> jedis.info("replication")).contains("master_link_status:up")
                && replica.number("replication", "slave_repl_offset")
                        >= master.number("replication", "master_repl_offset");
    }

    private String config(String from, int first) {
        StringBuilder lines = new StringBuilder("replicas:");
        for (int i = first; i < 4; i++) {
            lines.append("\n   - " + replicas.get(i).node() + " " + master(i / 2));
        }
        return nodes.config(lines.toString(), "read_from: " + from);
    }

    private String master(int number) {
        return nodes.servers().get(number).node();
    }

    private OneHopClient client(String from) {
        return Nodes.clientOf(config(from, 0));
    }

    private static long sum(List<RedisServer> servers, ToLongFunction<RedisServer> each) {
        return servers.stream().mapToLong(each).sum();
    }

    /** Reads every key: by single commands, in a batch, and by a split command. */
    private static void requireAll(OneHopClient redis) {
        for (String key : KEYS) {
            assertEquals(key, redis.get(key));
        }
        List<Response<String>> fields = new ArrayList<>();
        try (AbstractPipeline batch = redis.pipelined()) {
            KEYS.forEach(key -> fields.add(batch.hget("h:" + key, "f")));
        }
        assertEquals(KEYS, fields.stream().map(Response::get).toList());
        assertEquals(KEYS, redis.mget(KEYS.toArray(String[]::new)));
    }

    @Test
    void replicasAnswerSingleReadsAndReadsInBatches() {
        for (String from : List.of("prefer_replica", "replica")) {
            long before = sum(replicas, each -> each.calls("hget"));
            long atMasters = sum(nodes.servers(), each -> each.calls("hget"));
            try (OneHopClient redis = client(from)) {
                requireAll(redis);
            }
            assertEquals(1000, sum(replicas, each -> each.calls("hget")) - before);
            assertEquals(atMasters, sum(nodes.servers(), each -> each.calls("hget")));
            assertTrue(replicas.stream().allMatch(each -> each.calls("get") > 0));
        }
        try (OneHopClient redis = client("lowest_latency")) {
            requireAll(redis);
        }
    }

    /** The first replica has another host than all other nodes. */
    private String inZone(String zone) {
        String port = ":" + replicas.get(0).port() + " ";
        return config("same_zone", 0)
                .replace("127.0.0.1" + port, "localhost" + port)
                .replace(
                        "  servers:",
                        "  zone: "
                                + zone
                                + "\n  host_zones: [localhost a, 127.0.0.1 b]\n  servers:");
    }

    private void requireAnswersOf(List<RedisServer> answering, String zone) {
        List<RedisServer> all = new ArrayList<>(nodes.servers());
        all.addAll(replicas);
        List<Long> before = all.stream().map(server -> server.calls("get")).toList();
        try (OneHopClient redis = Nodes.clientOf(inZone(zone))) {
            requireAll(redis);
        }
        for (int i = 0; i < all.size(); i++) {
            RedisServer server = all.get(i);
            assertEquals(
                    answering.contains(server),
                    server.calls("get") > before.get(i),
                    "in zone " + zone + ": " + server.node());
        }
    }

    @Test
    void nodesOfTheZoneAnswer() {
        List<RedisServer> ofB = new ArrayList<>(nodes.servers());
        ofB.addAll(replicas.subList(1, 4));
        requireAnswersOf(List.of(replicas.get(0), replicas.get(2), replicas.get(3)), "a");
        requireAnswersOf(ofB, "b");
        requireAnswersOf(replicas, "elsewhere");
        requireAnswersOf(List.of(replicas.get(0), replicas.get(2), replicas.get(3)), "localhost");
    }

    @Test
    void commandsThatDoNotOnlyReadAreSentToMasters() {
        try (OneHopClient redis = client("replica");
                OneHopClient plain = nodes.client()) {
            redis.set("key:1", "new");
            assertEquals("new", redis.eval("return redis.call('get', KEYS[1])", 1, "key:1"));
            try (AbstractTransaction transaction = redis.multi()) {
                Response<String> value = transaction.get("key:1");
                transaction.set("key:1", "key:1");
                transaction.exec();
                assertEquals("new", value.get());
            }
            assertEquals(2000, redis.dbSize());
            Set<String> scanned = new HashSet<>();
            ScanResult<String> page = new ScanResult<>("0", List.of());
            do {
                page = redis.scan(page.getCursor(), new ScanParams().match("key:*").count(500));
                scanned.addAll(page.getResult());
            } while (!page.isCompleteIteration());
            assertEquals(1000, scanned.size());
            assertEquals(plain.topology().fingerprint(), redis.topology().fingerprint());
            for (String command : List.of("eval", "dbsize", "scan", "readonly")) {
                assertEquals(0, sum(replicas, each -> each.calls(command)), command);
            }
        }
    }

    @Test
    void theStatusNamesTheMasterOfAReplica() {
        try (OneHopClient redis = client("replica")) {
            List<NodeStatus> shown = redis.status().nodes();
            assertEquals(6, shown.size());
            Map<String, String> masters = new HashMap<>();
            shown.stream()
                    .filter(node -> node.role() == Role.REPLICA)
                    .forEach(node -> masters.put(node.name(), node.master()));
            assertEquals(4, masters.size());
            assertEquals(master(0), masters.get(replicas.get(1).node()));
            assertEquals(master(1), masters.get(replicas.get(2).node()));
            assertEquals(1.0, shown.stream().mapToDouble(NodeStatus::share).sum(), 0.001);
        }
    }

    @Test
    void theMasterAnswersReadsWhenItsReplicasAreDead() {
        try (OneHopClient prefers = client("prefer_replica");
                OneHopClient fastest = client("lowest_latency");
                OneHopClient strict = client("replica")) {
            List.of(prefers, fastest, strict).forEach(ReplicasTest::requireAll);
            for (int dead = 0; dead < 2; dead++) {
                replicas.get(dead).kill();
                requireAll(prefers);
                requireAll(fastest);
            }
            String key = Nodes.keyOn(strict, master(0));
            NodeDown down = assertThrows(NodeDown.class, () -> strict.get(key));
            assertTrue(
                    down.getMessage().contains(":" + replicas.get(0).port())
                            || down.getMessage().contains(":" + replicas.get(1).port()));
            strict.set(key, key);
        }
    }

    @Test
    void theMasterAnswersReadsWhenItsReplicasHaveLostTheirLinkToIt() {
        try (Jedis replica = replicas.get(0).jedis();
                Jedis other = replicas.get(1).jedis();
                OneHopClient redis = client("prefer_replica")) {
            for (Jedis each : List.of(replica, other)) {
                each.configSet("replica-serve-stale-data", "no");
                each.replicaof("127.0.0.1", 1); // No server listens at this port.
            }
            requireAll(redis);
        }
    }

    @Test
    void aChangedFileNamesOtherReplicas(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("onehop.yml");
        Files.writeString(file, config("replica", 0));
        try (OneHopClient redis = Nodes.clientOf(file)) {
            requireAll(redis);
            Files.writeString(file, config("replica", 2));
            RedisCluster.await(
                    "the change is followed", () -> redis.topology().nodes().size() == 4);
            String key = Nodes.keyOn(redis, master(0));
            NodeDown down = assertThrows(NodeDown.class, () -> redis.get(key));
            assertSays("No replica of this node", down);
        }
    }

    @Test
    void replicasThatSentinelsNameAnswerAlsoDuringAFailover() {
        try (WatchedMasters masters = WatchedMasters.start(1);
                OneHopClient redis = Nodes.clientOf(masters.config("read_from: prefer_replica"))) {
            redis.set("key", "value");
            long before = masters.replica(0).calls("get");
            RedisCluster.await(
                    "the replica answers",
                    () -> {
                        redis.get("key"); // The replica may not have the value yet.
                        return masters.replica(0).calls("get") > before;
                    });
            RedisCluster.await("the replica has the value", () -> "value".equals(redis.get("key")));
            masters.failOver(0);
            RedisCluster.await(
                    "the old master answers as a replica",
                    () -> {
                        assertEquals("value", redis.get("key"));
                        return redis.topology().nodes().stream()
                                .anyMatch(
                                        node ->
                                                node.role() == Role.REPLICA
                                                        && node.port() == masters.master(0).port());
                    });
            redis.set("key", "value");
            masters.master(0).kill();
            for (int i = 0; i < 100; i++) {
                assertEquals("value", redis.get("key"));
            }
        }
    }

    @Test
    void sentinelsAreReachedByTls(@TempDir Path folder) {
        Certificates by = new Certificates(folder);
        try (WatchedMasters masters = WatchedMasters.startOverTls(by);
                OneHopClient redis =
                        Nodes.clientOf(
                                masters.config(
                                        "sentinel_tls: true",
                                        "tls_ca_cert_file: " + by.certificate("ca")))) {
            redis.set("key", "value");
            masters.failOver(0);
            RedisCluster.await(
                    "the new address is adopted",
                    () -> redis.topology().nodes().get(0).port() == masters.replica(0).port());
            assertEquals("OK", redis.set("key", "again"));
        }
    }
}
