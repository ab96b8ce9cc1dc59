package io.onehop.jedis;

import io.onehop.jedis.internal.request.RoutedArguments;

import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.ScanIteration;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.csc.Cache;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * A UnifiedJedis in front of a client, for frameworks that need some methods to do something else.
 * Every command is encoded as the client encodes it and goes to an executor. Pipelines,
 * transactions and subscriptions are the client's.
 *
 * <p>A front has no connections, and {@link #close} does nothing: the program that made the client
 * closes it. For any thread, unless the executor is for one thread only.
 */
public abstract class OneHopFront extends UnifiedJedis {
    private final OneHopClient client;

    /**
     * A front whose commands the client executes.
     *
     * @param client the client
     */
    protected OneHopFront(OneHopClient client) {
        this(client, client.route());
    }

    /**
     * A front whose commands go elsewhere.
     *
     * @param client the client
     * @param executor gets each command instead of the client
     */
    protected OneHopFront(OneHopClient client, CommandExecutor executor) {
        super(
                executor,
                new RefusingConnectionProvider(client.snapshots().newest().pool().name()),
                RedisProtocol.RESP2,
                (Cache) null);
        this.client = client;
    }

    /**
     * The client behind this front.
     *
     * @return the client
     */
    public final OneHopClient client() {
        return client;
    }

    @Override
    protected final CommandObjects newCommandObjects(RedisProtocol protocol) {
        return new RoutedArguments.Factory(protocol);
    }

    @Override
    public OneHopPipeline pipelined() {
        return client.pipelined();
    }

    @Override
    public AbstractTransaction transaction(boolean doMulti) {
        return client.transaction(doMulti);
    }

    @Override
    public ScanIteration scanIteration(int batchCount, String match) {
        return client.scanIteration(batchCount, match);
    }

    @Override
    public ScanIteration scanIteration(int batchCount, String match, String type) {
        return client.scanIteration(batchCount, match, type);
    }

    @Override
    public void subscribe(JedisPubSub subscriber, String... channels) {
        client.subscribe(subscriber, channels);
    }

    @Override
    public void subscribe(BinaryJedisPubSub subscriber, byte[]... channels) {
        client.subscribe(subscriber, channels);
    }

    @Override
    public void psubscribe(JedisPubSub subscriber, String... patterns) {
        client.psubscribe(subscriber, patterns);
    }

    @Override
    public void psubscribe(BinaryJedisPubSub subscriber, byte[]... patterns) {
        client.psubscribe(subscriber, patterns);
    }

    /** Does nothing. */
    @Override
    public void close() {
        // The program that made the client closes it.
    }
}
