package io.onehop.jedis.lab;

import io.onehop.jedis.OneHopClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;

/**
 * A Redis Cluster of which three masters run: these were told of all others by the file in which a node keeps what it
 * knows. The slots are in equal ranges, or dealt round. Killed when closed.
 */
public final class LargeCluster implements AutoCloseable {
    private static final int SLOTS = 16384;
    private static final int LIVE = 3;

    /* Servers from 7.2 on take all nodes for one shard if the file does not say of which they are; others cannot read it. */
    private static final boolean KNOWS_SHARDS = knowsShards();

    private final List<RedisServer> servers = new ArrayList<>();
    private final int masters;
    private final int nodes;
    private final boolean isDealt;
    private final Path folder;
    private final ServerSocket silence; // Whoever does not run can be connected to: nobody tries ten times a second.
    private final int[] ports = IntStream.range(0, LIVE).map(i -> Processes.freePort()).toArray();
    private final int[] buses = IntStream.range(0, LIVE).map(i -> Processes.freePort()).toArray();

    private LargeCluster(int masters, int replicas, boolean isDealt) throws IOException {
        this.masters = masters;
        this.nodes = masters * (1 + replicas);
        this.isDealt = isDealt;
        this.silence = new ServerSocket(0, 4096, InetAddress.getByName("0.0.0.0"));
        this.folder = Files.createTempDirectory("onehop-nodes");
    }

    private static boolean knowsShards() {
        try {
            Process server = new ProcessBuilder("redis-server", "--version").start();
            Matcher version = Pattern.compile("v=(\\d+)\\.(\\d+)")
                    .matcher(new String(server.getInputStream().readAllBytes(), StandardCharsets.US_ASCII));
            return version.find() && Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2)) >= 702;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** So many masters, and so many replicas of each. */
    public static LargeCluster start(int masters, int replicas, boolean isDealt) throws IOException {
        LargeCluster cluster = new LargeCluster(masters, replicas, isDealt);
        try {
            for (int i = 0; i < LIVE; i++) {
                Path file = Files.writeString(cluster.folder.resolve("nodes-" + i), cluster.toldTo(i));
                cluster.servers.add(RedisServer.startOn(cluster.ports[i], "cluster-enabled", "yes", "cluster-port",
                        String.valueOf(cluster.buses[i]), "cluster-config-file", file.toString(),
                        "cluster-node-timeout", "3600000"));
            }
            for (RedisServer server : cluster.servers) {
                try (Jedis jedis = server.jedis()) {
                    RedisCluster.await("it is whole", () -> jedis.clusterInfo().contains("cluster_state:ok"));
                }
            }
            return cluster;
        } catch (RuntimeException | IOException | Error failure) {
            cluster.close();
            throw failure;
        }
    }

    private String toldTo(int reader) {
        return IntStream.range(0, nodes).mapToObj(node -> line(node, node == reader)).collect(Collectors.joining())
                + "vars currentEpoch " + masters + " lastVoteEpoch 0\n";
    }

    private String line(int node, boolean isSelf) {
        int master = node % masters;
        int bus = node < LIVE ? buses[node] : silence.getLocalPort();
        String role = node == master ? "master -" : "slave " + id(master);
        String shard = KNOWS_SHARDS ? ",,shard-id=" + id(master) : "";
        return id(node) + " " + name(node) + "@" + bus + shard + (isSelf ? " myself," : " ") + role + " 0 0 " + (master + 1)
                + " connected" + (node == master ? slots(master) : "") + "\n";
    }

    private static String id(int node) {
        return String.format("%040x", node);
    }

    private String slots(int master) {
        if (!isDealt) {
            return " " + SLOTS * master / masters + "-" + (SLOTS * (master + 1) / masters - 1);
        }
        return IntStream.iterate(master, slot -> slot < SLOTS, slot -> slot + masters).mapToObj(slot -> " " + slot)
                .collect(Collectors.joining());
    }

    /** The name of a node; masters come first, and the first three of them run. */
    public String name(int node) {
        return node < LIVE ? "127.0.0.1:" + ports[node] : "127.1." + node / 250 + "." + (node % 250 + 1) + ":1";
    }

    /** Which master has a slot. */
    public int ownerOf(int slot) {
        return isDealt ? slot % masters : ((slot + 1) * masters - 1) / SLOTS;
    }

    public OneHopClient client() {
        StringBuilder config = new StringBuilder("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n");
        config.append("  timeout: 5000\n  servers:\n");
        servers.forEach(server -> config.append("    - ").append(server.server()).append('\n'));
        return Nodes.clientOf(config.toString());
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
        Processes.delete(folder);
        try {
            silence.close();
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
