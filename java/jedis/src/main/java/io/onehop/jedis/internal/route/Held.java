package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.resp.Framing.Fault;
import io.onehop.core.resp.WireException;
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
 * A dedicated connection, which one caller keeps for several calls, because the node remembers
 * watched keys for this connection.
 *
 * <p>A failure closes the connection, and the node forgets the keys. For one thread.
 */
public final class Held {
    private final Pool pool;
    // If no method can be called, the owner ends the lease with one store.
    public final Holder holder;
    private final NodeConnection connection;
    private boolean wasUsed; // The first call needs no check, because the lease has made it.

    /**
     * Leases a connection by the deadline, and opens it if necessary. The caller has to settle it.
     */
    public Held(Pool pool, Object caller, Deadline deadline) {
        this.pool = pool;
        this.holder = Holder.of(caller);
        NodeConnection leased = null;
        try {
            leased = pool.lease(holder, deadline);
        } finally {
            holder.isOver = leased == null;
        }
        this.connection = leased;
    }

    public Pool pool() {
        return pool;
    }

    /**
     * Runs an exchange on this connection by the deadline of its call, which may have begun before.
     * Before the exchange, {@code lead} sends commands that execute nothing. Returns the reply, or
     * throws the error that the node answered, or the failure.
     */
    public <T> T call(
            Deadline deadline,
            Consumer<NodeConnection> lead,
            Function<NodeConnection, T> exchange) {
        if (holder.isOver) { // The seat may have another holder by now.
            throw Failure.of(
                    new IOException(Message.CLOSED_BY_ERROR.what()),
                    pool.endpoint().nodeName(),
                    Outcome.NOT_SENT);
        }
        StackRoom.requireToUse();
        boolean isJudged = false;
        try {
            T reply = exchanged(deadline, lead, exchange);
            isJudged = true;
            return reply;
        } catch (JedisDataException | OneHopException answered) {
            isJudged = true;
            throw answered;
        } finally {
            holder.isOver = !isJudged;
        }
    }

    /** Bytes that arrived after the previous call would be taken for the reply to this one. */
    private void requireSilence() throws WireException {
        if (wasUsed && (!connection.isClean() || connection.socket().hasSpoken())) {
            throw new WireException(Fault.SURPLUS.message());
        }
        wasUsed = true;
    }

    private <T> T exchanged(
            Deadline deadline,
            Consumer<NodeConnection> lead,
            Function<NodeConnection, T> exchange) {
        connection.use(deadline);
        connection.lease().beginsLate(); // The call may have waited for other nodes before.
        long written = Long.MAX_VALUE;
        try {
            requireSilence();
            lead.accept(connection);
            connection.requireSilence();
            written = connection.written();
            T reply = exchange.apply(connection);
            connection.requireSilence();
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
     * Ends the lease. The connection is kept if it is clean and {@code isForgotten}, which says
     * that the node remembers nothing for it. Only the first call has an effect, because the seat
     * may have another holder afterwards.
     */
    public void settle(boolean isForgotten) {
        if (holder.isOver) {
            return;
        }
        try {
            if (isForgotten) {
                pool.returnObject(connection);
            } else {
                pool.invalidateObject(connection);
            }
        } finally {
            holder.isOver = true;
        }
    }
}
