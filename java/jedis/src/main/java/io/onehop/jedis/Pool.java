package io.onehop.jedis;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.ServerPool;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.pool2.DestroyMode;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/**
 * The connections of one node: lease one, use it, settle it.
 *
 * <p>At most {@code pool_size} connections, made on demand, last used first. A lease ends by the deadline, never later,
 * and at once while the node rests. What is settled goes back only if it is clean, and is looked at once more before it
 * is leased again. Who used a connection tells how it ended, for the node's health and for whoever looks at the numbers.
 * Any thread may lease; no lock is held while a node is waited for. Before it on the road: placement; after it: the
 * exchange.
 */
final class Pool implements AutoCloseable {
    /*
     * Commons Pool makes objects without arguments, and we have a deadline to respect: so what it makes are connections
     * not opened yet, and opening is the lease-holder's. Its test on borrow, feared for the round trip it usually
     * costs, is one read that does not wait: end of stream and bytes that nobody asked for are seen here, and such a
     * connection is dropped for the next one. The same look is taken in the background, where connections idle for a
     * minute are closed, too: below the idle limits of firewalls and load balancers.
     */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(30);
    private static final Duration IDLE_MAX = Duration.ofSeconds(60);

    /*
     * When a pool is closed, Commons Pool wakes who waits by an interrupt, but not who is just about to: so nobody
     * waits longer without looking.
     */
    private static final Duration WAIT_MAX = Duration.ofMillis(100);

    private final Endpoint endpoint;
    private final Blocks blocks = new Blocks();
    private final Greeting greeting;
    private final NodeHealth health;
    private final NodeMeter meter = new NodeMeter();
    private final ConnectionMaker maker;
    private final GenericObjectPool<NodeConnection> connections;
    private volatile boolean isRetired;

    Pool(Node node, ServerPool pool, AtomicLong ejections) {
        this.endpoint = new Endpoint(node, pool);
        this.greeting = new Greeting(pool, endpoint);
        this.health = new NodeHealth(endpoint, pool, ejections);
        this.maker = new ConnectionMaker(endpoint, greeting);
        this.connections = new GenericObjectPool<>(maker, settings(pool));
    }

    private static GenericObjectPoolConfig<NodeConnection> settings(ServerPool pool) {
        GenericObjectPoolConfig<NodeConnection> settings = new GenericObjectPoolConfig<>();
        settings.setMaxTotal(pool.poolSize());
        settings.setMaxIdle(pool.poolSize());
        settings.setTestOnBorrow(true);
        settings.setTestWhileIdle(true);
        settings.setNumTestsPerEvictionRun(-1);
        settings.setTimeBetweenEvictionRuns(LOOK_EVERY);
        settings.setMinEvictableIdleDuration(IDLE_MAX);
        settings.setJmxEnabled(false);
        return settings;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** The memory of its batches. */
    Blocks blocks() {
        return blocks;
    }

    NodeHealth health() {
        return health;
    }

    NodeMeter meter() {
        return meter;
    }

    /* ---- Leasing: `asked` is what the node's health was in the try before, or NOT_ASKED ---- */

    /** An open connection, by the deadline; nothing of the caller's was sent if this throws. */
    NodeConnection lease(Deadline deadline) {
        return lease(deadline, NodeHealth.NOT_ASKED);
    }

    NodeConnection lease(Deadline deadline, long asked) {
        NodeConnection connection = null;
        try {
            connection = awaitLease(deadline, asked);
            connection.open();
            return connection;
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
    NodeConnection tryLease(Deadline deadline, long asked) {
        return connections.getNumActive() < connections.getMaxTotal() ? borrow(deadline, Duration.ZERO, asked) : null;
    }

    /** A connection, perhaps not open yet, as soon as one is free. */
    NodeConnection awaitLease(Deadline deadline, long asked) {
        NodeConnection connection = tryLease(deadline, asked);
        if (connection != null) {
            return connection;
        }
        meter.waited();
        while (connection == null) {
            if (deadline.hasPassed()) {
                throw Failure.exhausted(endpoint);
            }
            connection = borrow(deadline, deadline.atMost(WAIT_MAX), asked);
        }
        connection.lease().beginsLate();
        return connection;
    }

    /**
     * A connection, perhaps not open yet, if need be one more than the pool may have; that one is closed when it is
     * settled. For what must not wait for others, because they wait for it.
     */
    NodeConnection leaseBeyond(Deadline deadline, long asked) {
        NodeConnection connection = tryLease(deadline, asked);
        return connection != null ? connection : begin(new NodeConnection(endpoint, greeting), deadline, asked);
    }

    /** The lease begins; it ends at once if the node rests, and this caller is not the one to find out whether it is back. */
    private NodeConnection begin(NodeConnection connection, Deadline deadline, long asked) {
        connection.use(deadline);
        try {
            connection.lease().ask(asked == NodeHealth.NOT_ASKED ? health.ask(deadline) : asked);
        } catch (NodeDown resting) {
            settle(connection);
            throw resting;
        }
        if (!connection.isReused()) {
            meter.connecting();
        }
        return connection;
    }

    /** A connection that gets free in so much time, or {@code null}. */
    private NodeConnection borrow(Deadline deadline, Duration wait, long asked) {
        if (asked == NodeHealth.NOT_ASKED) {
            health.requireNotResting(); // Before waiting; begin() asks in earnest.
        }
        try {
            if (Thread.currentThread().isInterrupted()) { // Better now than when something was sent.
                throw new InterruptedException();
            }
            return begin(connections.borrowObject(wait), deadline, asked);
        } catch (NoSuchElementException exhausted) { // So says Commons Pool.
            return null;
        } catch (InterruptedException interrupted) {
            throw interrupted(interrupted);
        } catch (IllegalStateException closed) { // And so.
            throw Failure.closed(endpoint);
        } catch (Exception unexpected) {
            throw failure(unexpected);
        }
    }

    /**
     * Closing the pool interrupts who waits for it: that is no interrupt of the caller's, and his thread must not keep
     * it.
     */
    private OneHopException interrupted(InterruptedException thrown) {
        if (connections.isClosed()) {
            return Failure.closed(endpoint);
        }
        Thread.currentThread().interrupt();
        return failure(thrown);
    }

    private OneHopException failure(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return Failure.of(thrown, endpoint, Outcome.NOT_SENT);
    }

    /* ---- How it ended ---- */

    /** Every command of a call was answered. */
    void answered(NodeConnection connection) {
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
    void failed(NodeConnection connection, OneHopException failure) {
        meter.failed();
        if (connection != null) {
            health.failed(failure, connection);
        }
    }

    /** The node said something, if not in answer to a call. */
    void heard() {
        health.answered();
    }

    /** Ends a lease: back if clean, otherwise closed. Never throws. */
    void settle(NodeConnection connection) {
        connection.lease().count(connection.socket(), meter);
        try {
            if (connection.isClean()) {
                maker.keep(connection);
                connections.returnObject(connection);
                if (isRetired) {
                    purge();
                }
            } else {
                connections.invalidateObject(connection, DestroyMode.NORMAL);
            }
        } catch (Exception alreadyGone) {
            maker.drop(connection);
        }
    }

    /** Closes the idle connections: one of them was found dead, so the others are, too. */
    void purge() {
        connections.clear();
    }

    /**
     * The configuration has no use for it any more: no connection stays idle from now on. Who began before leases as he
     * would have; when nobody holds it any longer it is garbage, and nothing of it is left open.
     */
    void retire() {
        isRetired = true;
        connections.setDurationBetweenEvictionRuns(Duration.ofMillis(-1)); // Never.
        purge();
    }

    /** Connections handed out so far. */
    long leases() {
        return connections.getBorrowedCount();
    }

    int leased() {
        return connections.getNumActive();
    }

    /** Open and not in use; what Commons Pool has in store may not be open yet. */
    int idle() {
        return Math.min(connections.getNumIdle(), maker.kept());
    }

    /** Closes idle connections now and leased ones when they are settled. */
    @Override
    public void close() {
        connections.close();
    }
}
