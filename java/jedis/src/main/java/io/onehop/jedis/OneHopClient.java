package io.onehop.jedis;

import io.onehop.core.Config;
import io.onehop.core.ConfigException;
import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.BinaryJedisShardedPubSub;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.Cache;

/**
 * Jedis' API over a server pool of redis nodes: every key goes straight to the node where nutcracker would have put it.
 *
 * <pre>{@code
 * try (OneHopClient redis = OneHopClient.builder().config(Path.of("/etc/nutcracker.yml")).pool("alpha").build()) {
 *     redis.hget("user:1", "name");
 *     try (AbstractPipeline batch = redis.pipelined()) { ... batch.sync(); }
 * }
 * }</pre>
 *
 * <p>Every command goes where the command table (spec/route) says: to the node of its keys, split over the nodes of
 * its keys (MGET, MSET, DEL, XREAD, ...), or to all nodes (KEYS, FLUSHALL, SCRIPT LOAD, ...), all at once, with one
 * reply in the caller's order; SCAN goes through them one by one. A command that needs its keys on one node and has
 * them on two is {@link CrossNode}; what can not be answered honestly is {@link Unsupported}: both before a byte is
 * sent.
 *
 * <p>Every call ends by the server pool's {@code timeout} (milliseconds; 0 is never); one that waits by its own wish
 * (BLPOP, XREAD with BLOCK) by so much later, and if it waits for ever only an interrupt ends it. Failures are {@link
 * OneHopException}s and say whether the command may have run; errors that a node answers are Jedis' own exceptions.
 *
 * <p>One client is meant for all threads. Building it connects to nothing; {@link #close} closes every connection. It
 * speaks RESP2 and sends neither HELLO nor CLIENT.
 */
public final class OneHopClient extends UnifiedJedis {
    private final CurrentRoute route;

    private OneHopClient(CurrentRoute route) {
        super(route, new NoConnections(route.take().topology().pool().name()), RedisProtocol.RESP2, (Cache) null);
        this.route = route;
    }

    /** Begins to build a client. */
    public static Builder builder() {
        return new Builder();
    }

    /** Where every key is: the nodes, and which of them has a key and why. Immutable. */
    public Topology topology() {
        return route.take().topology();
    }

    CurrentRoute route() {
        return route;
    }

    /**
     * A pipeline over all nodes at once, for one thread.
     *
     * <p>Commands are refused ({@link CrossNode}, {@link Unsupported}) when they are added; nothing is sent and no
     * connection held before {@code sync()}, which has the server pool's {@code timeout} for all of it. Then every
     * Response has its value, the error its node answered, or throws the failure that names its node; and if a node
     * failed, {@code sync()} itself throws: that failure if nothing arrived, otherwise {@link PartialBatch}. {@code
     * close()} syncs what was not synced.
     */
    @Override
    public AbstractPipeline pipelined() {
        return new Pipeline(commandObjects, route);
    }

    /**
     * A transaction on one node, for one thread: that of the first key it watches or names; a key of another node is
     * {@link CrossNode}, before anything is sent, and the transaction goes on without it.
     *
     * <p>Nothing is sent and no connection held before {@code exec()}, but for what is watched. Between WATCH and MULTI
     * commands are answered at once, and may be of any node. If the connection that watches fails, everything up to
     * {@code exec()}, {@code discard()} or {@code close()} fails with the same cause. {@code close()} discards.
     */
    @Override
    public AbstractTransaction transaction(boolean doMulti) {
        return new Transaction(commandObjects, route, doMulti);
    }

    /** Goes through the keys of all nodes, one node after another. */
    @Override
    public ScanIteration scanIteration(int batchCount, String match) {
        return new ScanIteration(Scan.connection(route.take()), batchCount, match);
    }

    /** The same for keys of one type. */
    @Override
    public ScanIteration scanIteration(int batchCount, String match, String type) {
        return new ScanIteration(Scan.connection(route.take()), batchCount, match, type);
    }

    /* ---- Nodes by name ---- */

    /**
     * Sends a command to every node, also one that has no key or is refused otherwise: {@code
     * redis.onEachNode(commands -> commands.slowlogReset())}. Refused is only what changes a connection. If a node
     * fails, this throws: its failure if nothing arrived, otherwise {@link PartialBatch}; else the first error that a
     * node answered, which has no room in a reply of this type.
     *
     * @return the replies by the names of the nodes, in node order
     */
    public <T> Map<String, T> onEachNode(Function<CommandObjects, CommandObject<T>> command) {
        return new EachNode(route.take()).all(command.apply(commandObjects));
    }

    /** The same for a command in words; the replies are as they come from the wire, an error in its place. */
    public Map<String, Object> onEachNode(CommandArguments arguments) {
        return new EachNode(route.take()).told(arguments);
    }

    /** Sends a command to the node of that name, as {@link #onEachNode(Function)} does to all. */
    public <T> T onNode(String node, Function<CommandObjects, CommandObject<T>> command) {
        EachNode nodes = new EachNode(route.take());
        return nodes.one(nodes.index(node), command.apply(commandObjects));
    }

    /** The same for a command in words; the reply is as it comes from the wire. */
    public Object onNode(String node, CommandArguments arguments) {
        EachNode nodes = new EachNode(route.take());
        return nodes.one(nodes.index(node), new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT));
    }

    /* ---- Subscriptions ---- */

    /**
     * Listens until the last channel is left, on the calling thread; each channel on its own node, where PUBLISH goes,
     * too. Holds one connection to each of these nodes and closes it at the end. A node that is lost ends it with {@link
     * NodeDown}.
     */
    @Override
    public void subscribe(JedisPubSub subscriber, String... channels) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceed(connection, channels);
        }
    }

    /** The same. */
    @Override
    public void subscribe(BinaryJedisPubSub subscriber, byte[]... channels) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceed(connection, channels);
        }
    }

    /** The same on every node; each message comes once, as it is published on one. */
    @Override
    public void psubscribe(JedisPubSub subscriber, String... patterns) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceedWithPatterns(connection, patterns);
        }
    }

    /** The same. */
    @Override
    public void psubscribe(BinaryJedisPubSub subscriber, byte[]... patterns) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceedWithPatterns(connection, patterns);
        }
    }

    /** Sharded channels, as {@code RedisClusterClient} has them: SPUBLISH goes to the same node. */
    public void ssubscribe(JedisShardedPubSub subscriber, String... channels) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceed(connection, channels);
        }
    }

    /** The same. */
    public void ssubscribe(BinaryJedisShardedPubSub subscriber, byte[]... channels) {
        try (Subscription connection = new Subscription(route.take())) {
            subscriber.proceed(connection, channels);
        }
    }

    @Override
    protected CommandObjects newCommandObjects(RedisProtocol protocol) {
        return new RoutedArguments.Factory(protocol);
    }

    /** Closes every connection: the idle ones now, those in use when their call is over. */
    @Override
    public void close() {
        route.close();
    }

    /** What a client is made of: a configuration and the name of a server pool in it. For one thread. */
    public static final class Builder {
        private Path file;
        private String text;
        private String pool;

        private Builder() {
        }

        /**
         * The configuration file: a nutcracker.yml, with or without OneHop's own directives. Read by {@link #build}, once.
         */
        public Builder config(Path file) {
            this.file = file;
            this.text = null;
            return this;
        }

        /** The configuration itself, in place of a file. */
        public Builder configText(String text) {
            this.text = text;
            this.file = null;
            return this;
        }

        /** The name of the server pool. */
        public Builder pool(String name) {
            this.pool = name;
            return this;
        }

        /**
         * The client. Throws {@link ConfigInvalid} if the configuration can not be read, is not accepted, or has no
         * such pool of redis nodes.
         */
        public OneHopClient build() {
            if (pool == null || file == null && text == null) {
                throw new ConfigInvalid("config and pool must be given: the command was not sent; "
                        + "call config(...) and pool(...)", null);
            }
            ServerPool found = read().pool(pool);
            if (found == null) {
                throw invalid("there is no server pool \"" + Failure.shown(pool) + "\"", null);
            }
            if (!found.redis()) {
                throw invalid("server pool \"" + Failure.shown(pool) + "\" speaks memcached, it lacks \"redis: true\"",
                        null);
            }
            return new OneHopClient(new CurrentRoute(Topology.of(found)));
        }

        private Config read() {
            try {
                return file != null ? Config.read(file) : Config.parse(text.getBytes(StandardCharsets.UTF_8));
            } catch (ConfigException bad) {
                throw invalid("line " + bad.line() + ": " + bad.reason(), bad);
            } catch (IOException unreadable) {
                throw invalid("it can not be read: " + Failure.shown(unreadable.toString()), unreadable);
            }
        }

        private ConfigInvalid invalid(String reason, Throwable cause) {
            String where = file == null ? "the configuration text"
                    : "configuration file " + Failure.shown(file.toString());
            return new ConfigInvalid(where + ", " + reason + ": the command was not sent; correct the configuration",
                    cause);
        }
    }
}
