package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.Endpoint;
import io.onehop.jedis.internal.connection.Handshake;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.NodeSocket;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.request.BufferPool;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections of one node: lease one, use it, settle it.
 *
 * <p>At most {@code pool_size} connections, made on demand; open ones are taken first. A lease
 * succeeds or fails by the deadline, and fails at once while the node rests. A settled connection
 * goes back only if it is clean, and is looked at before it is leased again. Its user reports how
 * the exchange ended, to the node's health and meter. Any thread may lease; no lock is held during
 * a wait for a node. Before it on the road: placement; after it: the exchange.
 */
public final class Pool implements AutoCloseable {
    /*
     * A lease takes a seat (Seats) with its connection, which may not be open yet: the holder opens it, by
     * his own deadline. An idle connection is looked at first, by one read that does not wait. If the read
     * finds the end of the stream, or bytes that nobody asked for, the connection is replaced. IdleConnectionEvictor does
     * the same every 30 seconds, and closes connections that have idled for a minute: firewalls and load
     * balancers have longer limits.
     */
    private static final int IDLE_CHECKS_MAX = 2;

    private final Endpoint endpoint;
    private final BufferPool buffers = new BufferPool();
    private final Handshake handshake;
    private final NodeHealth health;
    private final NodeMeter meter;
    private final Seats seats;
    private volatile boolean isRetired;
    private volatile boolean isClosed;

    /**
     * {@code before}: the pool of the same node, reached in another way; its meter and health go on
     * here. {@code null}: there is none.
     */
    public Pool(Node node, ServerPool pool, AtomicLong ejections, Pool before) {
        this.meter = before == null ? new NodeMeter() : before.meter;
        this.endpoint = new Endpoint(node, pool);
        this.handshake = new Handshake(pool, endpoint);
        this.health =
                new NodeHealth(
                        endpoint.nodeName(), ejections, before == null ? null : before.health);
        this.seats =
                new Seats(pool.poolSize(), seat -> new NodeConnection(endpoint, handshake, seat));
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** The memory of its batches. */
    public BufferPool buffers() {
        return buffers;
    }

    public NodeHealth health() {
        return health;
    }

    public NodeMeter meter() {
        return meter;
    }

    /* ---- Leasing: `asked` is what the node's health was in the try before, or NOT_ASKED ---- */

    /** An open connection, by the deadline; nothing of the caller's was sent if this throws. */
    public NodeConnection lease(Holder holder, Deadline deadline) {
        return lease(holder, deadline, NodeHealth.NOT_ASKED);
    }

    public NodeConnection lease(Holder holder, Deadline deadline, long asked) {
        NodeConnection connection = null;
        try {
            connection = awaitLease(holder, deadline, asked);
            connection.open();
            return connection;
        } catch (Error error) {
            throw error;
        } catch (Throwable thrown) {
            if (connection != null) {
                connection.disconnect();
                settle(connection);
            }
            OneHopException failure = failure(thrown);
            failed(connection, failure);
            throw failure;
        }
    }

    /** A connection, perhaps not open yet, if one is free; otherwise {@code null}. */
    public NodeConnection tryLease(Holder holder, Deadline deadline, long asked) {
        StackRoom.requireToUse();
        requireMayAsk(asked);
        NodeConnection connection = seats.take(holder);
        return connection == null ? null : begin(connection, deadline, asked);
    }

    /** A connection, perhaps not open yet, as soon as one is free. */
    public NodeConnection awaitLease(Holder holder, Deadline deadline, long asked) {
        NodeConnection connection = tryLease(holder, deadline, asked);
        if (connection != null) {
            return connection;
        }
        meter.waited();
        while (connection == null) {
            if (deadline.hasPassed()) {
                throw Failure.exhausted(endpoint.nodeName());
            }
            requireMayAsk(asked);
            connection = awaited(holder, deadline);
        }
        begin(connection, deadline, asked);
        connection.lease().beginsLate();
        return connection;
    }

    private NodeConnection awaited(Holder holder, Deadline deadline) {
        try {
            return seats.await(holder, deadline.waitNs());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure(interrupted);
        }
    }

    /**
     * A connection, perhaps not open yet, if need be one more than the pool may have; that one is
     * closed when it is settled. For what must not wait for others, because they wait for it.
     */
    public NodeConnection leaseBeyond(Holder holder, Deadline deadline, long asked) {
        NodeConnection connection = tryLease(holder, deadline, asked);
        return connection != null
                ? connection
                : begin(
                        new NodeConnection(endpoint, handshake, NodeConnection.NO_SEAT),
                        deadline,
                        asked);
    }

    /**
     * Fails if the pool is closed, the node rests or the thread was interrupted: better before a
     * wait than after it. {@link #begin} asks the node's health again, and may claim the probe.
     */
    private void requireMayAsk(long asked) {
        if (isClosed) {
            throw Failure.closed(endpoint.nodeName());
        }
        if (asked == NodeHealth.NOT_ASKED) {
            health.requireNotResting();
        }
        if (Thread.currentThread().isInterrupted()) { // Better now than when something was sent.
            throw failure(new InterruptedException());
        }
    }

    /**
     * The lease begins; it ends at once if the node rests, and this caller is not the one to find
     * out whether it is back.
     */
    private NodeConnection begin(NodeConnection connection, Deadline deadline, long asked) {
        connection.use(deadline);
        try {
            if (isClosed) { // Just now.
                throw Failure.closed(endpoint.nodeName());
            }
            connection.lease().ask(asked == NodeHealth.NOT_ASKED ? health.ask(deadline) : asked);
        } catch (NodeDown resting) {
            settle(connection);
            throw resting;
        }
        meter.leased();
        if (!connection.isReused()) {
            meter.connecting();
        }
        return connection;
    }

    private OneHopException failure(Throwable thrown) {
        return Failure.of(thrown, endpoint.nodeName(), Outcome.NOT_SENT);
    }

    /* ---- How it ended ---- */

    /** Every command of a call was answered. */
    public void answered(NodeConnection connection) {
        if (connection.lease().isTimed(endpoint.timeoutMs())) {
            meter.answered(connection.lease().ns());
        } else {
            meter.answeredAfterWaiting();
        }
        if (connection.lease().isUnwell()) {
            health.answeredUnwell(connection);
        } else {
            health.answered();
        }
    }

    /** A call failed, on this connection, or without any if it is {@code null}. */
    public void failed(NodeConnection connection, OneHopException failure) {
        meter.failed();
        if (connection != null) {
            health.failed(failure, connection);
        }
    }

    /** The node said something, if not in answer to a call. */
    public void heard() {
        health.answered();
    }

    /**
     * Ends a lease. A clean connection stays, any other is closed; one that is left, by the next
     * holder.
     */
    public void settle(NodeConnection connection) {
        if (connection.isLeft && connection.seat() != NodeConnection.NO_SEAT) {
            return;
        }
        count(connection);
        if (connection.seat() == NodeConnection.NO_SEAT) {
            connection.disconnect();
            return;
        }
        seats.give(connection.seat(), connection.isClean());
        if (isRetired) {
            purge();
        }
    }

    private void count(NodeConnection connection) {
        NodeSocket socket = connection.socket();
        if (socket != null) {
            meter.moved(
                    connection.lease().newlySent(socket.written()),
                    connection.lease().newlyReceived(socket.received()));
        }
    }

    /** Closes the idle connections: one of them was found dead, so the others are, too. */
    public void purge() {
        seats.evictUnless(connection -> false);
    }

    /**
     * Closes what has idled too long, was closed by the node, or was left by a call that ended in
     * an Error.
     */
    public void evictIdle() {
        seats.evictUnless(
                connection ->
                        connection.isUsable()
                                && connection.seenAgain() <= IDLE_CHECKS_MAX
                                && !isRetired);
    }

    /**
     * The configuration has no use for it any more: no connection stays idle from now on. Who began
     * before leases as he would have; when nobody holds it any longer it is garbage, and nothing of
     * it is left open.
     */
    public void retire() {
        isRetired = true;
        purge();
    }

    public int leased() {
        return seats.leased();
    }

    /** Open and not in use. */
    public int idle() {
        return seats.idle();
    }

    /** Whether there is no connection. */
    public boolean isEmpty() {
        return seats.isEmpty();
    }

    /**
     * Closes idle connections now, leased ones when they are settled; threads that wait for one
     * fail.
     */
    @Override
    public void close() {
        isClosed = true;
        retire();
        seats.wakeAll();
    }
}
