package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Set;

/**
 * One node of a subscription. Its connection does not count towards the size of the pool, so all
 * connections of the pool remain for calls. It is closed at the end, because the node sends
 * messages unasked.
 *
 * <p>Connecting and writing have a timeout; receiving has none. For one thread.
 */
public final class SubscribedNode {
    /** A node has failed. The subscription goes on with the others. */
    public static final class Lost extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final transient Pool pool;
        private final OneHopException failure;

        public Lost(Pool pool, OneHopException failure) {
            super(failure);
            this.pool = pool;
            this.failure = failure;
        }

        public Pool pool() {
            return pool;
        }

        public OneHopException failure() {
            return failure;
        }
    }

    private final Pool pool;
    private final int timeoutMs;
    private final NodeConnection connection;
    private final SelectionKey key;
    private @Nullable Object next;

    /** Leases a connection and registers it with the selector. */
    public SubscribedNode(Pool pool, Selector selector, Holder holder, int timeoutMs) {
        this.pool = pool;
        this.timeoutMs = timeoutMs;
        this.connection = pool.openApart(holder, deadline());
        connection.subscribe();
        try {
            this.key = connection.socket().channel().register(selector, 0);
        } catch (IOException | RuntimeException closed) {
            close();
            throw Failure.of(closed, pool.endpoint().nodeName(), Outcome.NOT_SENT);
        }
    }

    public Pool pool() {
        return pool;
    }

    private Deadline deadline() {
        return Deadline.in(timeoutMs);
    }

    public void send(Command name, List<byte[]> channels) {
        connection.until(deadline(), null);
        try {
            connection.sendCommand(new CommandArguments(name).addObjects(channels));
            connection.getMany(0); // Jedis' public way to flush.
        } catch (RuntimeException lost) {
            throw lost(lost);
        }
    }

    /**
     * The next message or confirmation; {@code null} if none has arrived. It remains the next one
     * until {@link #taken} is called.
     */
    public @Nullable Object next() {
        try {
            if (next == null && connection.arrivedReplies() > 0) {
                next = connection.nextReply();
                pool.heard();
                if (next == null) {
                    throw new JedisException(new WireException(Message.WIRE_NIL));
                }
            }
            return next;
        } catch (RuntimeException unreadable) {
            throw lost(unreadable);
        }
    }

    public void taken() {
        next = null;
    }

    /**
     * Lets the selector wait for this node only if everything that came was taken. So nothing piles
     * up here.
     */
    public void listen() {
        key.interestOps(next == null ? SelectionKey.OP_READ : 0);
    }

    /** Takes what has arrived, if the selector reported this node. */
    public void fill(Set<SelectionKey> seen) {
        try {
            if (seen.remove(key)) {
                connection.fill();
            }
        } catch (IOException lost) {
            throw lost(lost);
        }
    }

    public Lost lost(Exception thrown) {
        OneHopException failure =
                Failure.of(
                        thrown,
                        pool.endpoint().nodeName(),
                        connection.isAnswered() ? Outcome.ANSWERED : Outcome.MAYBE_EXECUTED);
        pool.failed(connection, failure);
        return new Lost(pool, failure);
    }

    public void close() {
        pool.invalidateObject(connection);
    }
}
