package io.onehop.jedis.lab;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;

import io.onehop.core.key.Key;
import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.Jedis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A real Redis Cluster: masters that share the slots evenly, with or without a replica for each.
 * Its servers are killed when it is closed.
 */
public final class RedisCluster implements AutoCloseable {
    /*
     * With a shorter timeout a server that is silent for a second, as on a busy machine, would be
     * called dead, and its replica would take over.
     */
    private static final String[] OPTIONS = {
        "cluster-node-timeout",
        "4000",
        "cluster-allow-replica-migration",
        "no",
        "cluster-require-full-coverage",
        "no"
    };

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<String> names = new ArrayList<>(); // The nodes of a large cluster.

    private RedisCluster() {}

    /**
     * Starts a cluster. The options are for each server, name and value in turn. When this returns,
     * all servers know that the replicas serve.
     */
    public static RedisCluster start(int masters, boolean hasReplicas, String... options) {
        RedisCluster cluster = new RedisCluster();
        List<String> words = words(options);
        Lab.askForAll(
                        "cluster",
                        "masters",
                        masters,
                        "replicas",
                        hasReplicas ? 1 : 0,
                        "options",
                        words)
                .forEach(node -> cluster.servers.add(new RedisServer("cluster_node", words, node)));
        return cluster;
    }

    /**
     * Starts three masters of a large cluster. They know all its other nodes from their nodes.conf,
     * but these do not run. Each master has so many replicas. The slots are in equal ranges, or are
     * dealt to the masters in turn.
     */
    public static RedisCluster startLarge(int masters, int replicas, boolean isDealt) {
        JsonObject started =
                Lab.ask(
                                "large_cluster",
                                "masters",
                                masters,
                                "replicas",
                                replicas,
                                "is_dealt",
                                isDealt)
                        .getAsJsonObject();
        RedisCluster cluster = new RedisCluster();
        for (JsonElement node : started.getAsJsonArray("nodes")) {
            cluster.servers.add(new RedisServer("cluster_node", List.of(), node.getAsJsonObject()));
        }
        started.getAsJsonArray("names").forEach(name -> cluster.names.add(name.getAsString()));
        return cluster;
    }

    /**
     * The name of a node of a large cluster. Masters come first, and the first three masters run.
     */
    public String name(int node) {
        return names.get(node);
    }

    private static List<String> words(String... options) {
        String[] all = Arrays.copyOf(OPTIONS, OPTIONS.length + options.length);
        System.arraycopy(options, 0, all, OPTIONS.length, options.length);
        return RedisServer.words(all);
    }

    /**
     * Adds a server without slots, which meets the others. The options are for this server, name
     * and value in turn.
     */
    public RedisServer add(String... options) {
        List<String> words = words(options);
        RedisServer server =
                new RedisServer(
                        "cluster_node",
                        words,
                        Lab.ask("cluster_node", "options", words, "epoch", servers.size() + 1)
                                .getAsJsonObject());
        servers.add(server);
        meet(servers.size() - 1);
        return server;
    }

    /** Lets this server meet the first one. All other servers meet it after a while. */
    public void meet(int server) {
        Lab.ask("meet", "node", port(server), "to", port(0));
    }

    /**
     * Waits until every server knows this server by its current name and as healthy, and this
     * server knows the others.
     */
    public void awaitKnown(int server) {
        Lab.ask("await_known", "node", port(server), "nodes", ports());
    }

    /** Makes a server follow another one. */
    public void replicate(int replica, int master) {
        Lab.ask("replicate", "replica", port(replica), "master", port(master));
    }

    /** Lets a replica take over from its master, which stays alive. */
    public void promote(int replica) {
        Lab.ask("promote", "replica", port(replica));
    }

    /**
     * Waits until all servers know that all replicas serve. A replica that has received nothing yet
     * counts as loading.
     */
    public void awaitReplicas() {
        Lab.ask("await_shards", "nodes", ports());
    }

    private int port(int server) {
        return servers.get(server).port();
    }

    private List<Integer> ports() {
        return servers.stream().map(RedisServer::port).toList();
    }

    public static int slot(String key) {
        byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
        return Key.slot(bytes, 0, bytes.length);
    }

    /** A hash tag in this slot. */
    public static String tagIn(int slot) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "{" + i + "}")
                .filter(tag -> slot(tag) == slot)
                .findFirst()
                .orElseThrow();
    }

    /** Waits until the replicas of the first masters have all writes. */
    public void awaitWrites(int masters) {
        servers.stream().limit(masters).forEach(each -> each.ask(m -> m.waitReplicas(1, 30_000)));
    }

    public static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException("for two minutes it was not true that " + what);
            }
            Processes.pause(10);
        }
    }

    public List<RedisServer> servers() {
        return servers;
    }

    public RedisServer server(int index) {
        return servers.get(index);
    }

    public String id(int index) {
        try (Jedis jedis = servers.get(index).jedis()) {
            return jedis.clusterMyId();
        }
    }

    /* ---- Clients ---- */

    /**
     * A pool of this cluster, with its first server as the seed. As in {@link Nodes#configOf}, the
     * timeout is 30 s unless the test sets another one.
     */
    public String config(String... directives) {
        StringBuilder config =
                new StringBuilder(
                        "alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n");
        if (Arrays.stream(directives).noneMatch(each -> each.startsWith("timeout:"))) {
            config.append("  timeout: 30000\n");
        }
        for (String directive : directives) {
            config.append("  ").append(directive).append('\n');
        }
        return config + "  servers:\n    - " + servers.get(0).server() + "\n";
    }

    public OneHopClient client(String... directives) {
        return Nodes.clientOf(config(directives));
    }

    /* ---- Slots that move ---- */

    /** The server that claims the slot. */
    public int ownerOf(int slot) {
        return IntStream.range(0, servers.size())
                .filter(i -> isOwner(i, slot))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no node has slot " + slot));
    }

    private boolean isOwner(int server, int slot) {
        JsonElement owner = Lab.ask("owner", "slot", slot, "asked", port(server));
        return !owner.isJsonNull() && owner.getAsInt() == port(server);
    }

    /** Begins to move a slot. Commands for keys that have left are redirected. */
    public void beginToMove(int slot, int from, int to) {
        Lab.ask("begin_move", "slot", slot, "source", port(from), "target", port(to));
    }

    /** Moves one key, or all keys, of the slot. */
    public void moveKeys(int slot, int from, int to, int most) {
        Lab.ask("move_keys", "slot", slot, "source", port(from), "target", port(to), "most", most);
    }

    /**
     * Ends the move of a slot. Both servers know this immediately, and the others learn it later.
     */
    public void endMove(int slot, int from, int to) {
        Lab.ask("end_move", "slot", slot, "source", port(from), "target", port(to));
    }

    public void move(int slot, int from, int to) {
        Lab.ask("move", "slot", slot, "source", port(from), "target", port(to));
    }

    /**
     * Gives all slots of a server to another one. The slots must be empty. All servers know this
     * immediately.
     */
    public void giveAll(int from, int to) {
        Lab.ask("give_all", "source", port(from), "target", port(to), "nodes", ports());
    }

    /** Removes a server without slots from the cluster. It continues to run. */
    public void forget(int server) {
        List<Integer> others = ports().stream().filter(port -> port != port(server)).toList();
        Lab.ask("forget", "node", port(server), "nodes", others);
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
