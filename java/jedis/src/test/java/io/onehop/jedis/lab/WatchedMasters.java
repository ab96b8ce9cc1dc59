package io.onehop.jedis.lab;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ClientKillParams;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Real masters with one replica each, and three real Sentinels that watch them, on free ports. The
 * names of the masters are node-0, node-1 ...
 */
public final class WatchedMasters implements AutoCloseable {
    private static final int SENTINELS = 3;

    /**
     * On a busy machine a server may be silent for a second. If a Sentinel took the server for
     * dead, it would promote the previous master, which may have come back empty.
     */
    private static final int DOWN_AFTER_MS = 4000;

    private final List<RedisServer> servers = new ArrayList<>(); // The masters, then the replicas.
    private final List<Integer> sentinels = new ArrayList<>(); // Their ports.
    private final List<Integer> tlsPorts = new ArrayList<>(); // Empty without TLS.
    private final List<Long> pids = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private final int count;
    private final String password;
    private final @Nullable Certificates certificates;

    private WatchedMasters(int count, String password, @Nullable Certificates certificates) {
        this.count = count;
        this.password = password;
        this.certificates = certificates;
        for (int i = 0; i < 2 * count; i++) {
            servers.add(RedisServer.start("repl-diskless-sync-delay", "0"));
        }
        for (int i = 0; i < count; i++) {
            try (Jedis replica = servers.get(count + i).jedis()) {
                replica.replicaof("127.0.0.1", servers.get(i).port());
            }
        }
        for (int i = 0; i < SENTINELS; i++) {
            watch();
        }
        RedisCluster.await("the Sentinels know all", this::isReady);
    }

    public static WatchedMasters start(int count) {
        return new WatchedMasters(count, "", null);
    }

    /** One master, without TLS, and Sentinels that clients reach by TLS. */
    public static WatchedMasters startOverTls(Certificates certificates) {
        return new WatchedMasters(1, "", certificates);
    }

    /** Masters with Sentinels that require this password. */
    public static WatchedMasters start(int count, String password) {
        return new WatchedMasters(count, password, null);
    }

    private void watch() {
        int port = Processes.freePort();
        StringBuilder text = new StringBuilder("port " + port + "\nbind 127.0.0.1\n");
        text.append("protected-mode no\n");
        for (int i = 0; i < count; i++) {
            String name = "node-" + i;
            text.append("sentinel monitor " + name + " 127.0.0.1 ")
                    .append(servers.get(i).port())
                    .append(" 2\nsentinel down-after-milliseconds " + name + " ")
                    .append(DOWN_AFTER_MS + "\n")
                    .append("sentinel failover-timeout " + name + " 3000\n");
        }
        text.append(password.isEmpty() ? "" : "requirepass " + password + "\n");
        if (certificates != null) {
            tlsPorts.add(Processes.freePort());
            List<String> options =
                    List.of(certificates.options(tlsPorts.get(tlsPorts.size() - 1), "node"));
            for (int i = 0; i < options.size(); i += 2) {
                text.append(options.get(i) + " " + options.get(i + 1) + "\n");
            }
        }
        try {
            Path file = Files.createTempFile("sentinel", ".conf");
            Files.writeString(file, text);
            files.add(file);
            List<String> command = List.of("redis-server", file.toString(), "--sentinel");
            pids.add(Lab.ask("start", "command", command).getAsLong());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        sentinels.add(port);
    }

    /** True if every Sentinel knows the other Sentinels, and knows a replica that can take over. */
    private boolean isReady() {
        for (int port : sentinels) {
            try (Jedis sentinel = sentinel(port)) {
                for (int i = 0; i < count; i++) {
                    Map<String, String> master = sentinel.sentinelMaster("node-" + i);
                    boolean hasReplica =
                            sentinel.sentinelReplicas("node-" + i).stream()
                                    .anyMatch(each -> "ok".equals(each.get("master-link-status")));
                    if (!"2".equals(master.get("num-other-sentinels")) || !hasReplica) {
                        return false;
                    }
                }
            } catch (RuntimeException notYet) {
                return false;
            }
        }
        return true;
    }

    private Jedis sentinel(int port) {
        Jedis sentinel = new Jedis("127.0.0.1", port, 30_000);
        if (!password.isEmpty()) {
            sentinel.auth(password);
        }
        return sentinel;
    }

    /** The server that was the master of this number in the beginning. */
    public RedisServer master(int number) {
        return servers.get(number);
    }

    /** The server that was the replica of this master in the beginning. */
    public RedisServer replica(int number) {
        return servers.get(count + number);
    }

    /** Makes a Sentinel promote the replica of a master that is well, without waiting for it. */
    public void failOver(int number) {
        Thread asking =
                new Thread(
                        () -> {
                            while (!isPromoted(number)) {
                                Processes.pause(100);
                            }
                        });
        asking.setDaemon(true);
        asking.start();
    }

    /**
     * True if the replica is promoted. If not, requests the failover again: a Sentinel gives up if
     * a busy replica does not become a master within 3 seconds.
     */
    private boolean isPromoted(int number) {
        try (Jedis sentinel = sentinel(sentinels.get(0))) {
            Map<String, String> master = sentinel.sentinelMaster("node-" + number);
            if (!master.get("port").equals(String.valueOf(master(number).port()))) {
                return true;
            }
            if (!master.get("flags").contains("failover_in_progress")) {
                sentinel.sentinelFailover("node-" + number);
            }
            return false;
        } catch (JedisDataException noGoodReplica) {
            return false;
        } catch (JedisConnectionException blind) {
            return true; // The test has ended the Sentinels.
        }
    }

    /** The port that each Sentinel names for the master of this number. */
    public List<Integer> masterPorts(int number) {
        List<Integer> ports = new ArrayList<>();
        for (int port : sentinels) {
            try (Jedis sentinel = sentinel(port)) {
                List<String> address = sentinel.sentinelGetMasterAddrByName("node-" + number);
                ports.add(Integer.valueOf(address.get(1)));
            }
        }
        return ports;
    }

    /** How many clients have subscribed to the announcements of each Sentinel. */
    public List<Integer> listeners() {
        List<Integer> counts = new ArrayList<>();
        for (int port : sentinels) {
            try (Jedis sentinel = sentinel(port)) {
                counts.add(sentinel.clientList(ClientType.PUBSUB).split("id=").length - 1);
            }
        }
        return counts;
    }

    /** Closes the connections of clients that have subscribed to the Sentinels. */
    public void dropListeners() {
        for (int port : sentinels) {
            try (Jedis sentinel = sentinel(port)) {
                sentinel.clientKill(ClientKillParams.clientKillParams().type(ClientType.PUBSUB));
            }
        }
    }

    /** Ends the Sentinels. */
    public void blind() {
        pids.forEach(pid -> Lab.ask("stop", "pid", pid));
        pids.clear();
    }

    /**
     * A server pool alpha with these directives, of the servers that were masters in the beginning.
     * As in {@link Nodes#configOf}, the timeout is 30 s unless the test sets another one.
     */
    public String config(String... directives) {
        StringBuilder text = new StringBuilder("alpha:\n  sentinels:\n");
        (certificates == null ? sentinels : tlsPorts)
                .forEach(port -> text.append("   - 127.0.0.1:" + port + "\n"));
        if (Arrays.stream(directives).noneMatch(each -> each.startsWith("timeout:"))) {
            text.append("  timeout: 30000\n");
        }
        for (String directive : directives) {
            text.append("  " + directive + "\n");
        }
        text.append("  servers:\n");
        for (int i = 0; i < count; i++) {
            text.append("   - " + servers.get(i).server() + " node-" + i + "\n");
        }
        return text.toString();
    }

    @Override
    public void close() {
        blind();
        servers.forEach(RedisServer::close);
        for (Path file : files) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    }
}
