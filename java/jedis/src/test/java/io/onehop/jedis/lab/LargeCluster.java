package io.onehop.jedis.lab;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.jedis.OneHopClient;

import java.util.ArrayList;
import java.util.List;

/**
 * A Redis Cluster with only three running masters. They know all other nodes from their nodes.conf.
 * The slots are in equal ranges, or alternate between the masters. Killed when closed.
 */
public final class LargeCluster implements AutoCloseable {
    private static final int SLOTS = 16384;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<String> names;
    private final int masters;
    private final boolean isDealt;

    private LargeCluster(int masters, boolean isDealt, JsonObject started) {
        this.masters = masters;
        this.isDealt = isDealt;
        this.names =
                started.getAsJsonArray("names").asList().stream()
                        .map(JsonElement::getAsString)
                        .toList();
        started.getAsJsonArray("nodes")
                .forEach(
                        node ->
                                servers.add(
                                        new RedisServer(
                                                "cluster_node",
                                                List.of(),
                                                node.getAsJsonObject())));
    }

    /** That many masters, and that many replicas of each. {@code isDealt}: the slots alternate. */
    public static LargeCluster start(int masters, int replicas, boolean isDealt) {
        return new LargeCluster(
                masters,
                isDealt,
                Lab.ask(
                                "large_cluster",
                                "masters",
                                masters,
                                "replicas",
                                replicas,
                                "is_dealt",
                                isDealt)
                        .getAsJsonObject());
    }

    /** The name of a node. Masters come first, and the first three of them run. */
    public String name(int node) {
        return names.get(node);
    }

    /** The master that has a slot. */
    public int ownerOf(int slot) {
        return isDealt ? slot % masters : ((slot + 1) * masters - 1) / SLOTS;
    }

    public OneHopClient client() {
        StringBuilder config =
                new StringBuilder(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n");
        config.append("  timeout: 5000\n  servers:\n");
        servers.forEach(server -> config.append("    - ").append(server.server()).append('\n'));
        return Nodes.clientOf(config.toString());
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
