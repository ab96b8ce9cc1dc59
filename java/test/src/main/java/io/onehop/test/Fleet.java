package io.onehop.test;

import io.onehop.core.Topology;

import redis.clients.jedis.Jedis;

import java.util.ArrayList;
import java.util.List;

/** Servers that belong together. Each kind of them does some things differently. */
abstract class Fleet implements AutoCloseable {
    final Supervisor supervisor = new Supervisor();
    final List<TestServer> servers = new ArrayList<>(); // Without Sentinels.

    /** Starts the servers, and waits until they know each other. */
    abstract void start();

    /** The directives that this kind needs. */
    abstract List<String> directives();

    /** The elements of {@code servers:}. */
    List<TestServer> listed() {
        return servers;
    }

    /** The server that has a key now. If several servers have it, their master. */
    TestServer master(Topology topology, String key) {
        return byPort(topology.locate(key).port());
    }

    /** Kills the server that has a key, and lets its replica take over. */
    void failOver(Topology topology, String key) {
        throw new UnsupportedOperationException("these servers have no replicas");
    }

    /** Called with a server that was stopped and runs again. */
    void rejoin(TestServer server) {}

    /** Waits until the servers know each other again. */
    void awaitWhole() {}

    final TestServer add(String words) {
        TestServer server = TestServer.start(supervisor, "node-" + servers.size(), words);
        servers.add(server);
        return server;
    }

    final TestServer byPort(int port) {
        return servers.stream()
                .filter(server -> server.port() == port)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no server has port " + port));
    }

    /** False for a replica that does not follow its master yet. */
    static boolean isMasterOrHasOne(TestServer server) {
        try (Jedis jedis = server.jedis()) {
            String told = jedis.info("replication");
            return told.contains("role:master") || told.contains("master_link_status:up");
        }
    }

    @Override
    public void close() {
        supervisor.close();
        servers.forEach(TestServer::close);
    }
}
