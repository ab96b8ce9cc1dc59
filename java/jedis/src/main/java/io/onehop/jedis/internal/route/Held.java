package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.wire.Framing.Fault;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A connection that one caller keeps for several calls, because the node remembers something on it:
 * what is watched.
 *
 * <p>Each call has its own deadline; a failure closes the connection, and with it what the node
 * remembered. For one thread.
 */
public final class Held {
    private final Pool pool;
    public final Holder holder; // Its owner ends it by a store when no method can be called.
    private final NodeConnection connection;
    private boolean wasUsed; // Whoever leases looks at it himself.

    /**
     * Leases, and opens if needed, within the server pool's timeout. The caller has to settle it.
     */
    public Held(Pool pool, Object caller) {
        this.pool = pool;
        this.holder = new Holder(caller);
        NodeConnection leased = null;
        try {
            leased = pool.lease(holder, deadline(pool));
        } finally {
            holder.isOver = leased == null;
        }
        this.connection = leased;
    }

    public Pool pool() {
        return pool;
    }

    private static Deadline deadline(Pool pool) {
        return Deadline.in(pool.endpoint().timeoutMs());
    }

    /**
     * What the exchange answers; or the error the node answered, or the failure, thrown. What leads
     * it, by the same deadline, executes nothing by itself.
     */
    public <T> T call(Consumer<NodeConnection> lead, Function<NodeConnection, T> exchange) {
        if (holder.isOver) { // By now it may be another's.
            throw Failure.of(
                    new IOException(
                            "the connection was closed when a call before ended in an Error"),
                    pool.endpoint().nodeName(),
                    Outcome.NOT_SENT);
        }
        StackRoom.requireToUse();
        boolean isJudged = false;
        try {
            T reply = exchanged(lead, exchange);
            isJudged = true;
            return reply;
        } catch (JedisDataException | OneHopException told) {
            isJudged = true;
            throw told;
        } finally {
            holder.isOver = !isJudged;
        }
    }

    /** What the node said since the call before would be taken for the answer to this one. */
    private void requireSilence() throws WireException {
        if (wasUsed && connection.socket().hasSpoken()) {
            throw new WireException(Fault.SURPLUS.sentence());
        }
        wasUsed = true;
    }

    private <T> T exchanged(Consumer<NodeConnection> lead, Function<NodeConnection, T> exchange) {
        connection.use(deadline(pool));
        long written = Long.MAX_VALUE;
        try {
            requireSilence();
            lead.accept(connection);
            written = connection.written();
            T reply = exchange.apply(connection);
            pool.answered(connection);
            return reply;
        } catch (JedisDataException answer) {
            pool.answered(connection);
            throw answer;
        } catch (Throwable thrown) {
            OneHopException failure =
                    CommandExchange.failure(
                            thrown, pool, connection, connection.written() > written);
            pool.failed(connection, failure);
            throw failure;
        }
    }

    /**
     * Ends the lease; the connection goes back if it is clean and the node remembers nothing on it.
     * Once only, whatever happens: by the second time the seat may be another's.
     */
    public void settle(boolean isForgotten) {
        if (holder.isOver) {
            return;
        }
        try {
            if (!isForgotten) {
                connection.disconnect();
            }
            pool.settle(connection);
        } finally {
            holder.isOver = true;
        }
    }
}
