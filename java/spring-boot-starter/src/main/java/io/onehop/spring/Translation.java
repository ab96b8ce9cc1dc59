package io.onehop.spring;

import io.onehop.jedis.DeadlineExceeded;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.PartialBatch;
import io.onehop.jedis.PoolExhausted;
import io.onehop.jedis.ProtocolViolation;

import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.jedis.JedisConnection;

import redis.clients.jedis.UnifiedJedis;

import java.util.function.Supplier;

/**
 * Turns OneHop's failures into Spring's exceptions. The class of an exception decides whether
 * Spring repeats a call or recovers. But OneHop's failures extend Jedis' exception, so Spring's own
 * translation takes all of them for errors of the caller.
 */
final class Translation {
    private Translation() {}

    /** The translation of a failure of OneHop; {@code null} for any other exception. */
    static @Nullable DataAccessException ofOwn(Exception thrown) {
        if (!(thrown instanceof OneHopException failure)) {
            return null;
        }
        String message = failure.getMessage();
        if (failure instanceof NodeDown || failure instanceof PoolExhausted) {
            return new RedisConnectionFailureException(message, failure);
        }
        if (failure instanceof DeadlineExceeded) {
            return new QueryTimeoutException(message, failure);
        }
        if (failure instanceof PartialBatch || failure instanceof ProtocolViolation) {
            return new RedisSystemException(message, failure);
        }
        return new InvalidDataAccessApiUsageException(message, failure);
    }

    /** Returns the result of a call, or throws its failure as Spring's exception. */
    static <T> T of(Supplier<T> call) {
        try {
            return call.get();
        } catch (OneHopException failure) {
            throw ofFailure(failure);
        }
    }

    /** Runs a call that has no result, or throws its failure as Spring's exception. */
    static void of(Runnable call) {
        try {
            call.run();
        } catch (OneHopException failure) {
            throw ofFailure(failure);
        }
    }

    private static RuntimeException ofFailure(OneHopException failure) {
        DataAccessException translated = ofOwn(failure);
        return translated == null ? failure : translated;
    }

    /** Spring's connection over Jedis, whose calls fail as Spring expects. For one thread. */
    static class TranslatingConnection extends JedisConnection {

        TranslatingConnection(UnifiedJedis jedis) {
            super(jedis);
        }

        @Override
        protected DataAccessException convertJedisAccessException(Exception cause) {
            DataAccessException own = Translation.ofOwn(cause);
            return own == null ? super.convertJedisAccessException(cause) : own;
        }
    }
}
