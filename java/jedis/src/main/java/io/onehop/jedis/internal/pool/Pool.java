package io.onehop.jedis.internal.pool;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.Endpoint;
import io.onehop.jedis.internal.connection.Handshake;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.connection.Successor;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.Left;
import io.onehop.jedis.internal.request.BufferPool;
import io.onehop.jedis.internal.tls.ClientTls;

import org.apache.commons.pool2.ObjectPool;
import org.jspecify.annotations.Nullable;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The connections of one node: lease one, use it, settle it.
 *
 * <p>A pool has at most {@code pool_size} connections, which are made on demand. Open connections
 * are taken first. A lease succeeds or fails by the deadline. While the node rests, a lease fails
 * immediately. A settled connection is kept only if it is clean, and it is checked before it is
 * leased again. The caller reports to the node's health and meter how the exchange ended. Any
 * thread may lease. No lock is held during a wait for a node. A method that does the same as a
 * method of Apache Commons Pool has the same name.
 */
public final class Pool implements ObjectPool<NodeConnection> {
    /*
     * A lease takes a seat (Seats) with its connection. If the connection is not open yet, the
     * holder opens it, by its own deadline. An idle connection is first checked with one read
     * that does not wait. If the read finds the end of the stream, or unexpected bytes, the
     * connection is replaced. IdleConnectionEvictor does the same every 30 seconds, and closes
     * connections that have idled for a minute: firewalls and load balancers have longer limits.
     * Both the check and the evictor also replace a connection that is older than
     * max_connection_age allows. PoolSettings may change these times.
     */
    private static final int OPENING_MS_MAX = 1000; // Without a timeout.

    private final Endpoint endpoint;
    private final BufferPool buffers = new BufferPool();
    private final Handshake handshake;
    private final PoolSettings settings;
    private final boolean limitsIdle;
    private final @Nullable ClientNodes nodes;
    private final NodeHealth health;
    private final NodeMeter meter;
    private final Seats seats;
    // Connections of openApart, such as those of subscriptions, with the holder of each.
    private final Map<NodeConnection, Holder> apart = new ConcurrentHashMap<>();
    private volatile long migratesAgainNs; // 0: the node has refused no MIGRATE.
    private volatile boolean isRetired;
    private volatile boolean isClosed;

    /**
     * {@code before} is the pool of the same node, reached in another way, or {@code null}. Both
     * pools share the meter and the health of that node.
     */
    public Pool(
            Node node,
            ServerPool pool,
            ClientTls tls,
            PoolSettings settings,
            @Nullable ClientNodes nodes,
            @Nullable Pool before) {
        this.meter = before == null ? new NodeMeter() : before.meter;
        this.endpoint = new Endpoint(node, pool, tls);
        this.handshake = new Handshake(pool, endpoint, tls.credentials(), settings.database());
        this.nodes = nodes;
        this.health =
                new NodeHealth(endpoint.nodeName(), nodes, before == null ? null : before.health);
        this.settings = settings;
        this.limitsIdle = settings.maxIdle() < pool.poolSize();
        this.seats =
                new Seats(pool.poolSize(), seat -> new NodeConnection(endpoint, handshake, seat));
    }

    /**
     * Sets the name by which connections introduce themselves from now on. Connections that are
     * open do so when they are leased again. Returns the pool.
     */
    public Pool named(String name) {
        handshake.name(name);
        return this;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    /** The memory for batches of this node. */
    public BufferPool buffers() {
        return buffers;
    }

    public NodeHealth health() {
        return health;
    }

    public NodeMeter meter() {
        return meter;
    }

    /** Throws if the node rests. The caller does not become its probe. */
    public void requireNotResting() {
        health.requireNotResting();
    }

    /** True unless the node has refused a MIGRATE recently. */
    public boolean mayMigrate() {
        return migratesAgainNs == 0 || Clock.nowNs() - migratesAgainNs >= 0;
    }

    /** Notes that the node has refused a MIGRATE. */
    public void cannotMigrate() {
        migratesAgainNs = Clock.nowNs() + TimeUnit.MILLISECONDS.toNanos(Timings.MIGRATE_AGAIN_MS);
    }

    Seats seats() {
        return seats;
    }

    boolean isRetired() {
        return isRetired;
    }

    /** Connections that are in use, also those of subscriptions. */
    int inUse() {
        return getNumActive() + apart.size();
    }

    /* ---- Leasing: `asked` is the node's health at the previous try, or NOT_ASKED ---- */

    /** An open connection, within the timeout of the server pool. The caller has to return it. */
    @Override
    public NodeConnection borrowObject() {
        return lease(new Holder(), Deadline.in(endpoint.timeoutMs()));
    }

    /** An open connection, by the deadline. If this throws, nothing of the caller's was sent. */
    public NodeConnection lease(Holder holder, Deadline deadline) {
        return lease(holder, deadline, NodeHealth.NOT_ASKED, Successor.NONE);
    }

    /** Leases a connection for a call that leaves if it knows a successor. */
    public NodeConnection lease(Holder holder, Deadline deadline, long asked, Successor successor) {
        NodeConnection connection = null;
        try {
            connection = awaitLease(holder, deadline, asked, successor);
            connection.open(successor);
            return connection;
        } catch (Error error) {
            throw error;
        } catch (Throwable thrown) {
            throw unopened(connection, thrown);
        }
    }

    /**
     * An open connection that does not count towards {@code pool_size}, because its holder may keep
     * it for any time. It is closed when it is settled, or when its holder is over.
     */
    public NodeConnection openApart(Holder holder, Deadline deadline) {
        NodeConnection connection = null;
        try {
            StackRoom.requireToUse();
            requireMayAsk(NodeHealth.NOT_ASKED);
            connection = new NodeConnection(endpoint, handshake, NodeConnection.NO_SEAT);
            apart.put(connection, holder);
            begin(connection, deadline, NodeHealth.NOT_ASKED);
            connection.open(Successor.NONE);
            return connection;
        } catch (Error error) {
            throw error;
        } catch (Throwable thrown) {
            throw unopened(connection, thrown);
        }
    }

    private OneHopException unopened(@Nullable NodeConnection connection, Throwable thrown) {
        OneHopException failure = failure(thrown);
        if (connection != null && !connection.isKeptAfter(thrown)) {
            connection.disconnect();
        }
        if (!Failure.isLeft(failure)) {
            failed(connection, failure);
        }
        if (connection != null) {
            returnObject(connection); // Last: from now on another call may use it.
        }
        return failure;
    }

    /** A connection that may not be open yet, or {@code null} if none is free. */
    public @Nullable NodeConnection tryLease(Holder holder, Deadline deadline, long asked) {
        StackRoom.requireToUse();
        requireMayAsk(asked);
        NodeConnection connection = seats.take(holder);
        return connection == null ? null : begin(connection, deadline, asked);
    }

    /** Like {@link #tryLease}, but waits until a connection is free. */
    public NodeConnection awaitLease(
            Holder holder, Deadline deadline, long asked, Successor successor) {
        NodeConnection connection = tryLease(holder, deadline, asked);
        if (connection != null) {
            return connection;
        }
        meter.waited();
        long sinceNs = Clock.nowNs();
        Deadline patience = deadline.atMost(settings.maxWaitMs());
        seats.enter(holder);
        try {
            while (connection == null) {
                if (patience.hasPassed()) {
                    throw Failure.of(
                            Message.POOL_EXHAUSTED,
                            endpoint.nodeName(),
                            Outcome.NOT_SENT,
                            null,
                            endpoint.poolSize(),
                            "client");
                }
                if (successor.isKnown()) {
                    throw failure(new Left());
                }
                requireMayAsk(asked);
                connection = awaited(holder, patience);
            }
        } finally {
            seats.leave(holder);
            meter.waitedFor(Clock.nowNs() - sinceNs);
        }
        begin(connection, deadline, asked);
        connection.lease().beginsLate();
        // Others may have left the node, so that a connection is free. This call leaves, too.
        if (successor.isKnown()) {
            returnObject(connection);
            throw failure(new Left());
        }
        return connection;
    }

    private @Nullable NodeConnection awaited(Holder holder, Deadline patience) {
        try {
            return seats.await(holder, patience.waitNs());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failure(interrupted);
        }
    }

    /**
     * A connection that may not be open yet. It may exceed the pool's size; then settling closes
     * it. Its caller must not wait until others return a connection, because they wait for the
     * result of this caller's work.
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
     * Throws if the pool is closed, the node rests or the thread was interrupted, so that the call
     * fails before a wait and not after it. {@link #begin} asks the node's health again, and may
     * claim the probe.
     */
    private void requireMayAsk(long asked) {
        if (isClosed) {
            throw Failure.of(Message.CLIENT_CLOSED, endpoint.nodeName(), Outcome.NOT_SENT, null);
        }
        if (asked == NodeHealth.NOT_ASKED) {
            health.requireNotResting();
        }
        // An interrupted call fails now, before anything is sent.
        if (Thread.currentThread().isInterrupted()) {
            throw failure(new InterruptedException());
        }
    }

    /** Begins the lease. It ends immediately if the node rests and this caller is not its probe. */
    private NodeConnection begin(NodeConnection connection, Deadline deadline, long asked) {
        connection.use(deadline);
        try {
            if (isClosed) { // The pool was closed during the wait.
                throw Failure.of(
                        Message.CLIENT_CLOSED, endpoint.nodeName(), Outcome.NOT_SENT, null);
            }
            connection.lease().ask(asked == NodeHealth.NOT_ASKED ? health.ask(deadline) : asked);
        } catch (OneHopException resting) {
            returnObject(connection);
            throw resting;
        }
        meter.leased();
        if (connection.isNew()) {
            meter.connecting();
        }
        return connection;
    }

    private OneHopException failure(Throwable thrown) {
        return Failure.of(thrown, endpoint.nodeName(), Outcome.NOT_SENT, false);
    }

    /* ---- How it ended ---- */

    /** Notes that every command of a call was answered. */
    public void answered(NodeConnection connection) {
        long nowNs = Clock.nowNs();
        long nowMs = NodeHealth.ms(nowNs);
        connection.heard(nowNs);
        endpoint.slow(false);
        if (connection.lease().isTimed(endpoint.timeoutMs())) {
            meter.answered(connection.lease().ns(nowNs), nowMs);
        } else {
            meter.answeredAfterWaiting(nowMs);
        }
        String denied = connection.lease().denied();
        // Forgets the description of a command that the node does not have.
        if (denied != null && nodes != null) {
            nodes.commands().forget(denied);
        }
        if (connection.lease().isUnwell()) {
            health.answeredUnwell(connection);
        } else {
            health.answered(nowMs);
        }
    }

    /**
     * Notes that a call failed, on this connection, or before it had a connection ({@code null}).
     */
    public void failed(@Nullable NodeConnection connection, OneHopException failure) {
        meter.failed(NodeHealth.nowMs());
        if (connection != null && connection.lease().isReadyLate()) {
            heard();
        } else if (connection != null) {
            if (failure.getKind() == ErrorKind.DEADLINE_EXCEEDED
                    && connection.isOwedAfterOpening()) {
                endpoint.slow(true);
            }
            boolean isDown = health.failed(failure, connection);
            boolean isStale = failure.getKind() == ErrorKind.NODE_DOWN && connection.wasStale();
            if (isDown || isStale || NodeHealth.isLate(failure, connection)) {
                closeAsOldAs(connection);
            }
        }
    }

    /** Notes that a deadline has passed. The call fails in a moment. */
    public void noteLate(NodeConnection connection) {
        health.noteLate(connection);
    }

    /**
     * Notes that a call lost its connection. If no byte of the reply came, idle connections that
     * are as old are closed.
     */
    public void condemn(NodeConnection connection) {
        if (connection.wasStale()) {
            closeAsOldAs(connection);
        }
    }

    private void closeAsOldAs(NodeConnection connection) {
        long sinceNs = connection.lease().sinceNs();
        seats.evictUnless(each -> !each.isAsOldAs(sinceNs));
    }

    /** Notes that the node sent something that is not a reply to a call. */
    public void heard() {
        health.answered(NodeHealth.nowMs());
    }

    /**
     * Ends a lease. A connection that is clean, or that is being opened, is kept; any other is
     * closed. If an Error prevents this, the next holder of the seat closes the connection.
     */
    @Override
    public void returnObject(NodeConnection connection) {
        if (connection.isLeft && connection.seat() != NodeConnection.NO_SEAT) {
            return;
        }
        count(connection);
        connection.settle();
        if (connection.seat() == NodeConnection.NO_SEAT) {
            connection.disconnect();
            apart.remove(connection);
            return;
        }
        seats.give(connection.seat(), connection.isKept() && hasRoomForIdle());
        if (isRetired) {
            clear();
        }
    }

    /** Ends a lease whose connection must not be used again. */
    @Override
    public void invalidateObject(NodeConnection connection) {
        connection.disconnect();
        returnObject(connection);
    }

    private boolean hasRoomForIdle() {
        return !limitsIdle || getNumIdle() < settings.maxIdle();
    }

    private void count(NodeConnection connection) {
        meter.moved(
                connection.lease().newlySent(connection.written()),
                connection.lease().newlyReceived(connection.received()));
    }

    /** Closes the idle connections. */
    @Override
    public void clear() {
        seats.evictUnless(connection -> false);
    }

    /**
     * Closes connections that were idle for too long, that the node has closed, or that a call did
     * not give back because of an Error. Then opens as many as should be idle.
     */
    public void evictIdle() {
        seats.evictUnless(
                connection ->
                        connection.isUsable()
                                && connection.seenAgain() <= settings.idleChecks()
                                && !isRetired);
        apart.forEach(
                (connection, holder) -> {
                    if (holder.isOver()) {
                        connection.disconnect();
                        apart.remove(connection);
                    }
                });
        openIdle();
    }

    private void openIdle() {
        try {
            addObjects(isRetired ? 0 : settings.minIdle() - getNumIdle());
        } catch (Exception failure) {
            // The node's health has noted the failure. The next check tries again.
        }
    }

    /** Opens one more connection if there is a seat for it. */
    @Override
    public void addObject() {
        requireMayAsk(NodeHealth.NOT_ASKED);
        Holder holder = new Holder();
        NodeConnection connection = null;
        try {
            NodeConnection taken = seats.takeClosed(holder);
            if (taken != null) {
                int timeoutMs = endpoint.timeoutMs() == 0 ? OPENING_MS_MAX : endpoint.timeoutMs();
                connection = begin(taken, Deadline.in(timeoutMs), NodeHealth.NOT_ASKED);
                connection.open(Successor.NONE);
                returnObject(connection);
            }
        } catch (Exception thrown) {
            throw unopened(connection, thrown);
        } finally {
            holder.isOver = true;
        }
    }

    /**
     * The configuration no longer uses this node. From now on no connection stays idle. Calls that
     * began before may still lease. When no call uses the pool any longer, none of its connections
     * is open, and it can be garbage collected.
     */
    public void retire() {
        isRetired = true;
        clear();
    }

    /** Connections of calls that are in use. */
    @Override
    public int getNumActive() {
        return seats.leased();
    }

    /** Connections that are open and not in use. */
    @Override
    public int getNumIdle() {
        return seats.idle();
    }

    /** True if there is no connection. */
    public boolean isEmpty() {
        return seats.isEmpty() && apart.isEmpty();
    }

    /**
     * Closes idle connections now, and leased ones when they are settled. Threads that wait for a
     * connection fail; so do blocking commands. Subscriptions close their own connections.
     */
    @Override
    public void close() {
        isClosed = true;
        retire();
        seats.eachLeased(NodeConnection::abort);
        seats.wakeAll();
    }
}
