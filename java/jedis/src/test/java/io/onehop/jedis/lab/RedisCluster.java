package io.onehop.jedis.lab;

import io.onehop.jedis.OneHopClient;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.args.ClusterResetType;
import redis.clients.jedis.util.SafeEncoder;

/** A real Redis Cluster: masters that share the slots evenly, and perhaps a replica for each; killed when closed. */
public final class RedisCluster implements AutoCloseable {
    private static final int SLOTS = 16384;

    private final List<RedisServer> servers = new ArrayList<>();
    private final List<Integer> buses = new ArrayList<>();
    private final int masters;

    private RedisCluster(int masters) {
        this.masters = masters;
    }

    /** With options for each server, name and value in turn. */
    public static RedisCluster start(int masters, boolean hasReplicas, String... options) {
        RedisCluster cluster = new RedisCluster(masters);
        try {
            for (int i = 0; i < (hasReplicas ? 2 * masters : masters); i++) {
                cluster.add(options);
            }
            cluster.share();
            if (hasReplicas) {
                IntStream.range(0, masters).forEach(i -> cluster.replicate(masters + i, i));
            }
            cluster.awaitOk();
            return cluster;
        } catch (RuntimeException | Error failure) {
            cluster.close();
            throw failure;
        }
    }

    /** One more server, met by the others, without slots; with options of its own, name and value in turn. */
    public RedisServer add(String... options) {
        int bus = Processes.freePort();
        List<String> all = new ArrayList<>(List.of("cluster-enabled", "yes", "cluster-port", String.valueOf(bus),
                "cluster-node-timeout", "1000", "repl-diskless-sync-delay", "0", "cluster-allow-replica-migration", "no",
                "repl-ping-replica-period", "1", "cluster-require-full-coverage", "no"));
        all.addAll(List.of(options));
        RedisServer server = RedisServer.start(all.toArray(new String[0]));
        servers.add(server);
        try (Jedis jedis = server.jedis()) {
            jedis.clusterSetConfigEpoch(servers.size()); // Otherwise they quarrel for seconds about who has which.
        }
        buses.add(bus);
        if (servers.size() > 1) {
            meet(servers.size() - 1);
        }
        return server;
    }

    /** The first server introduces that one to the others. */
    public void meet(int server) {
        try (Jedis jedis = servers.get(0).jedis()) {
            jedis.sendCommand(Protocol.Command.CLUSTER, "MEET", "127.0.0.1", String.valueOf(servers.get(server).port()),
                    String.valueOf(buses.get(server)));
        }
    }

    /** Every server knows that one by its name of now, and thinks nothing bad of it; and it knows them. */
    public void awaitKnown(int server) {
        try (Jedis jedis = servers.get(server).jedis()) {
            await("it knows the others", () -> jedis.clusterNodes().lines().filter(line -> !line.contains("handshake"))
                    .count() >= servers.size() && jedis.clusterInfo().contains("cluster_state:ok"));
        }
        String line = id(server) + " 127.0.0.1:" + servers.get(server).port() + "@";
        for (RedisServer each : servers) {
            try (Jedis jedis = each.jedis()) {
                await("it is known", () -> jedis.clusterNodes().lines().anyMatch(known -> known.startsWith(line)
                        && !known.contains("handshake") && !known.contains("fail") && !known.contains("disconnected")));
            }
        }
    }

    private void share() {
        for (int i = 0; i < masters; i++) {
            try (Jedis jedis = servers.get(i).jedis()) {
                jedis.clusterAddSlotsRange(i * SLOTS / masters, (i + 1) * SLOTS / masters - 1);
            }
        }
    }

    /** Has a server follow another one. */
    public void replicate(int replica, int master) {
        String id = id(master);
        try (Jedis jedis = servers.get(replica).jedis()) {
            await("it knows its master", () -> jedis.clusterNodes().contains(id));
            jedis.clusterReplicate(id);
            await("it follows its master", () -> jedis.info("replication").contains("master_link_status:up"));
        }
    }

    /** A replica takes the place of its master, who lives. */
    public void promote(int replica) {
        try (Jedis jedis = servers.get(replica).jedis()) {
            for (int i = 0; i < 600 && !jedis.info("replication").contains("role:master"); i++) {
                if (i % 60 == 0) { // It gives up after five seconds.
                    jedis.clusterFailover();
                }
                Processes.pause(100);
            }
        }
    }

    private void awaitOk() {
        for (RedisServer server : servers) {
            try (Jedis jedis = server.jedis()) {
                await("the cluster is whole", () -> jedis.clusterInfo().contains("cluster_state:ok")
                        && jedis.clusterInfo().contains("cluster_known_nodes:" + servers.size())
                        && jedis.clusterInfo().contains("cluster_slots_ok:" + SLOTS)
                        && jedis.clusterNodes().lines().filter(line -> line.contains("slave")).count()
                        == servers.size() - masters);
            }
        }
    }

    /** All servers know that all replicas serve: one that has received nothing yet counts as loading. */
    public void awaitReplicas() {
        for (RedisServer server : servers) {
            try (Jedis jedis = server.jedis()) {
                await("its replicas serve", () -> {
                    String shards = String.valueOf(SafeEncoder.encodeObject(
                            jedis.sendCommand(Protocol.Command.CLUSTER, "SHARDS")));
                    return !shards.contains("loading") && !shards.contains("fail");
                });
            }
        }
    }

    public static void await(String what, BooleanSupplier condition) {
        for (int i = 0; i < 6000; i++) {
            if (condition.getAsBoolean()) {
                return;
            }
            Processes.pause(10);
        }
        throw new IllegalStateException("for a minute it was not true that " + what);
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

    /** A pool of this cluster, the first of its servers being the seed. */
    public String config(String... directives) {
        StringBuilder config = new StringBuilder("alpha:\n  listen: 127.0.0.1:1\n  redis: true\n  cluster: true\n");
        for (String directive : directives) {
            config.append("  ").append(directive).append('\n');
        }
        return config + "  servers:\n    - " + servers.get(0).server() + "\n";
    }

    public OneHopClient client(String... directives) {
        return Nodes.clientOf(config(directives));
    }

    /* ---- Slots that move ---- */

    /** Which server says that the slot is its own. */
    public int ownerOf(int slot) {
        return IntStream.range(0, servers.size()).filter(i -> own(i)[2].contains("master") && has(own(i), slot)).findFirst()
                .orElseThrow(() -> new IllegalStateException("nobody has slot " + slot));
    }

    /** The words of CLUSTER NODES that a server says of itself. */
    private String[] own(int server) {
        try (Jedis jedis = servers.get(server).jedis()) {
            return jedis.clusterNodes().lines().filter(line -> line.contains("myself")).findFirst().orElseThrow()
                    .split(" ");
        }
    }

    private static boolean has(String[] words, int slot) {
        for (int i = 8; i < words.length; i++) {
            String[] range = words[i].split("-");
            if (!words[i].startsWith("[") && Integer.parseInt(range[0]) <= slot
                    && slot <= Integer.parseInt(range[range.length - 1])) {
                return true;
            }
        }
        return false;
    }

    /** Begins to move a slot: keys that are not there any more are asked for elsewhere. */
    public void beginToMove(int slot, int from, int to) {
        String source = id(from);
        String target = id(to);
        try (Jedis old = servers.get(from).jedis(); Jedis next = servers.get(to).jedis()) {
            next.clusterSetSlotImporting(slot, source);
            old.clusterSetSlotMigrating(slot, target);
        }
    }

    /** Moves one key, or all keys, of the slot. */
    public void moveKeys(int slot, int from, int to, int most) {
        try (Jedis old = servers.get(from).jedis()) {
            int left = most;
            List<String> keys = old.clusterGetKeysInSlot(slot, Math.min(left, 100));
            while (!keys.isEmpty() && left > 0) {
                old.migrate("127.0.0.1", servers.get(to).port(), 5000,
                        new redis.clients.jedis.params.MigrateParams().replace(), keys.toArray(new String[0]));
                left -= keys.size();
                keys = old.clusterGetKeysInSlot(slot, Math.min(left, 100));
            }
        }
    }

    /** The slot is the other one's; both know, and the rest will hear. */
    public void endMove(int slot, int from, int to) {
        String target = id(to);
        for (int each : new int[] {to, from}) {
            try (Jedis jedis = servers.get(each).jedis()) {
                jedis.clusterSetSlotNode(slot, target);
            }
        }
    }

    public void move(int slot, int from, int to) {
        beginToMove(slot, from, to);
        moveKeys(slot, from, to, Integer.MAX_VALUE);
        endMove(slot, from, to);
    }

    /** All slots of a server, which are empty, are another one's; all know. */
    public void giveAll(int from, int to) {
        String target = id(to);
        String[] own = own(from);
        int[] slots = IntStream.range(0, SLOTS).filter(slot -> has(own, slot)).toArray();
        try (Jedis taker = servers.get(to).jedis()) {
            taker.sendCommand(Protocol.Command.CLUSTER, "BUMPEPOCH"); // So that nobody believes who had them before.
        }
        for (int i = 0; i < servers.size(); i++) { // Who takes them is told first.
            try (Jedis jedis = servers.get((to + i) % servers.size()).jedis(); Pipeline batch = jedis.pipelined()) {
                IntStream.of(slots).forEach(slot -> batch.sendCommand(Protocol.Command.CLUSTER, "SETSLOT",
                        String.valueOf(slot), "NODE", target));
            }
        }
    }

    /** A server without slots leaves the cluster, and runs on by itself. */
    public void forget(int server) {
        String id = id(server);
        for (int i = 0; i < servers.size(); i++) {
            if (i != server) {
                try (Jedis jedis = servers.get(i).jedis()) {
                    jedis.clusterForget(id);
                }
            }
        }
        try (Jedis jedis = servers.get(server).jedis()) {
            jedis.clusterReset(ClusterResetType.HARD);
        }
    }

    @Override
    public void close() {
        servers.forEach(RedisServer::close);
    }
}
