package io.onehop.jedis;

import io.onehop.core.Topology;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.EachNode;
import io.onehop.jedis.internal.route.ScanConnection;
import io.onehop.jedis.internal.snapshot.IdleConnectionEvictor;
import io.onehop.jedis.internal.snapshot.Snapshots;

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

import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Jedis' API over a server pool of redis nodes: every key goes straight to the node where
 * nutcracker would have put it.
 *
 * <pre>{@code
 * try (OneHopClient redis = OneHopClient.builder().config(Path.of("/etc/nutcracker.yml")).pool("alpha").build()) {
 *     redis.hget("user:1", "name");
 *     try (AbstractPipeline batch = redis.pipelined()) { ... batch.sync(); }
 * }
 * }</pre>
 *
 * <p>Every command goes where the command table (spec/route) says: to the node of its keys, split
 * over the nodes of its keys (MGET, MSET, DEL, XREAD, ...), or to all nodes (KEYS, FLUSHALL, SCRIPT
 * LOAD, ...), all at once, with one reply in the caller's order; SCAN goes through them one by one.
 * A command that needs its keys on one node and has them on two is {@link CrossNode}; what cannot
 * be answered honestly is {@link Unsupported}: both before a byte is sent.
 *
 * <p>With {@code cluster: true} the servers are seeds of a Redis Cluster, and its own map says
 * where keys are: the first call waits until a node has told it, none after that. Commands whose
 * slot has moved are sent on, in pipelines, too.
 *
 * <p>Every call ends by the server pool's {@code timeout} (milliseconds; 0 is never); one that
 * waits by its own wish (BLPOP, XREAD with BLOCK) by so much later, and if it waits for ever only
 * an interrupt ends it. Failures are {@link OneHopException}s and say whether the command may have
 * run; errors that a node answers are Jedis' own exceptions.
 *
 * <p>One client is meant for all threads. Building it connects to nothing; {@link #close} closes
 * every connection. It speaks RESP2 and sends neither HELLO nor CLIENT. When its configuration file
 * changes, it follows: a call, a batch, a transaction ends by the configuration it began with.
 */
public final class OneHopClient extends UnifiedJedis {
    private final CurrentRoute route;
    private final ConfigWatcher watcher;
    private final IdleConnectionEvictor evictor;

    private OneHopClient(CurrentRoute route, ConfigWatcher watcher) {
        super(
                route,
                new RefusingConnectionProvider(route.snapshots().newest().pool().name()),
                RedisProtocol.RESP2,
                (Cache) null);
        this.route = route;
        this.watcher = watcher;
        this.evictor = new IdleConnectionEvictor(route.snapshots());
    }

    /** Begins what its own threads do. */
    private OneHopClient started() {
        watcher.start();
        evictor.start();
        return this;
    }

    /** Begins to build a client. */
    public static Builder builder() {
        return new Builder();
    }

    /** How the nodes are, and what became of the calls so far. Asks no node. */
    public PoolStatus status() {
        return PoolStatus.of(snapshots().newest(), watcher.status(), snapshots().isClosed());
    }

    /**
     * Where every key is now: the nodes, and which of them has a key and why. Immutable; a change
     * makes another one.
     */
    public Topology topology() {
        return route.take().topology();
    }

    /** What the last look at the configuration has led to. */
    ConfigStatus config() {
        return watcher.status();
    }

    CurrentRoute route() {
        return route;
    }

    Snapshots snapshots() {
        return route.snapshots();
    }

    /**
     * A pipeline over all nodes at once, for one thread.
     *
     * <p>Commands are refused ({@link CrossNode}, {@link Unsupported}) when they are added; nothing
     * is sent and no connection held before {@code sync()}, which has the server pool's {@code
     * timeout} for all of it. Then every Response has its value, the error its node answered, or
     * throws the failure that names its node; and if a node failed, {@code sync()} itself throws:
     * that failure if nothing arrived, otherwise {@link PartialBatch}. {@code close()} syncs what
     * was not synced.
     */
    @Override
    public OneHopPipeline pipelined() {
        return new Pipeline(commandObjects, route);
    }

    /**
     * A transaction on one node, for one thread: that of the first key it watches or names. A key
     * of another node is refused with {@link CrossNode}, before anything is sent. Such a refusal
     * discards the transaction: {@code exec()} fails, and nothing of it is executed.
     *
     * <p>Nothing is sent and no connection held before {@code exec()}, but for what is watched.
     * Between WATCH and MULTI commands are answered at once, and may be of any node. If the
     * connection that watches fails, everything up to {@code exec()}, {@code discard()} or {@code
     * close()} fails with the same cause. {@code close()} discards.
     */
    @Override
    public AbstractTransaction transaction(boolean doMulti) {
        return new Transaction(commandObjects, route, doMulti);
    }

    /** Goes through the keys of all nodes, one node after another. */
    @Override
    public ScanIteration scanIteration(int batchCount, String match) {
        return new ScanIteration(ScanConnection.provider(route.take()), batchCount, match);
    }

    /** The same for keys of one type. */
    @Override
    public ScanIteration scanIteration(int batchCount, String match, String type) {
        return new ScanIteration(ScanConnection.provider(route.take()), batchCount, match, type);
    }

    /* ---- Nodes by name ---- */

    /**
     * Sends a command to every node, also one that has no key or is refused otherwise: {@code
     * redis.onEachNode(commands -> commands.slowlogReset())}. Refused is only what changes a
     * connection. If a node fails, this throws: its failure if nothing arrived, otherwise {@link
     * PartialBatch}; else the first error that a node answered, which has no room in a reply of
     * this type.
     *
     * @return the replies by the names of the nodes, in node order
     */
    public <T> Map<String, T> onEachNode(Function<CommandObjects, CommandObject<T>> command) {
        return new EachNode(route.take()).all(command.apply(commandObjects));
    }

    /**
     * The same for a command in words; the replies are as they come from the wire, an error in its
     * place.
     */
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
        return nodes.one(
                nodes.index(node), new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT));
    }

    /* ---- Subscriptions ---- */

    /**
     * Listens until the last channel is left, on the calling thread; each channel on its own node,
     * where PUBLISH goes, too. Holds one connection to each of these nodes and closes it at the
     * end. A node that is lost ends it with {@link NodeDown}, and so does a configuration by which
     * its channels are on other nodes: subscribe again.
     */
    @Override
    public void subscribe(JedisPubSub subscriber, String... channels) {
        listen(connection -> subscriber.proceed(connection, channels));
    }

    /** The same. */
    @Override
    public void subscribe(BinaryJedisPubSub subscriber, byte[]... channels) {
        listen(connection -> subscriber.proceed(connection, channels));
    }

    /** The same on every node; each message comes once, as it is published on one. */
    @Override
    public void psubscribe(JedisPubSub subscriber, String... patterns) {
        listen(connection -> subscriber.proceedWithPatterns(connection, patterns));
    }

    /** The same. */
    @Override
    public void psubscribe(BinaryJedisPubSub subscriber, byte[]... patterns) {
        listen(connection -> subscriber.proceedWithPatterns(connection, patterns));
    }

    /** Sharded channels, as {@code RedisClusterClient} has them: SPUBLISH goes to the same node. */
    public void ssubscribe(JedisShardedPubSub subscriber, String... channels) {
        listen(connection -> subscriber.proceed(connection, channels));
    }

    /** The same. */
    public void ssubscribe(BinaryJedisShardedPubSub subscriber, byte[]... channels) {
        listen(connection -> subscriber.proceed(connection, channels));
    }

    private void listen(Consumer<Subscription> listening) {
        Subscription subscription = new Subscription(route);
        try (subscription) {
            listening.accept(subscription);
        } finally {
            subscription.holder.isOver = true; // If no stack is left to close it.
        }
    }

    @Override
    protected CommandObjects newCommandObjects(RedisProtocol protocol) {
        return new RoutedArguments.Factory(protocol);
    }

    /** Closes every connection: the idle ones now, those in use when their call is over. */
    @Override
    public void close() {
        watcher.close();
        route.close();
        evictor.close();
    }

    /**
     * What a client is made of: a configuration and the name of a server pool in it. For one
     * thread.
     */
    public static final class Builder {
        private Path file;
        private String text;
        private String pool;
        private Consumer<TopologyChange> listener = change -> {};

        private Builder() {}

        /**
         * The configuration file: a nutcracker.yml, with or without OneHop's own directives. As
         * long as the client is open a thread of its own looks once a second whether it has
         * changed. Calls that begin later go by the new one; a bad, half-written or missing file
         * changes nothing, and the log ({@code io.onehop}) says once what is wrong.
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

        /**
         * Who is told of a changed configuration, on the thread that looks at the file, before
         * calls go by it; {@code TopologyChange} says how many keys move. The change waits until
         * the listener is done, and nothing can stop it.
         */
        public Builder onChange(Consumer<TopologyChange> listener) {
            this.listener = Objects.requireNonNull(listener);
            return this;
        }

        /** The name of the server pool. */
        public Builder pool(String name) {
            this.pool = name;
            return this;
        }

        /**
         * The client. Throws {@link ConfigInvalid} if the configuration cannot be read, is not
         * accepted, or has no such pool of redis nodes.
         */
        public OneHopClient build() {
            JedisVersion.require();
            if (pool == null || file == null && text == null) {
                throw new ConfigInvalid(
                        (pool == null ? "the name of the server pool" : "the configuration")
                                + " is missing; call "
                                + (pool == null ? "pool(...)" : "config(...) or configText(...)")
                                + " before build()",
                        null);
            }
            ConfigSource source =
                    file != null ? new ConfigSource(file, pool) : new ConfigSource(text, pool);
            try {
                byte[] bytes = source.bytes();
                ServerPool read = source.pool(bytes);
                source.tellExposed(read);
                Snapshots snapshots = new Snapshots(PoolTopology.of(read));
                ConfigWatcher watcher = new ConfigWatcher(source, bytes, snapshots, listener);
                return new OneHopClient(new CurrentRoute(snapshots), watcher).started();
            } catch (ConfigRefused refused) {
                throw new ConfigInvalid(
                        refused.getMessage() + "; correct the configuration", refused.getCause());
            }
        }
    }
}
