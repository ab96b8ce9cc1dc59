package io.onehop.jedis.lab;

import com.google.gson.JsonObject;

import io.onehop.jedis.OneHopClient;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** A real redis-server on a free or given port, and on a unix socket. */
public final class RedisServer implements AutoCloseable {
    private static final ClientKillParams KILLED =
            new ClientKillParams().type(ClientType.NORMAL).skipMe(ClientKillParams.SkipMe.YES);

    private final String request; // The request to the lab that starts this server or restarts it.
    private final List<String> options;
    private int port;
    private long pid;
    private Path folder;
    private boolean isRunning = true;

    RedisServer(String request, List<String> options, JsonObject started) {
        this.request = request;
        this.options = options;
        take(started);
    }

    private void take(JsonObject started) {
        port = started.get("port").getAsInt();
        pid = started.get("pid").getAsLong();
        folder = Path.of(started.get("directory").getAsString());
        isRunning = true;
    }

    /**
     * Starts a server. The options are directives of redis.conf: name and value in turn. Several
     * values of an option are separated by spaces.
     */
    public static RedisServer start(String... options) {
        List<String> words = words(options);
        return new RedisServer(
                "redis", words, Lab.ask("redis", "options", words).getAsJsonObject());
    }

    public static RedisServer startOn(int port, String... options) {
        List<String> words = words(options);
        return new RedisServer(
                "redis", words, Lab.ask("redis", "port", port, "options", words).getAsJsonObject());
    }

    /** Options as words of a command line. */
    static List<String> words(String... options) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < options.length; i += 2) {
            words.add("--" + options[i]);
            words.addAll(List.of(options[i + 1].split(" ")));
        }
        return words;
    }

    public int port() {
        return port;
    }

    /** An element of {@code servers}, with weight 1. */
    public String server() {
        return "127.0.0.1:" + port + ":1";
    }

    public String node() {
        return "127.0.0.1:" + port;
    }

    public Path unixSocket() {
        return folder.resolve("socket");
    }

    /** A new plain Jedis for this server. */
    public Jedis jedis() {
        return new Jedis("127.0.0.1", port, 30_000);
    }

    /** A client of a pool of this server alone. */
    public OneHopClient client(String... directives) {
        return Nodes.clientOf(Stream.of(server()), directives);
    }

    /** Runs a job with a plain Jedis. Returns its result. */
    public <T> T ask(Function<Jedis, T> job) {
        try (Jedis jedis = jedis()) {
            return job.apply(jedis);
        }
    }

    /**
     * How often this server has executed a command. The name is in lower case, with a subcommand
     * {@code name|subcommand}.
     */
    public long calls(String command) {
        try (Jedis jedis = jedis()) {
            return jedis.info("commandstats")
                    .lines()
                    .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                    .sum();
        }
    }

    /** A number in a section of INFO. */
    public long number(String section, String field) {
        return ask(jedis -> jedis.info(section))
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.substring(field.length() + 1)))
                .findFirst()
                .orElse(-1);
    }

    /** The value of a directive of redis.conf. */
    public String config(String directive) {
        try (Jedis jedis = jedis()) {
            return jedis.configGet(directive).get(directive);
        }
    }

    /** The number of connected clients, without the one that asks. */
    public long clients() {
        try (Jedis jedis = jedis()) {
            return jedis.clientList().lines().count() - 1;
        }
    }

    /** Closes all connections except the one that asks for it. Returns their number. */
    public long killClients() {
        return ask(jedis -> jedis.clientKill(KILLED));
    }

    /** Stops the process. The kernel still accepts connections for it. */
    public void freeze() {
        Processes.stop(pid);
    }

    public void thaw() {
        Processes.signal(pid, "CONT");
    }

    /** Kills the process with SIGKILL. Its data in memory is lost. */
    public void kill() {
        if (isRunning) {
            Lab.ask("stop", "pid", pid);
            isRunning = false;
        }
    }

    /** Starts the server again at the same address, with its files. */
    public void restart() {
        restartOn(port);
    }

    /** Starts the server again on another port, with its files. */
    public void restartElsewhere() {
        restartOn(Processes.freePort());
    }

    private void restartOn(int where) {
        take(
                Lab.ask(request, "port", where, "directory", folder.toString(), "options", options)
                        .getAsJsonObject());
    }

    /** Deletes nodes.conf, so that the server starts as another node. */
    public void forgetCluster() {
        folder.resolve("nodes.conf").toFile().delete();
    }

    @Override
    public void close() {
        kill();
    }
}
