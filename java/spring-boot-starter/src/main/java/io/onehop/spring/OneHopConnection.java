package io.onehop.spring;

import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PoolExhausted;
import io.onehop.spring.Translation.TranslatingConnection;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisCommands;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisGeoCommands;
import org.springframework.data.redis.connection.RedisHashCommands;
import org.springframework.data.redis.connection.RedisHyperLogLogCommands;
import org.springframework.data.redis.connection.RedisKeyCommands;
import org.springframework.data.redis.connection.RedisListCommands;
import org.springframework.data.redis.connection.RedisScriptingCommands;
import org.springframework.data.redis.connection.RedisServerCommands;
import org.springframework.data.redis.connection.RedisSetCommands;
import org.springframework.data.redis.connection.RedisStreamCommands;
import org.springframework.data.redis.connection.RedisStringCommands;
import org.springframework.data.redis.connection.RedisZSetCommands;

import redis.clients.jedis.AbstractPipeline;

import java.util.List;
import java.util.function.Function;

/**
 * Spring's connection over Jedis, which throws OneHop's failures as Spring expects them. For one
 * thread. It keeps a connection to a node only while a WATCH or MULTI has not ended.
 */
final class OneHopConnection extends TranslatingConnection {
    private static final String WHILE_PIPELINED = " is not possible while a pipeline is open";

    private final OneHopClient client;
    private @Nullable RecordedPipeline pipeline; // Null if none is open.

    OneHopConnection(OneHopClient client, EmulatingFront front) {
        super(front);
        this.client = client;
    }

    /** The client: a program that asks for the native connection wants the client's own methods. */
    @Override
    public Object getNativeConnection() {
        return client;
    }

    /* ---- Pipelines ---- */

    @Override
    public boolean isPipelined() {
        return pipeline != null;
    }

    @Override
    public void openPipeline() {
        if (isQueueing()) {
            throw new InvalidDataAccessApiUsageException(
                    "A pipeline is not possible while a transaction is open");
        }
        if (pipeline == null) {
            pipeline = new RecordedPipeline(client);
        }
    }

    @Override
    public List<@Nullable Object> closePipeline() {
        RecordedPipeline closed = pipeline;
        pipeline = null;
        return closed == null ? List.of() : closed.close();
    }

    @Override
    public @Nullable AbstractPipeline getPipeline() {
        return pipeline == null ? null : pipeline.batch();
    }

    @Override
    public AbstractPipeline getRequiredPipeline() {
        if (pipeline == null) {
            throw new IllegalStateException("No pipeline is open");
        }
        return pipeline.batch();
    }

    private <T> T commands(Class<T> type, Function<RedisConnection, T> commands, T direct) {
        return pipeline == null ? direct : pipeline.commands(type, commands);
    }

    @Override
    public RedisGeoCommands geoCommands() {
        return commands(RedisGeoCommands.class, RedisConnection::geoCommands, super.geoCommands());
    }

    @Override
    public RedisHashCommands hashCommands() {
        return commands(
                RedisHashCommands.class, RedisConnection::hashCommands, super.hashCommands());
    }

    @Override
    public RedisHyperLogLogCommands hyperLogLogCommands() {
        return commands(
                RedisHyperLogLogCommands.class,
                RedisConnection::hyperLogLogCommands,
                super.hyperLogLogCommands());
    }

    @Override
    public RedisKeyCommands keyCommands() {
        return commands(RedisKeyCommands.class, RedisConnection::keyCommands, super.keyCommands());
    }

    @Override
    public RedisListCommands listCommands() {
        return commands(
                RedisListCommands.class, RedisConnection::listCommands, super.listCommands());
    }

    @Override
    public RedisScriptingCommands scriptingCommands() {
        return commands(
                RedisScriptingCommands.class,
                RedisConnection::scriptingCommands,
                super.scriptingCommands());
    }

    @Override
    public RedisServerCommands serverCommands() {
        return commands(
                RedisServerCommands.class, RedisConnection::serverCommands, super.serverCommands());
    }

    @Override
    public RedisSetCommands setCommands() {
        return commands(RedisSetCommands.class, RedisConnection::setCommands, super.setCommands());
    }

    @Override
    public RedisStreamCommands streamCommands() {
        return commands(
                RedisStreamCommands.class, RedisConnection::streamCommands, super.streamCommands());
    }

    @Override
    public RedisStringCommands stringCommands() {
        return commands(
                RedisStringCommands.class, RedisConnection::stringCommands, super.stringCommands());
    }

    @Override
    public RedisZSetCommands zSetCommands() {
        return commands(
                RedisZSetCommands.class, RedisConnection::zSetCommands, super.zSetCommands());
    }

    @Override
    public @Nullable Object execute(String command, byte[]... arguments) {
        return pipeline == null
                ? super.execute(command, arguments)
                : pipeline.commands(RedisCommands.class, c -> c).execute(command, arguments);
    }

    @Override
    public byte @Nullable [] echo(byte[] message) {
        return pipeline == null
                ? super.echo(message)
                : pipeline.commands(RedisCommands.class, c -> c).echo(message);
    }

    @Override
    public @Nullable String ping() {
        return pipeline == null
                ? super.ping()
                : pipeline.commands(RedisCommands.class, c -> c).ping();
    }

    @Override
    public @Nullable Long publish(byte[] channel, byte[] message) {
        return pipeline == null
                ? super.publish(channel, message)
                : pipeline.commands(RedisCommands.class, c -> c).publish(channel, message);
    }

    /* ---- Transactions: Spring itself translates none of their failures ---- */

    private void refuseWhilePipelined(String what) {
        if (pipeline != null) {
            throw new InvalidDataAccessApiUsageException(what + WHILE_PIPELINED);
        }
    }

    @Override
    public void watch(byte[]... keys) {
        refuseWhilePipelined("WATCH");
        Translation.of(() -> super.watch(keys));
    }

    @Override
    public void unwatch() {
        Translation.of(super::unwatch);
    }

    @Override
    public void multi() {
        refuseWhilePipelined("MULTI");
        Translation.of(super::multi);
    }

    @Override
    public List<Object> exec() {
        return Translation.of(super::exec);
    }

    @Override
    public void discard() {
        Translation.of(super::discard);
    }

    /* ---- Subscriptions ---- */

    @Override
    public void subscribe(MessageListener listener, byte[]... channels) {
        listen(() -> super.subscribe(listener, channels));
    }

    @Override
    public void pSubscribe(MessageListener listener, byte[]... patterns) {
        listen(() -> super.pSubscribe(listener, patterns));
    }

    /**
     * Runs a subscription. A listener container subscribes again only after a
     * RedisConnectionFailureException. After any other exception, the container is silent for ever.
     * So every loss of a node becomes a RedisConnectionFailureException.
     */
    private static void listen(Runnable listening) {
        try {
            listening.run();
        } catch (DataAccessException failure) {
            if (failure.getCause() instanceof OneHopException own && isLoss(own)) {
                throw new RedisConnectionFailureException(own.getMessage(), own);
            }
            throw failure;
        }
    }

    private static boolean isLoss(OneHopException failure) {
        return failure instanceof NodeDown
                || failure instanceof PoolExhausted
                || failure instanceof DeadlineExceeded;
    }
}
