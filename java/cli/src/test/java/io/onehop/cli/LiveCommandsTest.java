package io.onehop.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import redis.clients.jedis.Jedis;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.regex.Matcher;
import java.util.stream.Stream;

/** status, top, hot and init. */
class LiveCommandsTest {
    @TempDir Path folder;

    private Path file(RedisServer server) throws Exception {
        String text = Nodes.configOf(Stream.of(server.server()), "timeout: 30000");
        return Ran.file(folder, "a.yml", text);
    }

    @Test
    void statusAndTopShowWhatANodeSaysOfItself() throws Exception {
        try (RedisServer server = RedisServer.start();
                Jedis jedis = server.jedis()) {
            jedis.set("key", "value");
            Path file = file(server);
            Ran.of("status", "-c", file)
                    .with(ExitStatus.FINE)
                    .says(server.node())
                    .says("master")
                    .says("redis ")
                    .says("alpha: 1 of 1 nodes answer");
            Ran top = Ran.of("top", "-c", file, "--count", "2", "--every", "1", "--json");
            assertEquals(2, top.with(ExitStatus.FINE).out().lines().count());
            assertTrue(top.out().lines().allMatch(line -> line.contains("\"keys\":1")), top.out());
            assertEquals(0, server.calls("keys") + server.calls("monitor") + server.calls("get"));
        }
    }

    @Test
    void hitsOfARestartedNodeAreThoseSinceItsStart() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            NodeInfo before = afterGets(server, 3);
            server.kill();
            server.restart();
            NodeInfo fewer = afterGets(server, 1);
            assertEquals(0.5, fewer.hits(before));
            assertEquals(1, afterHits(server, 9).hits(fewer));
            server.kill();
            server.restart();
            assertEquals(0.5, afterGets(server, 30).hits(fewer), "more than before");
            try (Jedis jedis = server.jedis()) {
                jedis.configResetStat();
            }
            assertEquals(0.5, afterGets(server, 1).hits(fewer), "CONFIG RESETSTAT");
        }
    }

    /** INFO of a node after so many hits, and as many misses. */
    private static NodeInfo afterGets(RedisServer server, int count) {
        try (Jedis jedis = server.jedis()) {
            for (int i = 0; i < count; i++) {
                jedis.get("missing");
            }
        }
        return afterHits(server, count);
    }

    private static NodeInfo afterHits(RedisServer server, int count) {
        try (Jedis jedis = server.jedis()) {
            jedis.set("key", "value");
            for (int i = 0; i < count; i++) {
                jedis.get("key");
            }
            return NodeInfo.of(jedis.info());
        }
    }

    @Test
    void aNodeWithLfuCountsTheUseOfItsKeys() throws Exception {
        try (RedisServer server =
                        RedisServer.start(
                                "maxmemory-policy", "allkeys-lfu", "lfu-log-factor", "0");
                Jedis jedis = server.jedis()) {
            for (int i = 0; i < 10; i++) {
                jedis.set("cold:" + i, "x");
            }
            jedis.set("hot", "x");
            for (int i = 0; i < 100; i++) {
                jedis.get("hot");
            }
            Ran ran = Ran.of("hot", "-c", file(server), "--most", "1", "--rate", "100000");
            ran.with(ExitStatus.FINE).says("  hot\n").says("alpha: 1 of 11 sampled keys");
        }
    }

    @Test
    void withoutLfuKeysAreLookedAtAgainAndAgain() throws Exception {
        try (RedisServer server = RedisServer.start();
                Jedis jedis = server.jedis()) {
            jedis.set("key", "x");
            Ran.of("hot", "-c", file(server), "--looks", "1")
                    .with(ExitStatus.FINE)
                    .says("of 1 sampled keys");
        }
    }

    @Test
    void aLineOfAnInitialFileThatIsACommentIsRight() throws Exception {
        String there = Ran.file(folder, "there", "secret\n").toString();
        for (String kind : List.of("--server=10.0.0.1:6379", "--cluster")) {
            String text = Ran.of("init", kind).with(ExitStatus.FINE).out();
            for (String secret : List.of("redis_auth: ${PATH}", "redis_auth_file: " + there)) {
                String name = secret.substring(0, secret.indexOf(':'));
                String used =
                        text.replace("# tls", "tls")
                                .replace("/etc/ssl/certs/ca.pem", there)
                                .replaceFirst(
                                        "# " + name + ": .*", Matcher.quoteReplacement(secret));
                Path file = Ran.file(folder, "used.yml", used);
                JsonObject json = Ran.of("check", "--json", file).json();
                assertTrue(json.get("valid").getAsBoolean(), json.toString());
                assertFalse(json.toString().contains("no such file"), json.toString());
            }
        }
    }

    @Test
    void anInitialFileIsRight() throws Exception {
        Path file = folder.resolve("new.yml");
        Ran.of("init", file, "--server", "10.0.0.1:6379", "--server", "10.0.0.2:6379")
                .with(ExitStatus.FINE);
        assertEquals(
                "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        Ran.of("check", file).with(ExitStatus.FINE).says("fine: 1 server pool, 2 servers");
        Path cluster = folder.resolve("cluster.yml");
        Ran.of("init", cluster, "--cluster", "-p", "beta").with(ExitStatus.FINE);
        Ran.of("check", cluster).with(ExitStatus.FINE).says("has one seed");
        Path six = folder.resolve("six.yml");
        Ran.of("init", six, "--server", "[::1]:6379").with(ExitStatus.FINE);
        Ran.of("check", six).with(ExitStatus.FINE);
        Ran.of("init").with(ExitStatus.FINE).says("127.0.0.1:6379 node1");
    }
}
