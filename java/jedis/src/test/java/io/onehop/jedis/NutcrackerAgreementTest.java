package io.onehop.jedis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.onehop.jedis.lab.Nodes;
import io.onehop.jedis.lab.Nutcracker;
import io.onehop.jedis.lab.RedisServer;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A real nutcracker and OneHop use the same servers. Each finds what the other has written, and no
 * key is on two servers.
 */
class NutcrackerAgreementTest {
    private static final int KEYS = 2000;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hash: fnv1a_64",
                "distribution: modula,hash: crc32",
                "hash: md5,hash_tag: \"{}\""
            })
    void keysWrittenThroughNutcrackerAreReadDirectlyAndTheOtherWayRound(String directives) {
        try (Nodes nodes = Nodes.start(3);
                RedisServer heavy = RedisServer.start();
                RedisServer named = RedisServer.start()) {
            List<String> servers =
                    new ArrayList<>(nodes.servers().stream().map(RedisServer::server).toList());
            servers.add("127.0.0.1:" + heavy.port() + ":3");
            servers.add(
                    named.server() + " a name of its own".replace(' ', '_').replaceFirst("_", " "));
            String config = Nodes.configOf(servers.stream(), directives.split(","));
            try (Nutcracker nutcracker = Nutcracker.start(config);
                    Jedis proxied = nutcracker.jedis();
                    OneHopClient redis = Nodes.clientOf(config)) {
                writeThrough(proxied);
                assertEquals(expected("through"), readDirectly(redis, "through"));
                writeDirectly(redis);
                assertEquals(expected("direct"), readThrough(proxied, "direct"));
                assertEquals(2 * KEYS, keysOnAll(nodes, heavy, named));
            }
        }
    }

    private static String key(String kind, int i) {
        return (i % 2 == 0 ? "{" + i + "}" : "") + kind + ":" + i;
    }

    private static List<String> expected(String kind) {
        return IntStream.range(0, KEYS).mapToObj(i -> "value of " + key(kind, i)).toList();
    }

    private static void writeThrough(Jedis proxied) {
        Pipeline pipeline = proxied.pipelined();
        IntStream.range(0, KEYS)
                .forEach(
                        i ->
                                pipeline.hset(
                                        key("through", i),
                                        "field",
                                        "value of " + key("through", i)));
        pipeline.sync();
    }

    private static List<String> readDirectly(OneHopClient redis, String kind) {
        List<Response<String>> replies = new ArrayList<>();
        try (AbstractPipeline pipeline = redis.pipelined()) {
            IntStream.range(0, KEYS)
                    .forEach(i -> replies.add(pipeline.hget(key(kind, i), "field")));
        }
        return replies.stream().map(Response::get).toList();
    }

    private static void writeDirectly(OneHopClient redis) {
        IntStream.range(0, KEYS)
                .forEach(
                        i -> redis.hset(key("direct", i), "field", "value of " + key("direct", i)));
    }

    private static List<String> readThrough(Jedis proxied, String kind) {
        Pipeline pipeline = proxied.pipelined();
        List<Response<String>> replies =
                IntStream.range(0, KEYS)
                        .mapToObj(i -> pipeline.hget(key(kind, i), "field"))
                        .toList();
        pipeline.sync();
        return replies.stream().map(Response::get).toList();
    }

    private static long keysOnAll(Nodes nodes, RedisServer... others) {
        List<RedisServer> all = new ArrayList<>(nodes.servers());
        all.addAll(List.of(others));
        long keys = 0;
        for (RedisServer server : all) {
            try (Jedis jedis = server.jedis()) {
                assertNotNull(jedis.randomKey(), "a server without any key");
                keys += jedis.dbSize();
            }
        }
        return keys;
    }
}
