package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;

import redis.clients.jedis.Builder;
import redis.clients.jedis.Response;

/**
 * The Response of one command of a pipeline: after sync it has a value, the node's error, or the
 * failure that names the node.
 */
public final class Reply<T> extends Response<T> implements ReplySink {
    private OneHopException failure;

    public Reply(Builder<T> builder) {
        super(builder);
    }

    @Override
    public boolean take(Object reply) {
        set(reply);
        return true;
    }

    @Override
    public void fail(OneHopException cause) {
        failure = cause;
        set(null);
    }

    /** What {@link #get} gives, or what it throws. */
    public Object told() {
        if (failure != null) {
            // Not thrown to be caught: there may be a hundred thousand of them, and the deadline
            // has passed.
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
