package io.onehop.spring;

import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopClient;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PoolExhausted;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.jedis.JedisConnection;

import java.util.List;

/**
 * Spring's connection over Jedis, with OneHop's failures as Spring expects them. For one thread; it
 * holds a connection to a node only between WATCH or MULTI and their end.
 */
final class OneHopConnection extends JedisConnection {
    private final OneHopClient client;

    OneHopConnection(OneHopClient client, EmulatingFront front) {
        super(front);
        this.client = client;
    }

    @Override
    protected DataAccessException convertJedisAccessException(Exception cause) {
        DataAccessException own = Translation.ofOwn(cause);
        return own == null ? super.convertJedisAccessException(cause) : own;
    }

    /** The client: programs that ask for it want its own methods. */
    @Override
    public Object getNativeConnection() {
        return client;
    }

    /* ---- Transactions: Spring translates nothing there ---- */

    @Override
    public void watch(byte[]... keys) {
        Translation.of(() -> super.watch(keys));
    }

    @Override
    public void unwatch() {
        Translation.of(super::unwatch);
    }

    @Override
    public void multi() {
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
     * A listener container subscribes again only after a RedisConnectionFailureException; after
     * anything else it is silent for ever. So every loss becomes one.
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
