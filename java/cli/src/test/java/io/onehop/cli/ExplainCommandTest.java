package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.Gson;
import com.google.gson.JsonArray;

import io.onehop.core.config.Config;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.lab.RedisCluster;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** The node of a key, and why. */
class ExplainCommandTest {
    private static final String TWO =
            "alpha:\n  engine: redis\n  hash: murmur\n  hash_tag: \"{}\"\n  servers:\n"
                    + "   - 10.0.0.1:6379 one\n   - 10.0.0.2:6379 two\n";

    @TempDir Path folder;

    @Test
    void aKeyHasItsHashItsPointAndItsNode() throws Exception {
        Config config = Config.parse(TWO.getBytes(StandardCharsets.UTF_8));
        String node = PoolTopology.of(config.pools().get(0)).locate("cart:7").name();
        Path file = Ran.file(folder, "a.yml", TWO);
        Ran.of("explain", "-c", file, "{cart:7}:sum", "cart:7")
                .with(ExitStatus.FINE)
                .says("hashed  \"cart:7\" (the part in its hash tag)")
                .says("hashed  \"cart:7\" (the whole key: it has no hash tag)")
                .says("(the next point of the ring)")
                .says("node    " + node + ", at 10.0.0." + (node.equals("one") ? 1 : 2));
        Ran ran = Ran.of("explain", "--json", "-c", file, "-p", "alpha", "cart:7");
        JsonArray json = new Gson().fromJson(ran.with(ExitStatus.FINE).out(), JsonArray.class);
        assertEquals(node, json.get(0).getAsJsonObject().get("node").getAsString());
    }

    @Test
    void aKeyThatMovesHasTwoNodes() throws Exception {
        String text = "a:\n  engine: redis\n  servers:\n   - h:1\n  moving_from:\n   - h:2\n";
        Path file = Ran.file(folder, "a.yml", text);
        Ran.of("explain", "-c", file, "k")
                .with(ExitStatus.FINE)
                .says("node    h:1")
                .says("from    h:2, until the key has moved");
    }

    @Test
    void aPoolOfOneServerHashesNothing() throws Exception {
        Path file = Ran.file(folder, "a.yml", "a:\n  engine: redis\n  servers:\n   - h:1\n");
        Ran.of("explain", "-c", file, "k")
                .with(ExitStatus.FINE)
                .says("the server pool has one server");
    }

    @Test
    void aRedisClusterIsAskedForItsSlots() throws Exception {
        try (RedisCluster cluster = RedisCluster.start(2, false)) {
            Path file = Ran.file(folder, "a.yml", cluster.config("timeout: 30000"));
            Ran.of("explain", "-c", file, "foo")
                    .with(ExitStatus.FINE)
                    .says("point   12182 (the slot of the Redis Cluster)")
                    .says("node    " + cluster.server(cluster.ownerOf(12_182)).node());
        }
    }

    @Test
    void aKeyThatTheLocaleHasLostIsRefused() throws Exception {
        Path file = Ran.file(folder, "a.yml", TWO);
        Ran.of("explain", "-c", file, "\ufffd").refused(ExitStatus.WRONG_USAGE, "LC_ALL");
    }
}
