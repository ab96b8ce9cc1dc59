package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;

import io.onehop.core.Node;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Keys of a Redis Cluster in which a slot has no node. */
class ClusterKeysTest {
    private static final int SLOT_OF_FOO = 12_182;
    private static final int SLOT_OF_BAR = 5061;

    @TempDir static Path folder;

    private static RedisCluster cluster;
    private static Path file;

    @BeforeAll
    static void loseASlot() throws Exception {
        cluster = RedisCluster.start(2, false);
        try (Jedis owner = cluster.server(1).jedis();
                Jedis other = cluster.server(0).jedis()) {
            owner.clusterDelSlots(SLOT_OF_FOO);
            // Earlier messages of the owner must have arrived: they would bring the slot back.
            long pings = heard(other, "ping");
            long pongs = heard(other, "pong");
            RedisCluster.await(
                    "the owner has been heard since",
                    () -> heard(other, "ping") > pings + 1 && heard(other, "pong") > pongs + 1);
            if (other.clusterInfo().contains("cluster_slots_assigned:16384")) {
                other.clusterDelSlots(SLOT_OF_FOO);
            }
        }
        file = Ran.file(folder, "a.yml", cluster.config("timeout: 30000"));
    }

    private static long heard(Jedis jedis, String kind) {
        return jedis.clusterInfo()
                .lines()
                .filter(line -> line.startsWith("cluster_stats_messages_" + kind + "_received:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:", "").trim()))
                .sum();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void itsKeyHasNoNode() {
        Ran.of("explain", "-c", file, "foo", "hello")
                .with(ExitStatus.FINDINGS)
                .says("point   12182 (the slot of the Redis Cluster)")
                .says("node    none: no node has this slot")
                .says("node    " + cluster.server(0).node());
        Ran ran = Ran.of("explain", "-c", file, "foo", "--json").with(ExitStatus.FINDINGS);
        JsonArray json = new Gson().fromJson(ran.out(), JsonArray.class);
        assertTrue(json.get(0).getAsJsonObject().get("node").isJsonNull());
    }

    @Test
    void itsKeysLandNowhere() throws Exception {
        Ran.withInput("foo\n{foo}:1\nbar\n", "spread", "-c", file, "-k", "-")
                .with(ExitStatus.FINDINGS)
                .says("alpha: 3 keys of stdin")
                .says("1 of 16,384 slots have no node, so keys in them cannot be")
                .says(": 2 of these keys");
        Path ring = Ran.file(folder, "b.yml", "a:\n  engine: redis\n  servers:\n   - h:1\n");
        Ran diff = Ran.withInput("foo\nbar\n", "diff", file, ring, "-k", "-", "--json");
        diff.with(ExitStatus.FINDINGS);
        assertEquals(1, diff.json().get("moved").getAsLong());
        assertEquals(1, diff.json().get("keys_without_node").getAsLong());
    }

    @Test
    void doctorSaysSo() {
        Ran.of("doctor", "-c", file)
                .with(ExitStatus.FINDINGS)
                .says("all nodes: error: 1 of 16,384 slots have no node");
    }

    @Test
    void aKeyThatHasMovedIsAskedOnItsNewNode() throws Exception {
        ConfigFile read = ConfigFile.read(file);
        byte[] key = "bar".getBytes(StandardCharsets.US_ASCII);
        try (Jedis jedis = cluster.server(0).jedis();
                AskedNodes nodes = new AskedNodes(read, read.pool(null))) {
            jedis.set("bar", "value");
            Node old = nodes.topology().locate(key);
            cluster.move(SLOT_OF_BAR, 0, 1);
            Long bytes = nodes.askOfKey(old, Long.class, Command.MEMORY, "USAGE", key);
            assertTrue(bytes != null && bytes > 0, "bytes of bar: " + bytes);
        }
    }
}
