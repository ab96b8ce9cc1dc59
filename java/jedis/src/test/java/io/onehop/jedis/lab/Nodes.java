package io.onehop.jedis.lab;

import io.onehop.core.Topology;
import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.Jedis;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Several redis-servers as one server pool named {@code alpha}, and helpers for tests with server
 * pools.
 */
public final class Nodes implements AutoCloseable {
    private final List<RedisServer> servers;

    private Nodes(List<RedisServer> servers) {
        this.servers = servers;
    }

    public static Nodes start(int count) {
        return new Nodes(IntStream.range(0, count).mapToObj(i -> RedisServer.start()).toList());
    }

    public List<RedisServer> servers() {
        return servers;
    }

    /** The configuration of the pool, with further directives. */
    public String config(String... directives) {
        return configOf(servers.stream().map(RedisServer::server), directives);
    }

    /**
     * The configuration of a pool of these servers. Unless the test sets other values, the hash is
     * murmur and the timeout is 30 s: nutcracker's default hash places many numbered keys in a row
     * on one node, and with a short timeout a busy machine looks like a slow node.
     */
    public static String configOf(Stream<String> servers, String... directives) {
        StringBuilder config = new StringBuilder("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n");
        List.of("hash: murmur", "timeout: 30000").stream()
                .filter(line -> Arrays.stream(directives).noneMatch(isOf(line)))
                .forEach(line -> config.append("  ").append(line).append('\n'));
        Arrays.stream(directives)
                .forEach(directive -> config.append("  ").append(directive).append('\n'));
        config.append("  servers:\n");
        servers.forEach(server -> config.append("    - ").append(server).append('\n'));
        return config.toString();
    }

    private static Predicate<String> isOf(String line) {
        String directive = line.substring(0, line.indexOf(' '));
        return other -> other.startsWith(directive);
    }

    /** A client of the pool. */
    public OneHopClient client(String... directives) {
        return clientOf(config(directives));
    }

    /** A client of a pool of these servers. */
    public static OneHopClient clientOf(Stream<String> servers, String... directives) {
        return clientOf(configOf(servers, directives));
    }

    public static OneHopClient clientOf(String config) {
        return clientOf(OneHopClient.builder(), config);
    }

    /** A client that follows this file. */
    public static OneHopClient clientOf(Path file) {
        return OneHopClient.builder().config(file).pool("alpha").build();
    }

    /** A client of this configuration, by a builder with further settings. */
    public static OneHopClient clientOf(OneHopClient.Builder builder, String config) {
        return builder.configText(config).pool("alpha").build();
    }

    /** An element of {@code servers} at whose address nothing listens. */
    public static String refusing() {
        return "127.0.0.1:" + Processes.freePort() + ":1";
    }

    /** The keys {@code key:0}, {@code key:1} ..., so many. */
    public static String[] keys(int count) {
        return IntStream.range(0, count).mapToObj(i -> "key:" + i).toArray(String[]::new);
    }

    /** Each key, followed by its value, as for MSET. */
    public static String[] pairs(UnaryOperator<String> value, String... keys) {
        return Stream.of(keys)
                .flatMap(key -> Stream.of(key, value.apply(key)))
                .toArray(String[]::new);
    }

    /** A key on the node of that name. */
    public static String keyOn(OneHopClient client, String node) {
        return keysOn(client, node).findFirst().orElseThrow();
    }

    /** Keys on the node of that name, without end. */
    public static Stream<String> keysOn(OneHopClient client, String node) {
        Topology topology = client.topology();
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "key:" + i)
                .filter(key -> topology.locate(key).name().equals(node));
    }

    /** A plain Jedis to the node of that name. */
    public Jedis jedis(String node) {
        return servers.stream()
                .filter(server -> server.node().equals(node))
                .findFirst()
                .orElseThrow()
                .jedis();
    }

    public void flush() {
        for (RedisServer server : servers) {
            server.ask(Jedis::flushAll);
        }
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
