package io.onehop.jedis.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.Jedis;

/** A real redis-server on a free port (or on a port given), and on a unix socket beside it. */
public final class RedisServer implements AutoCloseable {
    private final Path folder;
    private int port;
    private String[] options;
    private Process process;

    private RedisServer(Path folder, int port) {
        this.folder = folder;
        this.port = port;
    }

    /** Starts a server; the options are those of redis.conf, name and value (or values, with spaces between) in turn. */
    public static RedisServer start(String... options) {
        return startOn(Processes.freePort(), options);
    }

    public static RedisServer startOn(int port, String... options) {
        try {
            RedisServer server = new RedisServer(Files.createTempDirectory("onehop-redis"), port);
            server.run(options);
            return server;
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private void run(String... options) throws IOException {
        this.options = options;
        List<String> command = new ArrayList<>(List.of("redis-server", "--port", String.valueOf(port), "--bind",
                "127.0.0.1",
                "--unixsocket", unixSocket().toString(), "--save", "", "--appendonly", "no"));
        for (int i = 0; i < options.length; i += 2) {
            command.add("--" + options[i]);
            command.addAll(List.of(options[i + 1].split(" ")));
        }
        process = Processes.start(folder, command);
        Processes.awaitPort(process, port, folder);
    }

    public int port() {
        return port;
    }

    /** As an element of {@code servers}, with weight 1. */
    public String server() {
        return "127.0.0.1:" + port + ":1";
    }

    public String node() {
        return "127.0.0.1:" + port;
    }

    public Path unixSocket() {
        return folder.resolve("socket");
    }

    /** A plain Jedis of its own. */
    public Jedis jedis() {
        return new Jedis("127.0.0.1", port);
    }

    /** How often it was sent this command, in lower case; of a subcommand {@code name|subcommand}. */
    public long calls(String command) {
        try (Jedis jedis = jedis()) {
            return jedis.info("commandstats").lines().filter(line -> line.startsWith("cmdstat_" + command + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1"))).sum();
        }
    }

    /** How many clients are connected, besides the one that asks. */
    public long clients() {
        try (Jedis jedis = jedis()) {
            return jedis.clientList().lines().count() - 1;
        }
    }

    /** The server stops running; the kernel goes on accepting connections for it. */
    public void freeze() {
        Processes.signal(process, "STOP");
    }

    public void thaw() {
        Processes.signal(process, "CONT");
    }

    /** kill -9; what it had in memory is lost. */
    public void kill() {
        Processes.kill(process);
    }

    /** Starts it again where it was, with the files it left. */
    public void restart() {
        try {
            run(options);
        } catch (IOException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Starts it on another port, with the files it left. */
    public void restartElsewhere() {
        port = Processes.freePort();
        restart();
    }

    /** What it knew of its Redis Cluster is forgotten: it starts as another node. */
    public void forgetCluster() {
        folder.resolve("nodes.conf").toFile().delete();
    }

    @Override
    public void close() {
        Processes.kill(process);
        Processes.delete(folder);
    }
}
