package io.onehop.test;

import io.onehop.core.Topology;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.args.ClusterFailoverOption;
import redis.clients.jedis.util.JedisClusterCRC16;

import java.net.DatagramSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A Redis Cluster: masters that share the slots evenly, and a replica of each. */
final class Cluster extends Fleet {
    private static final int SLOTS = 16_384;

    /* On a busy machine, a server may be silent for a second, and must not be taken for dead. */
    private static final String OPTIONS =
            "--cluster-enabled yes --cluster-node-timeout 4000 --cluster-require-full-coverage no"
                    + " --cluster-allow-replica-migration no";

    private final List<DatagramSocket> buses = new ArrayList<>(); // Reserve ports of the bus.

    private final int masters;

    Cluster(int masters) {
        this.masters = masters;
    }

    @Override
    List<String> directives() {
        return List.of("cluster: true");
    }

    @Override
    List<TestServer> listed() {
        return servers.subList(0, 1); // A seed, which names the others.
    }

    @Override
    void start() {
        for (int i = 0; i < 2 * masters; i++) {
            buses.add(Ports.reserve());
            add(OPTIONS + " --cluster-port " + buses.get(i).getLocalPort());
        }
        for (int i = 0; i < servers.size(); i++) {
            introduce(i);
        }
        for (int i = 0; i < masters; i++) {
            follow(servers.get(masters + i), servers.get(i));
        }
        awaitWhole();
    }

    /**
     * Gives a server an epoch of its own. If it is a master, it gets slots. Then it meets all
     * servers before it.
     */
    private void introduce(int number) {
        try (Jedis server = servers.get(number).jedis()) {
            server.clusterSetConfigEpoch(number + 1);
            if (number < masters) {
                int end = SLOTS * (number + 1) / masters;
                server.clusterAddSlotsRange(SLOTS * number / masters, end - 1);
            }
            for (int other = 0; other < number; other++) {
                meet(server, other);
            }
        }
    }

    private void meet(Jedis server, int other) {
        String port = String.valueOf(servers.get(other).port());
        String bus = String.valueOf(buses.get(other).getLocalPort());
        server.sendCommand(Command.CLUSTER, "MEET", "127.0.0.1", port, bus);
    }

    private static void follow(TestServer replica, TestServer master) {
        String id = asked(master, Jedis::clusterMyId);
        Waiting.until(
                "a replica knows its master",
                () -> asked(replica, Jedis::clusterNodes).contains(id));
        asked(replica, jedis -> jedis.clusterReplicate(id));
    }

    private static <T> T asked(TestServer server, Function<Jedis, T> question) {
        try (Jedis jedis = server.jedis()) {
            return question.apply(jedis);
        }
    }

    @Override
    void awaitWhole() {
        Waiting.until(
                "all servers know the whole Redis Cluster",
                () -> servers.stream().allMatch(this::isWhole));
    }

    /**
     * True if the server sees all servers, half of them replicas, and all slots served. If the
     * server is a replica, it must also follow its master.
     */
    private boolean isWhole(TestServer server) {
        try (Jedis jedis = server.jedis()) {
            String info = jedis.clusterInfo();
            List<String> nodes = jedis.clusterNodes().lines().toList();
            return info.contains("cluster_state:ok")
                    && info.contains("cluster_slots_ok:" + SLOTS)
                    && nodes.size() == servers.size()
                    && nodes.stream().noneMatch(line -> line.contains("fail"))
                    && nodes.stream().filter(line -> line.contains("slave")).count() == masters
                    && isMasterOrHasOne(server);
        }
    }

    /** The server that claims the slot of the key. A client may learn that later. */
    @Override
    TestServer master(Topology topology, String key) {
        int slot = JedisClusterCRC16.getSlot(key);
        return servers.stream()
                .filter(server -> server.isRunning() && claims(server, slot))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server has slot " + slot));
    }

    private static boolean claims(TestServer server, int slot) {
        return asked(server, Jedis::clusterNodes)
                .lines()
                .filter(line -> line.contains("myself,master"))
                .flatMap(line -> Stream.of(line.split(" ")).skip(8))
                .map(range -> range.split("-"))
                .anyMatch(
                        range ->
                                Integer.parseInt(range[0]) <= slot
                                        && slot <= Integer.parseInt(range[range.length - 1]));
    }

    @Override
    void failOver(Topology topology, String key) {
        TestServer master = master(topology, key);
        String id = asked(master, Jedis::clusterMyId);
        TestServer replica =
                servers.stream()
                        .filter(server -> isReplicaOf(server, id))
                        .findFirst()
                        .orElseThrow(() -> new IllegalStateException(master.name() + " has none"));
        master.stop();
        Waiting.until(replica.name() + " takes over", () -> asked(replica, Cluster::isPromoted));
    }

    /**
     * True if the replica is a master by now. Otherwise asks it to take over, which needs no votes.
     */
    private static boolean isPromoted(Jedis replica) {
        if (replica.info("replication").contains("role:master")) {
            return true;
        }
        replica.clusterFailover(ClusterFailoverOption.TAKEOVER);
        return false;
    }

    private static boolean isReplicaOf(TestServer server, String master) {
        return server.isRunning()
                && asked(server, Jedis::clusterNodes).contains("myself,slave " + master);
    }

    @Override
    public void close() {
        super.close();
        buses.forEach(DatagramSocket::close);
    }
}
