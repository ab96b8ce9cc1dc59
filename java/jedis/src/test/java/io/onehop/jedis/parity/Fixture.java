package io.onehop.jedis.parity;

import io.onehop.core.Topology;
import io.onehop.jedis.lab.RedisServer;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.Response;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The data that exists before every call, the same on one server and on many. For each type there
 * are three keys on one node, by their hash tag, and two keys on different nodes.
 */
final class Fixture implements AutoCloseable {
    /**
     * For each type the commands that make a key of it. KEY stands for the name of the key. The
     * values are names of other keys, and numbers.
     */
    static final Map<String, List<String>> TYPES = new LinkedHashMap<>();

    static {
        TYPES.put("string", List.of("SET KEY 1"));
        TYPES.put("list", List.of("RPUSH KEY 1 2 3 1"));
        TYPES.put("set", List.of("SADD KEY 1 2 3"));
        TYPES.put("hash", List.of("HSET KEY 1 1 2 text"));
        TYPES.put("sorted-set", List.of("ZADD KEY 1 1 2 2 3 3"));
        TYPES.put("geo", List.of("GEOADD KEY 13.361389 38.115556 1 15.087269 37.502669 2"));
        TYPES.put("hyperloglog", List.of("PFADD KEY 1 2"));
        TYPES.put(
                "stream",
                List.of(
                        "XADD KEY 1-1 1 1",
                        "XADD KEY 2-2 1 2",
                        "XGROUP CREATE KEY 1 0",
                        "XREADGROUP GROUP 1 1 COUNT 1 STREAMS KEY >"));
        TYPES.put("missing", List.of());
    }

    /**
     * The keys of a type: {t}string, {t}string2 and {t}string3 on one node; string and string2 on
     * different nodes.
     */
    static List<String> names(String type) {
        return List.of("{t}" + type, "{t}" + type + "2", "{t}" + type + "3", type, type + "2");
    }

    private final Map<Jedis, List<String[]>> servers = new LinkedHashMap<>();

    /** A fixture on one server. */
    Fixture(RedisServer server) {
        List<String[]> all = new ArrayList<>();
        commands(all);
        servers.put(server.jedis(), all);
    }

    /** A fixture on the servers of a pool, with each key on its node. */
    Fixture(List<RedisServer> pool, Topology topology) {
        List<String[]> all = new ArrayList<>();
        commands(all);
        for (RedisServer server : pool) {
            servers.put(
                    server.jedis(),
                    all.stream()
                            .filter(
                                    words ->
                                            topology.locate(key(words))
                                                    .name()
                                                    .equals(server.node()))
                            .toList());
        }
    }

    private static void commands(List<String[]> all) {
        TYPES.forEach(
                (type, makers) -> {
                    for (String name : names(type)) {
                        for (String maker : makers) {
                            all.add(maker.replace("KEY", name).split(" "));
                        }
                    }
                });
    }

    private static String key(String[] words) {
        return words[0].equals("XGROUP")
                ? words[2]
                : words[0].equals("XREADGROUP") ? words[7] : words[1];
    }

    /** Deletes all data, and writes that of the fixture. */
    void restore() {
        List<Pipeline> pipelines = new ArrayList<>();
        servers.forEach(
                (jedis, commands) -> {
                    Pipeline pipeline = jedis.pipelined();
                    pipeline.sendCommand(new CommandArguments(Command.FLUSHALL));
                    for (String[] words : commands) {
                        String[] rest = Arrays.copyOfRange(words, 1, words.length);
                        pipeline.sendCommand(Command.valueOf(words[0]), rest);
                    }
                    pipelines.add(pipeline);
                });
        pipelines.forEach(Pipeline::sync);
    }

    /** The current keys, each with its type. */
    Map<String, String> keys() {
        Map<String, String> all = new TreeMap<>();
        for (Jedis jedis : servers.keySet()) {
            Map<String, Response<String>> types = new LinkedHashMap<>();
            List<String> keys = new ArrayList<>(jedis.keys("*"));
            Pipeline pipeline = jedis.pipelined();
            keys.forEach(key -> types.put(key, pipeline.type(key)));
            pipeline.sync();
            types.forEach((key, type) -> all.put(key, type.get()));
        }
        return all;
    }

    @Override
    public void close() {
        servers.keySet().forEach(Jedis::close);
    }
}
