package io.onehop.test;

import io.onehop.core.Topology;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Masters with a replica each, and three Sentinels that watch them. */
final class WatchedMasters extends Fleet {
    private static final int SENTINELS = 3;

    /* With these, Sentinels notice changes soon, and do not rest for 30 s after a busy moment. */
    private static final String[] QUICK = {
        "DEBUG", "TILT-TRIGGER", "60000", "PUBLISH-PERIOD", "1000", "INFO-PERIOD", "1000"
    };

    private final List<TestServer> sentinels = new ArrayList<>();
    private final int masters;

    WatchedMasters(int masters) {
        this.masters = masters;
    }

    @Override
    List<String> directives() {
        List<String> lines = new ArrayList<>(List.of("sentinels:"));
        sentinels.forEach(sentinel -> lines.add("  - 127.0.0.1:" + sentinel.port()));
        return lines;
    }

    @Override
    List<TestServer> listed() {
        return servers.subList(0, masters); // The first masters.
    }

    @Override
    void start() {
        for (int i = 0; i < 2 * masters; i++) {
            add("");
        }
        for (int i = 0; i < masters; i++) {
            follow(servers.get(masters + i), servers.get(i).port());
        }
        Waiting.until(
                "the replicas have copied their masters",
                () -> servers.stream().allMatch(Fleet::isMasterOrHasOne));
        for (int i = 0; i < SENTINELS; i++) {
            TestServer sentinel =
                    TestServer.startSentinel(supervisor, "sentinel-" + i, configuration(i));
            sentinels.add(sentinel);
            try (Jedis jedis = sentinel.jedis()) {
                jedis.sendCommand(Command.SENTINEL, QUICK);
            }
        }
        awaitWhole();
    }

    private static void follow(TestServer replica, int master) {
        try (Jedis jedis = replica.jedis()) {
            jedis.replicaof("127.0.0.1", master);
        }
    }

    /**
     * The configuration of one Sentinel. It names all Sentinels before this one, so this one need
     * not find them.
     */
    private String configuration(int number) {
        StringBuilder text = new StringBuilder("bind 127.0.0.1\nprotected-mode no\n");
        text.append("sentinel myid " + id(number) + "\n");
        for (TestServer master : listed()) {
            String name = master.name();
            text.append("sentinel monitor " + name + " 127.0.0.1 " + master.port() + " 2\n");
            /* On a busy machine, a server may be silent for a second: it is not dead then. */
            text.append("sentinel down-after-milliseconds " + name + " 4000\n");
            text.append("sentinel failover-timeout " + name + " 3000\n");
            for (int other = 0; other < number; other++) {
                int port = sentinels.get(other).port();
                text.append("sentinel known-sentinel " + name + " 127.0.0.1 " + port + " ")
                        .append(id(other) + "\n");
            }
        }
        return text.toString();
    }

    private static String id(int sentinel) {
        return String.valueOf(sentinel + 1).repeat(40);
    }

    @Override
    void rejoin(TestServer server) {
        int master = masterOf(listed().get(servers.indexOf(server) % masters).name());
        if (master != server.port()) {
            follow(server, master);
        }
    }

    @Override
    void awaitWhole() {
        Waiting.until("the Sentinels know all servers", this::isWhole);
    }

    private boolean isWhole() {
        return servers.stream().allMatch(Fleet::isMasterOrHasOne)
                && listed().stream()
                        .allMatch(
                                master -> sentinels.stream().allMatch(each -> knows(each, master)));
    }

    private static boolean knows(TestServer sentinel, TestServer master) {
        try (Jedis jedis = sentinel.jedis()) {
            Map<String, String> said = jedis.sentinelMaster(master.name());
            return "master".equals(said.get("flags"))
                    && String.valueOf(SENTINELS - 1).equals(said.get("num-other-sentinels"))
                    && jedis.sentinelReplicas(master.name()).stream()
                            .anyMatch(each -> "ok".equals(each.get("master-link-status")));
        } catch (JedisException notYet) {
            return false;
        }
    }

    private int masterOf(String name) {
        try (Jedis jedis = sentinels.get(0).jedis()) {
            return Integer.parseInt(jedis.sentinelGetMasterAddrByName(name).get(1));
        }
    }

    @Override
    TestServer master(Topology topology, String key) {
        return byPort(masterOf(topology.locate(key).name()));
    }

    @Override
    void failOver(Topology topology, String key) {
        String name = topology.locate(key).name();
        TestServer master = byPort(masterOf(name));
        awaitWhole();
        master.stop();
        Waiting.until(
                "the replica of " + name + " takes over",
                () -> {
                    promote(name);
                    return masterOf(name) != master.port();
                });
    }

    private void promote(String name) {
        try (Jedis jedis = sentinels.get(0).jedis()) {
            jedis.sentinelFailover(name);
        } catch (JedisException underWay) {
            // The Sentinel may give the failover up, so it is asked again.
        }
    }

    @Override
    public void close() {
        super.close();
        sentinels.forEach(TestServer::close);
    }
}
