package io.onehop.jedis;

import io.onehop.core.Topology;
import io.onehop.core.base.Message;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.connection.Handshake;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.request.RoutedArguments;
import io.onehop.jedis.internal.route.CallObserver;
import io.onehop.jedis.internal.route.CurrentRoute;
import io.onehop.jedis.internal.route.EachNode;
import io.onehop.jedis.internal.route.ScanConnection;
import io.onehop.jedis.internal.snapshot.IdleConnectionEvictor;
import io.onehop.jedis.internal.snapshot.Snapshots;
import io.onehop.jedis.internal.tls.ClientTls;
import io.onehop.jedis.internal.tls.Tls;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.BinaryJedisShardedPubSub;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.RedisCredentials;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.Cache;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.net.ssl.SSLContext;

/**
 * Jedis' API over a server pool of redis nodes. Every key is on the node where nutcracker would
 * place it, and commands go there directly.
 *
 * <pre>{@code
 * try (OneHopClient redis =
 *         OneHopClient.builder().config(Path.of("/etc/nutcracker.yml")).pool("alpha").build()) {
 *     redis.hget("user:1", "name");
 *     try (AbstractPipeline batch = redis.pipelined()) { ... batch.sync(); }
 * }
 * }</pre>
 *
 * <p>The command table (spec/route) says where a command goes. Commands go to the node of their
 * keys. Some are split over the nodes of their keys (MGET, MSET, DEL, XREAD, ...), some go to all
 * nodes (KEYS, FLUSHALL, SCRIPT LOAD, ...). Several nodes are asked in parallel, and their replies
 * become one reply, in the caller's order. SCAN visits the nodes one by one. A command whose keys
 * must be on one node but are on two throws {@link CrossNode}. A command that has no honest answer
 * throws {@link Unsupported}. Both are thrown before a byte is sent.
 *
 * <p>With {@code cluster: true} the servers are seeds of a Redis Cluster, and the cluster's own map
 * says where keys are. Only the first call waits for the map. Commands whose slot has moved follow
 * the redirect, even in pipelines.
 *
 * <p>Every call ends within the server pool's {@code timeout} (milliseconds; 0 = none). Blocking
 * commands (BLPOP, XREAD with BLOCK) add their own timeout; without one, they wait until data, an
 * interrupt or {@link #close} ends the wait. Failures are {@link OneHopException}s and say whether
 * the command may have run. Errors that a node answers are Jedis' own exceptions.
 *
 * <p>One client is meant for all threads. Building it connects to no node: the first call fetches
 * the map of a Redis Cluster, or asks the Sentinels. {@link #close} closes every connection. The
 * client speaks RESP2 and sends no HELLO. It follows changes of its configuration file: new calls
 * use the new file, and a call, batch or transaction ends with the file with which it began.
 */
public final class OneHopClient extends UnifiedJedis {
    private final CurrentRoute route;
    private final ConfigWatcher watcher;
    private final IdleConnectionEvictor evictor;

    private OneHopClient(CurrentRoute route, ConfigWatcher watcher, int checkEveryMs) {
        super(
                route,
                new RefusingConnectionProvider(route.snapshots().newest().pool().name()),
                RedisProtocol.RESP2,
                (Cache) null);
        this.route = route;
        this.watcher = watcher;
        this.evictor = new IdleConnectionEvictor(route.snapshots(), checkEveryMs);
    }

    /** Starts the client's threads. */
    private OneHopClient started() {
        watcher.start();
        evictor.start();
        return this;
    }

    /**
     * Starts to build a client.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * The state of the nodes, and counters of all calls so far. It asks no node. Any thread; it
     * also works after {@link #close}.
     *
     * @return a snapshot
     */
    public PoolStatus status() {
        return PoolStatus.of(
                snapshots().newest(),
                watcher.status(),
                route.isClusterDown(),
                snapshots().isClosed());
    }

    /**
     * The current topology: the nodes, and which node has a key and why. Immutable. A change of the
     * configuration or the map makes another one, so call this again. Any thread.
     *
     * @return the topology that new calls use
     */
    public Topology topology() {
        return route.take().topology();
    }

    /** The result of the last check of the configuration. */
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
     * A pipeline over all nodes, for one thread.
     *
     * <p>Adding a command throws {@link CrossNode} or {@link Unsupported} if it is refused. Nothing
     * is sent and no connection is used before {@code sync()}, which ends within the server pool's
     * {@code timeout}. Afterwards every Response has its value or the error that its node answered,
     * or throws the failure of its node. If a node failed, {@code sync()} itself throws {@link
     * PartialBatch}, or that node's failure if nothing arrived. If commands were not sent yet,
     * {@code close()} calls {@code sync()}.
     */
    @Override
    public OneHopPipeline pipelined() {
        return new Pipeline(commandObjects, route);
    }

    /**
     * A transaction on one node, for one thread. The first key that is watched or named decides the
     * node. A key of another node throws {@link CrossNode}, before anything is sent. Such a refusal
     * discards the transaction: {@code exec()} fails, and nothing of it is executed.
     *
     * <p>Nothing is sent and no connection is used before {@code exec()}, except for WATCH. Between
     * WATCH and MULTI commands are answered immediately, and may have keys of any node. If the
     * connection that watches fails, every later call up to {@code exec()}, {@code discard()} or
     * {@code close()} fails with the same cause. {@code close()} discards.
     */
    @Override
    public AbstractTransaction transaction(boolean doMulti) {
        return new Transaction(commandObjects, route, doMulti);
    }

    /**
     * Iterates over the keys of all nodes, one node after another. If a changed configuration or
     * map moves keys before the end, the next batch throws {@link Unsupported}; then begin again.
     */
    @Override
    public ScanIteration scanIteration(int batchCount, String match) {
        return new ScanIteration(ScanConnection.provider(route), batchCount, match);
    }

    /** Iterates over the keys of one type. */
    @Override
    public ScanIteration scanIteration(int batchCount, String match, String type) {
        return new ScanIteration(ScanConnection.provider(route), batchCount, match, type);
    }

    /* ---- Nodes by name ---- */

    /**
     * Sends a command to every node. The command may have no key, or be one that other methods
     * refuse: {@code redis.onEachNode(commands -> commands.slowlogReset())}.
     *
     * <p>The replies are in node order, by node name. If a node answered an error, throws the first
     * such error, because a typed reply has no room for it. Throws {@link Unsupported} for a
     * command that changes its connection. If a node fails, throws {@link PartialBatch}, or that
     * node's failure if nothing arrived.
     *
     * @param <T> the type of the reply
     * @param command makes the command
     * @return the replies by the names of the nodes, in node order
     */
    public <T> Map<String, T> onEachNode(Function<CommandObjects, CommandObject<T>> command) {
        return new EachNode(route.take()).all(command.apply(commandObjects));
    }

    /**
     * Runs a command, given in words, on every node. The replies are as Jedis reads them from the
     * wire, and an error reply is a value.
     *
     * @param arguments the command and its arguments
     * @return the replies by the names of the nodes, in node order
     */
    public Map<String, Object> onEachNode(CommandArguments arguments) {
        return new EachNode(route.take()).raw(arguments);
    }

    /**
     * Sends a command to the node of that name, as {@link #onEachNode(Function)} does to all nodes.
     *
     * @param <T> the type of the reply
     * @param node the name of the node, as in the configuration
     * @param command makes the command
     * @return the reply
     * @throws IllegalArgumentException if there is no such node
     */
    public <T> T onNode(String node, Function<CommandObjects, CommandObject<T>> command) {
        EachNode nodes = new EachNode(route.take());
        return nodes.one(nodes.index(node), command.apply(commandObjects));
    }

    /**
     * Runs a command, given in words, on one node. The reply is as Jedis reads it from the wire.
     *
     * @param node the name of the node, as in the configuration
     * @param arguments the command and its arguments
     * @return the reply
     */
    public Object onNode(String node, CommandArguments arguments) {
        return onNode(node, all -> new CommandObject<>(arguments, BuilderFactory.RAW_OBJECT));
    }

    /**
     * Runs several commands on one node, in one write. An error reply is an element of the list.
     *
     * @param node the name of the node, as in the configuration
     * @param commands the commands with their arguments
     * @return the replies, in the order of the commands
     */
    public List<Object> onNode(String node, List<CommandArguments> commands) {
        return new EachNode(route.take()).several(node, commands);
    }

    /* ---- Subscriptions ---- */

    /**
     * Subscribes and receives messages on the calling thread, until no channel is subscribed any
     * more. Each channel is on its own node, to which PUBLISH also goes; channels of notifications
     * of keys ({@code __keyevent@0__:expired}) are on every node. Uses one connection to each of
     * these nodes and closes it at the end.
     *
     * <p>When a node is lost, the subscription goes on with the other nodes. The channels of the
     * lost node are subscribed again as soon as that node answers. Messages that were published
     * there in that time are lost: the log says so, and a subscriber that is a {@link
     * ChannelsListener} is told. Throws {@link NodeDown} when all nodes are lost, or when a new
     * configuration places the channels on other nodes; subscribe again then.
     */
    @Override
    public void subscribe(JedisPubSub subscriber, String... channels) {
        listen(subscriber, connection -> subscriber.proceed(connection, channels));
    }

    /** Subscribes to channels whose names are given as bytes. */
    @Override
    public void subscribe(BinaryJedisPubSub subscriber, byte[]... channels) {
        listen(subscriber, connection -> subscriber.proceed(connection, channels));
    }

    /**
     * Subscribes to patterns on every node. A message arrives once, because it is published on one
     * node. In a Redis Cluster one node delivers the messages of all nodes; only notifications of
     * keys come from each node itself.
     */
    @Override
    public void psubscribe(JedisPubSub subscriber, String... patterns) {
        listen(subscriber, connection -> subscriber.proceedWithPatterns(connection, patterns));
    }

    /** Subscribes to patterns that are given as bytes. */
    @Override
    public void psubscribe(BinaryJedisPubSub subscriber, byte[]... patterns) {
        listen(subscriber, connection -> subscriber.proceedWithPatterns(connection, patterns));
    }

    /**
     * Subscribes to sharded channels as {@code RedisClusterClient} does. SPUBLISH goes to the same
     * node.
     *
     * @param subscriber receives the messages
     * @param channels the channels
     */
    public void ssubscribe(JedisShardedPubSub subscriber, String... channels) {
        listen(subscriber, connection -> subscriber.proceed(connection, channels));
    }

    /**
     * Subscribes to sharded channels whose names are given as bytes.
     *
     * @param subscriber receives the messages
     * @param channels the channels
     */
    public void ssubscribe(BinaryJedisShardedPubSub subscriber, byte[]... channels) {
        listen(subscriber, connection -> subscriber.proceed(connection, channels));
    }

    private void listen(Object subscriber, Consumer<Subscription> listening) {
        Subscription subscription = new Subscription(route, subscriber);
        try (subscription) {
            listening.accept(subscription);
        } finally {
            subscription.holder.isOver = true; // Closing needs stack; this does not.
        }
    }

    @Override
    protected CommandObjects newCommandObjects(RedisProtocol protocol) {
        return new RoutedArguments.Factory(protocol);
    }

    /**
     * Closes idle connections now, and leased ones when their call ends. Subscriptions, and
     * commands that block for longer than the server pool's {@code timeout}, end with {@link
     * NodeDown}. Any thread.
     */
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
        private @Nullable Path file;
        private @Nullable String text;
        private @Nullable String pool;
        private Consumer<TopologyChange> listener = change -> {};
        private @Nullable OneHopTracing tracing;
        private @Nullable Tls tls;
        private @Nullable Supplier<RedisCredentials> credentials;
        private PoolSettings settings = PoolSettings.STANDARD;
        private int database = Handshake.OWN_DATABASE;

        private Builder() {}

        /**
         * The configuration file: a nutcracker.yml, with or without OneHop's own directives. In a
         * server pool with one of these, <code>${NAME}</code> is an environment variable. While the
         * client is open, a thread checks once a second whether the file has changed. New calls use
         * the new file. A bad, half-written or missing file changes nothing, and the log ({@code
         * io.onehop}) says once what is wrong.
         *
         * @param file the path of the file
         * @return this builder
         */
        public Builder config(Path file) {
            this.file = file;
            this.text = null;
            return this;
        }

        /**
         * The text of a configuration, instead of a file.
         *
         * @param text what a file would contain
         * @return this builder
         */
        public Builder configText(String text) {
            this.text = text;
            this.file = null;
            return this;
        }

        /**
         * Calls this listener when the configuration has changed, before calls use the new one.
         * {@code TopologyChange} says how many keys move. The listener runs on the thread that
         * watches the file. The change waits until it returns, and it cannot prevent the change.
         *
         * @param listener receives each change
         * @return this builder
         */
        public Builder onChange(Consumer<TopologyChange> listener) {
            this.listener = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Makes a span of every call and every batch.
         *
         * @param tracing makes the spans
         * @return this builder
         */
        public Builder tracing(OneHopTracing tracing) {
            this.tracing = Objects.requireNonNull(tracing);
            return this;
        }

        /**
         * Asks this provider for user and password of each new connection, as Jedis' own clients
         * do. They replace {@code username} and {@code redis_auth} of the configuration. The
         * provider runs on the threads of calls, also on several at the same time, and no deadline
         * ends it. So it should return credentials that it already has, and renew them elsewhere. A
         * connection keeps the user with which it was opened. If the provider throws or has no
         * password, the call fails with {@link ConfigInvalid}, and nothing was sent.
         *
         * @param provider a {@code RedisCredentialsProvider}, or any supplier
         * @return this builder
         */
        public Builder credentials(Supplier<RedisCredentials> provider) {
            this.credentials = Objects.requireNonNull(provider);
            return this;
        }

        /**
         * Encrypts every connection by this context, as a TLS client. Its trust managers decide
         * which certificates are trusted, and the certificate of each node must be for the node's
         * host as the configuration or the map of the cluster spells it. A Redis Cluster is asked
         * for its TLS ports.
         *
         * @param context for example {@code SSLContext.getDefault()}
         * @return this builder
         */
        public Builder tls(SSLContext context) {
            this.tls = Tls.of(Objects.requireNonNull(context), null, /* checksNames= */ true);
            return this;
        }

        /**
         * Encrypts every connection as Jedis' options say: their stores, their parameters and their
         * verify mode. A server name in these parameters replaces the host of every node.
         *
         * @param options as for Jedis' own clients
         * @return this builder
         * @throws ConfigInvalid if a store of the options cannot be read
         */
        public Builder tls(SslOptions options) {
            try {
                SSLContext context = options.createSslContext();
                boolean checksNames = options.getSslVerifyMode() == SslVerifyMode.FULL;
                this.tls = Tls.of(context, options.getSslParameters(), checksNames);
                return this;
            } catch (IOException | GeneralSecurityException bad) {
                throw Failure.ofBuild(
                        Message.TLS_OPTIONS.what(Shown.of(bad.toString())),
                        Failure.advice(Message.TLS_OPTIONS),
                        bad);
            }
        }

        /**
         * Sets how the connections of each node are pooled, for example by a {@code
         * ConnectionPoolConfig} of Jedis. Later changes of that object have no effect.
         *
         * <ul>
         *   <li>{@code maxTotal} is the largest number of connections to a node, 1 to 65535. A
         *       {@code pool_size} of the server pool replaces it.
         *   <li>{@code maxIdle}: a connection that is given back is closed if this number is idle
         *       already. Only a number below {@code maxTotal} has an effect.
         *   <li>{@code minIdle}: each check opens connections until this number is idle, the node
         *       has {@code maxTotal} connections, or the node fails.
         *   <li>{@code maxWait} is the longest wait of a call for a connection, before it throws
         *       {@link PoolExhausted}. With {@code blockWhenExhausted} false it does not wait. The
         *       deadline applies in any case, even if {@code maxWait} is infinite.
         *   <li>{@code durationBetweenEvictionRuns} is the time between two checks of idle
         *       connections. If it is not set, it is 30 s.
         *   <li>{@code minEvictableIdleDuration}: a check closes a connection that has been idle
         *       for this time. If it is not set, no check closes a connection for being idle.
         *   <li>{@code jmxEnabled}, {@code jmxNameBase}, {@code jmxNamePrefix}: each node has an
         *       MBean with the attributes of a {@code GenericObjectPool}. Its name is made of base,
         *       prefix, server pool and node: {@code
         *       org.apache.commons.pool2:type=GenericObjectPool,name="pool-alpha-10.0.0.1:6379"}.
         * </ul>
         *
         * <p>Some settings have one value here. Waiting threads are served in their order ({@code
         * fairness}). Of the idle connections, the one in the first place of the pool is lent first
         * ({@code lifo}). Every check looks at all idle connections. A connection is tested when it
         * is made, lent and given back, and while it is idle ({@code testOnBorrow} and so on). The
         * test of a new connection sends PING. The others see whether the node has closed the
         * connection or has sent something unasked. Connections that a call has lost are always
         * found again ({@code AbandonedConfig}). The log ({@code io.onehop}) says if a setting has
         * no effect.
         *
         * @param config the settings
         * @return this builder
         * @throws IllegalArgumentException if {@code maxTotal} is not 1 to 65535
         */
        public Builder poolConfig(GenericObjectPoolConfig<?> config) {
            this.settings = PoolSettings.of(config);
            return this;
        }

        /**
         * Chooses the database of all commands, on every node. It replaces {@code database} and
         * {@code redis_db} of the server pool, so clients with different databases can share one
         * server pool. A client keeps its database: SELECT is refused. If a node refuses the
         * database, calls to it fail with {@link ConfigInvalid}, and nothing was sent. SSDB and
         * most Redis Clusters have only database 0.
         *
         * @param number from 0
         * @return this builder
         * @throws IllegalArgumentException if it is negative
         */
        public Builder database(int number) {
            if (number < 0) {
                throw new IllegalArgumentException("database must be 0 or more, not " + number);
            }
            this.database = number;
            return this;
        }

        /**
         * Chooses the server pool.
         *
         * @param name its name in the configuration
         * @return this builder
         */
        public Builder pool(String name) {
            this.pool = name;
            return this;
        }

        /**
         * Makes the client.
         *
         * @return an open client
         * @throws ConfigInvalid if the configuration cannot be read, is invalid, or has no server
         *     pool of that name with redis nodes
         */
        public OneHopClient build() {
            Versions.requireJedis();
            ConfigSource source = source();
            try {
                byte[] bytes = source.bytes();
                ServerPool read = source.pool(bytes);
                source.warn(read);
                settings.warn(read);
                ClientTls encryption = new ClientTls(tls, credentials);
                Snapshots snapshots =
                        new Snapshots(
                                PoolTopology.of(read), encryption, settings.inDatabase(database));
                ConfigWatcher watcher = new ConfigWatcher(source, bytes, snapshots, listener);
                CallObserver observer = tracing == null ? null : tracing.observer();
                CurrentRoute route = new CurrentRoute(snapshots, observer);
                return new OneHopClient(route, watcher, settings.checkEveryMs()).started();
            } catch (ConfigRefused refused) {
                throw Failure.ofBuild(refused.reason(), refused.advice(), refused.getCause());
            }
        }

        private ConfigSource source() {
            if (pool == null) {
                throw refused(Message.NO_POOL_NAME);
            }
            // Path.of() makes one slash of the two in a URL.
            if (pool.contains("://") || (file != null && file.toString().contains(":/"))) {
                throw refused(Message.URL);
            }
            if (file != null) {
                return new ConfigSource(file, pool, settings.maxTotal());
            }
            if (text == null) {
                throw refused(Message.NO_CONFIGURATION);
            }
            if (text.startsWith("/") && text.lines().count() == 1) {
                throw refused(Message.PATH_AS_TEXT);
            }
            return new ConfigSource(text, pool, settings.maxTotal());
        }

        private static ConfigInvalid refused(Message message) {
            return Failure.ofBuild(message.what(), Failure.advice(message), null);
        }
    }
}
