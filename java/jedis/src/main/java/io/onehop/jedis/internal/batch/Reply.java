package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.Builder;
import redis.clients.jedis.Response;

/**
 * The Response of one command. After sync it has a value, the node's error, or a failure that names
 * the node.
 */
public final class Reply<T> extends Response<T> implements ReplySink {
    private @Nullable OneHopException failure;

    public Reply(Builder<T> builder) {
        super(builder);
    }

    @Override
    public boolean take(@Nullable Object reply) {
        set(reply);
        return true;
    }

    @Override
    public void fail(OneHopException cause) {
        failure = cause;
        set(null);
    }

    /** The value that {@link #get} returns, or the exception that it throws. */
    public Object outcome() {
        if (failure != null) {
            // Returned, not thrown and caught: after the deadline there may be 100,000 failures.
            return failure;
        }
        try {
            return get();
        } catch (RuntimeException error) {
            return error;
        }
    }

    @Override
    public T get() {
        if (failure != null) {
            throw failure;
        }
        return super.get();
    }
}
