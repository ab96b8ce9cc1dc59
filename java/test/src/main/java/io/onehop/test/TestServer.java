package io.onehop.test;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * One redis-server of a test, which the test may stop, pause and start again. Its data is lost when
 * it stops, as with a cache.
 */
public final class TestServer {
    private static final String PLAIN =
            "redis-server --bind 127.0.0.1 --save '' --appendonly no --repl-diskless-sync-delay 0";

    private final Supervisor supervisor;
    private final Path directory;
    private final String name;
    private final String words; // Its command line, without the port.
    private DatagramSocket reserved = Ports.reserve();
    private long pid; // 0: it does not run.
    private boolean isPaused;

    private TestServer(Supervisor supervisor, String name, String words) {
        this.supervisor = supervisor;
        this.name = name;
        this.words = words;
        directory = supervisor.directory().resolve(name);
        try {
            Files.createDirectory(directory);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts a server, with these words added to its command line. */
    static TestServer start(Supervisor supervisor, String name, String words) {
        TestServer server = new TestServer(supervisor, name, PLAIN + " " + words);
        while (!server.launch()) {
            server.reserved.close();
            // A program that reserves no ports has taken this port.
            server.reserved = Ports.reserve();
        }
        return server;
    }

    /** Starts a Sentinel with this configuration. */
    static TestServer startSentinel(Supervisor supervisor, String name, String configuration) {
        TestServer server =
                new TestServer(supervisor, name, "redis-server sentinel.conf --sentinel");
        try {
            Files.writeString(server.directory.resolve("sentinel.conf"), configuration);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        server.start();
        return server;
    }

    /**
     * Its name in the configuration: {@code node-0}, {@code node-1} and so on.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Its port on 127.0.0.1, which stays the same when the server starts again.
     *
     * @return the port
     */
    public int port() {
        return reserved.getLocalPort();
    }

    /**
     * A plain Jedis connection, to look at the data of this server.
     *
     * @return a new connection, which the caller closes
     */
    public Jedis jedis() {
        return new Jedis("127.0.0.1", port(), 30_000);
    }

    /** Kills the server. Its connections break, and new ones are refused. */
    public void stop() {
        if (isRunning()) {
            supervisor.kill(pid);
            pid = 0;
            isPaused = false;
        }
    }

    /** Starts the server again at the same address, without data, and waits until it answers. */
    public void start() {
        Waiting.until(name + " has its port again", () -> isRunning() || launch());
    }

    /** Suspends the process of the server: it answers nobody, but its connections stay open. */
    public void pause() {
        if (!isRunning()) {
            throw new IllegalStateException(name + " does not run, so it cannot be paused");
        }
        supervisor.signal(pid, "STOP");
        isPaused = true;
    }

    /** Lets the server go on after a pause. */
    public void resume() {
        if (isPaused) {
            supervisor.signal(pid, "CONT");
            isPaused = false;
        }
    }

    boolean isRunning() {
        return pid != 0;
    }

    /** Starts the process. True if it serves; false if another program has its port. */
    private boolean launch() {
        long started = supervisor.start(directory, words + " --port " + port());
        boolean[] isServing = new boolean[1];
        Waiting.until(
                name + " answers, whose log is " + directory.resolve("log"),
                () -> (isServing[0] = isServing(started)) || hasNoPort());
        if (isServing[0]) {
            pid = started;
        } else {
            supervisor.kill(started);
        }
        return isServing[0];
    }

    private boolean isServing(long process) {
        try (Jedis jedis = jedis()) {
            return jedis.info("server").contains("process_id:" + process + "\r\n");
        } catch (JedisException notYet) {
            return false;
        }
    }

    private boolean hasNoPort() {
        try {
            return Files.readString(directory.resolve("log")).contains("Failed listening on port");
        } catch (IOException notYet) {
            return false;
        }
    }

    void close() {
        reserved.close();
    }
}
