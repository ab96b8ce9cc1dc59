package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.Topology;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.PartialBatch;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisRedirectionException;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The nodes of a server pool, asked by the client that programs use, with the same addresses,
 * passwords and encryption.
 *
 * <p>The server pool stays as it was read, so that an answer is about one configuration. {@link
 * #following} follows the file instead. A call ends after the pool's timeout or, if the pool has
 * none, after ten seconds. Any thread.
 */
final class AskedNodes implements AutoCloseable {
    private static final int PATIENCE_MS = 10_000;

    private final OneHopClient client;
    private final boolean hasTimeout;
    private final boolean isOfFile; // The file alone names the nodes.

    AskedNodes(ConfigFile file, ServerPool pool) {
        this(pool, OneHopClient.builder().configText(file.text()));
    }

    /** Nodes that follow the file: when it changes, the nodes of the new file are asked. */
    static AskedNodes following(ConfigFile file, ServerPool pool) {
        return new AskedNodes(pool, OneHopClient.builder().config(file.path()));
    }

    private AskedNodes(ServerPool pool, OneHopClient.Builder builder) {
        this.client = builder.pool(pool.name()).build();
        this.hasTimeout = pool.timeoutMs() > 0;
        this.isOfFile = !pool.cluster() && pool.sentinels().isEmpty();
    }

    /** Where the keys of a pool are. Only a Redis Cluster has to be asked for that. */
    static PoolTopology topologyOf(ConfigFile file, ServerPool pool) throws Refusal {
        if (!pool.cluster()) {
            return PoolTopology.of(pool);
        }
        try (AskedNodes nodes = new AskedNodes(file, pool)) {
            return nodes.topology();
        }
    }

    /** The topology. If only a Redis Cluster or Sentinels know it, they are asked first. */
    PoolTopology topology() throws Refusal {
        if (!isOfFile) {
            within("the server pool", this::ping);
        }
        return (PoolTopology) client.topology(); // The only class that implements Topology.
    }

    private boolean ping() {
        try {
            client.onEachNode(new CommandArguments(Command.PING));
        } catch (PartialBatch some) {
            return false; // Some nodes have answered, and that is enough for the map.
        }
        return true;
    }

    /** The nodes that have keys of their own. */
    static List<Node> withKeys(Topology topology) {
        return topology.nodes().stream()
                .filter(node -> node.role() == Role.NONE || node.role() == Role.MASTER)
                .toList();
    }

    /**
     * One node's reply, as Jedis reads it from the wire; {@code null} for nil.
     *
     * @param words texts or bytes
     */
    <T> @Nullable T ask(Node node, Class<T> type, Command command, Object... words) throws Refusal {
        CommandArguments arguments = new CommandArguments(command).addObjects(words);
        Object reply = within("node " + node.name(), () -> client.onNode(node.name(), arguments));
        if (reply != null && !type.isInstance(reply)) {
            throw new Refusal(
                    ExitStatus.NO_ANSWER,
                    "node " + node.name() + ": its reply to " + command + " is not one of redis");
        }
        return type.cast(reply);
    }

    /**
     * One node's reply to a command about a key. If the key has just moved to another node of the
     * Redis Cluster, the other node is asked.
     *
     * @param key the last word
     */
    <T> @Nullable T askOfKey(Node node, Class<T> type, Command command, String word, byte[] key)
            throws Refusal {
        try {
            return ask(node, type, command, word, key);
        } catch (JedisRedirectionException moved) {
            CommandArguments arguments = new CommandArguments(command).add(word).key(key);
            CommandObject<Object> asked = new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT);
            return type.cast(within("the server pool", () -> client.executeCommand(asked)));
        }
    }

    /**
     * One node's replies to several commands, which are sent in one write. An error reply is an
     * element of the list, too.
     *
     * @param waitMs how much longer than the timeout the node may take
     */
    List<Object> askAll(Node node, List<CommandArguments> commands, long waitMs) throws Refusal {
        return within("node " + node.name(), waitMs, () -> client.onNode(node.name(), commands));
    }

    /**
     * One node's replies to several commands that may take {@code waitMs} longer than the timeout.
     * A WAIT for 0 replicas is sent before the commands. The node answers this WAIT at once, but
     * the client gives the time that WAIT names to everything that is sent with it. As before every
     * WAIT, an empty PUBLISH is sent first (spec/route).
     */
    List<Object> askPatiently(Node node, List<CommandArguments> commands, long waitMs)
            throws Refusal {
        List<CommandArguments> all = new ArrayList<>();
        all.add(new CommandArguments(Command.WAIT).add(0).add(waitMs));
        all.addAll(commands);
        return askAll(node, all, waitMs).subList(1, all.size());
    }

    /** One node's reply that is a text; empty for nil. */
    String text(Node node, Command command, Object... words) throws Refusal {
        byte[] reply = ask(node, byte[].class, command, words);
        return reply == null ? "" : new String(reply, StandardCharsets.UTF_8);
    }

    /** One node's reply that is a number; 0 for nil. */
    long number(Node node, Command command, Object... words) throws Refusal {
        Long reply = ask(node, Long.class, command, words);
        return reply == null ? 0 : reply;
    }

    private <T> T within(String asked, Supplier<T> call) throws Refusal {
        return within(asked, 0, call);
    }

    private <T> T within(String asked, long waitMs, Supplier<T> call) throws Refusal {
        if (hasTimeout) {
            return answer(call);
        }
        try {
            return CompletableFuture.supplyAsync(call, AskedNodes::start)
                    .get(PATIENCE_MS + waitMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException late) {
            throw new Refusal(
                    ExitStatus.NO_ANSWER,
                    asked
                            + " has not answered within "
                            + (PATIENCE_MS + waitMs) / 1000
                            + " seconds");
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refusal(ExitStatus.NO_ANSWER, "interrupted");
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException failure) {
                return answer(
                        () -> {
                            throw failure;
                        });
            }
            throw new IllegalStateException(failed.getCause());
        }
    }

    /**
     * Refuses if the client does not have the node any more, because the node has just left the
     * server pool.
     */
    private static <T> T answer(Supplier<T> call) throws Refusal {
        try {
            return call.get();
        } catch (IllegalArgumentException gone) {
            throw new Refusal(ExitStatus.NO_ANSWER, String.valueOf(gone.getMessage()));
        }
    }

    /** Runs a task in a thread of its own, because the task may never end. */
    private static void start(Runnable task) {
        Thread thread = new Thread(task, "onehop-call");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        client.close();
    }
}
