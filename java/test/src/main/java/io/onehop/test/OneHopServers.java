package io.onehop.test;

import io.onehop.jedis.OneHopClient;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;

/**
 * Real redis-servers with a configuration of OneHop, as an extension of JUnit:
 *
 * <pre>{@code
 * @RegisterExtension
 * static final OneHopServers servers = OneHopServers.ring(3);
 * }</pre>
 *
 * <p>The servers run on free ports of 127.0.0.1 and keep nothing on disk. They are stopped after
 * the last test of the class, and also if the process of the tests is killed. Before each test all
 * servers run again and are empty. If the field is not static, each test has servers of its own.
 *
 * <p>A {@code redis-server} of version 7 or later must be on the {@code PATH}.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class OneHopServers
        implements BeforeAllCallback,
                BeforeEachCallback,
                AfterEachCallback,
                AfterAllCallback,
                AutoCloseable {
    private static final String POOL = "test";

    private final Supplier<Fleet> kind;
    private final List<String> directives;
    private @Nullable Fleet running;
    private @Nullable OneHopClient client;
    private boolean isOfClass; // True: all tests of a class share the servers.

    private OneHopServers(Supplier<Fleet> kind, String... directives) {
        this.kind = kind;
        this.directives = List.of(directives);
    }

    /**
     * Servers that share the keys.
     *
     * @param servers how many
     * @param directives more lines of the server pool, such as {@code "timeout: 500"}
     * @return servers, which start when they are first needed
     */
    public static OneHopServers ring(int servers, String... directives) {
        return new OneHopServers(() -> new Ring(servers), directives);
    }

    /**
     * A Redis Cluster in which each master has a replica.
     *
     * @param masters how many; if there are 3 or more, they notice by themselves that one is dead
     * @param directives more lines of the server pool
     * @return servers, which start when they are first needed
     */
    public static OneHopServers cluster(int masters, String... directives) {
        return new OneHopServers(() -> new Cluster(masters), directives);
    }

    /**
     * Masters with a replica each, and three Sentinels that watch them.
     *
     * @param masters how many
     * @param directives more lines of the server pool
     * @return servers, which start when they are first needed
     */
    public static OneHopServers sentinels(int masters, String... directives) {
        return new OneHopServers(() -> new WatchedMasters(masters), directives);
    }

    /**
     * The name of the server pool.
     *
     * @return {@code test}
     */
    public String pool() {
        return POOL;
    }

    /**
     * The file with the configuration, for {@code onehop.config} and the like.
     *
     * @return its path
     */
    public Path file() {
        return fleet().supervisor.directory().resolve("onehop.yml");
    }

    /**
     * The text of the file with the configuration.
     *
     * @return the configuration with its only server pool
     */
    public String config() {
        Fleet fleet = fleet();
        StringBuilder text = new StringBuilder(POOL + ":\n  engine: redis\n");
        fleet.directives().forEach(line -> text.append("  ").append(line).append('\n'));
        directives.forEach(line -> text.append("  ").append(line).append('\n'));
        text.append("  servers:\n");
        for (TestServer server : fleet.listed()) {
            text.append("    - 127.0.0.1:" + server.port() + ":1 " + server.name() + "\n");
        }
        return text.toString();
    }

    /**
     * A client of these servers. All callers in one test get the same client.
     *
     * @return a client, which is closed after the test
     */
    public synchronized OneHopClient client() {
        if (client == null) {
            client = newClient();
        }
        return client;
    }

    private OneHopClient newClient() {
        return OneHopClient.builder().config(file()).pool(POOL).build();
    }

    /**
     * All servers in the order of their names, with replicas but without Sentinels.
     *
     * @return a list that does not change
     */
    public List<TestServer> servers() {
        return Collections.unmodifiableList(fleet().servers);
    }

    /**
     * The server that has a key now. If several servers have it, their master.
     *
     * @param key any key
     * @return the server to stop if the test is about this key
     */
    public TestServer serverOf(String key) {
        return fleet().master(client().topology(), key);
    }

    /**
     * Kills the master of a key, and makes its replica take over at once. If a master is only
     * stopped, the other servers notice that after four seconds.
     *
     * @param key any key
     */
    public void failOver(String key) {
        fleet().failOver(client().topology(), key);
    }

    /* ---- JUnit ---- */

    @Override
    public void beforeAll(ExtensionContext context) {
        isOfClass = true;
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        reset();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        closeClient();
        if (!isOfClass) {
            close();
        }
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    /** Brings back servers that a test has stopped or paused, and removes all keys. */
    public void reset() {
        Fleet fleet = fleet();
        fleet.servers.forEach(TestServer::resume);
        for (TestServer server : fleet.servers) {
            if (!server.isRunning()) {
                server.start();
                fleet.rejoin(server);
            }
        }
        fleet.awaitWhole();
        for (TestServer server : fleet.servers) {
            flush(server);
        }
        awaitAnswers();
    }

    private static void flush(TestServer server) {
        try (Jedis jedis = server.jedis()) {
            if (jedis.info("replication").contains("role:master")) {
                jedis.flushAll();
            }
        }
    }

    private void awaitAnswers() {
        try (OneHopClient asking = newClient()) {
            Waiting.until("a client reaches all nodes", () -> isAnswered(asking));
        }
    }

    private static boolean isAnswered(OneHopClient asking) {
        try {
            asking.dbSize();
            return true;
        } catch (JedisException notYet) {
            return false;
        }
    }

    private synchronized void closeClient() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** Stops all servers and removes their files. They start again if they are needed again. */
    @Override
    public synchronized void close() {
        closeClient();
        if (running != null) {
            running.close();
            running = null;
        }
    }

    private synchronized Fleet fleet() {
        if (running == null) {
            running = kind.get();
            try {
                running.start();
                Files.writeString(file(), config());
                awaitAnswers();
            } catch (IOException | RuntimeException failure) {
                close();
                throw new IllegalStateException("the servers of the test do not start", failure);
            }
        }
        return running;
    }

    /** Servers that know nothing of each other. */
    private static final class Ring extends Fleet {
        private final int count;

        Ring(int count) {
            this.count = count;
        }

        @Override
        void start() {
            for (int i = 0; i < count; i++) {
                add("");
            }
        }

        @Override
        List<String> directives() {
            return List.of();
        }
    }
}
