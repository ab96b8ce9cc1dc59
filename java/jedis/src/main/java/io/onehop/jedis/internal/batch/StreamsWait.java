package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * XREAD or XREADGROUP with BLOCK, with streams on several nodes. All nodes wait. The first one that
 * has entries ends the wait of all.
 *
 * <p>In: each node's part, and the sink of its reply. Out: every sink has its reply or failure,
 * every connection is settled. For one thread and one call. Implements spec/route, section 6.
 */
public final class StreamsWait {
    /*
     * CLIENT UNBLOCK over another connection releases the other nodes, and their replies are
     * read. A node may have just given entries to this consumer, and closing the connection
     * would lose them. If UNBLOCK returns 0, the node found no blocked client: either its reply
     * is on the way, or the command has not arrived. So UNBLOCK is sent again a little later.
     * The client ids that it needs are requested before the blocking commands.
     *
     * Connections are leased in node order, so two such calls cannot wait for each other. The
     * connection for UNBLOCK may exceed the pool's size, because the blocked connection holds
     * the seat that it would wait for.
     */
    private static final int AGAIN_MS = 10;

    /** One node, and how far it is. */
    private static final class Waiting {
        private final int node;
        private final Pool pool;
        private final CommandArguments command;
        private final ReplySink sink;
        private @Nullable NodeConnection connection;
        private @Nullable SelectionKey key;
        private @Nullable Long id;
        private boolean isDone;

        Waiting(int node, Pool pool, CommandArguments command, ReplySink sink) {
            this.node = node;
            this.pool = pool;
            this.command = command;
            this.sink = sink;
        }

        NodeConnection leased() {
            return Objects.requireNonNull(connection, "begin() leases one, or fails");
        }

        OneHopException failure(Throwable thrown) {
            boolean isSent = connection != null && connection.isOpen();
            return Failure.of(
                    thrown,
                    pool.endpoint().nodeName(),
                    isSent ? Outcome.MAYBE_EXECUTED : Outcome.NOT_SENT);
        }
    }

    private final Holder holder = new Holder();
    private final Deadline leased;
    private final Deadline deadline;
    private final int timeoutMs;
    private final List<Waiting> all = new ArrayList<>();
    private boolean isOver;

    /** Waits this many milliseconds, in addition to the server pool's timeout. */
    public StreamsWait(int timeoutMs, long waitMs) {
        this.timeoutMs = timeoutMs;
        this.leased = Deadline.in(timeoutMs);
        this.deadline = leased.later(waitMs);
    }

    /** Adds one node's part of the command, and the sink of its reply. */
    public void add(int node, Pool pool, CommandArguments command, ReplySink sink) {
        all.add(new Waiting(node, pool, command, sink));
    }

    public void run() {
        try {
            runAll();
        } finally {
            holder.isOver = true;
        }
    }

    private void runAll() {
        all.sort(Comparator.comparing(each -> each.node));
        awaitFirst();
        all.forEach(this::release);
    }

    private void awaitFirst() {
        StackRoom.require();
        try (Selector selector = Selector.open()) {
            all.forEach(each -> begin(each, selector));
            while (!isOver && !isEveryoneDone()) {
                await(selector);
                all.forEach(this::receive);
            }
        } catch (IOException over) {
            all.forEach(each -> fail(each, over));
        }
    }

    private boolean isEveryoneDone() {
        return all.stream().allMatch(each -> each.isDone);
    }

    /* ---- Waiting ---- */

    private void begin(Waiting each, Selector selector) {
        try {
            NodeConnection connection = each.pool.lease(holder, leased);
            each.connection = connection;
            connection.sendCommand(new CommandArguments(Command.CLIENT).add("ID"));
            connection.sendCommand(each.command);
            connection.getMany(0); // Jedis' public way to flush.
            connection.until(deadline);
            each.key = connection.socket().channel().register(selector, SelectionKey.OP_READ);
        } catch (IOException | RuntimeException failed) {
            fail(each, failed);
        }
    }

    private void await(Selector selector) throws IOException {
        selector.selectedKeys().clear();
        boolean isLate = deadline.hasPassed();
        int ready = isLate ? selector.selectNow() : selector.select(deadline.selectMs());
        if (ready == 0 && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(Message.INTERRUPTED.what());
        }
        if (isLate && ready == 0) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
    }

    /** Takes what has arrived: the id, then the reply. A reply that is not nil ends the wait. */
    private void receive(Waiting each) {
        if (each.isDone) {
            return;
        }
        try {
            NodeConnection connection = each.leased();
            if (connection.arrivedReplies() == 0) {
                connection.fill();
            }
            while (!each.isDone && connection.arrivedReplies() > 0) {
                take(each, connection, connection.nextReply());
            }
            if (!each.isDone) {
                connection.requireTime();
            }
        } catch (IOException | RuntimeException lost) {
            fail(each, lost);
        }
    }

    private void take(Waiting each, NodeConnection connection, @Nullable Object reply)
            throws WireException {
        if (each.id == null) {
            if (reply instanceof JedisDataException refused) {
                throw refused;
            }
            if (!(reply instanceof Long id)) {
                throw new WireException(Message.UNEXPECTED_FORM);
            }
            each.id = id;
            return;
        }
        connection.requireSilence();
        if (!each.sink.take(reply)) {
            throw new WireException(Message.UNEXPECTED_FORM);
        }
        each.isDone = true;
        if (each.key != null) {
            each.key.cancel(); // Other callers may use the connection before this wait is over.
        }
        isOver |= reply != null;
        each.pool.answered(connection);
        each.pool.settle(connection);
    }

    private void fail(Waiting each, Throwable failed) {
        if (each.isDone) {
            return;
        }
        OneHopException failure = each.failure(failed);
        each.isDone = true;
        isOver = true;
        if (each.connection != null) {
            each.pool.failed(each.connection, failure);
            each.connection.disconnect();
            each.pool.settle(each.connection);
        }
        each.sink.fail(failure);
    }

    /* ---- Releasing ---- */

    private void release(Waiting each) {
        Deadline release = Deadline.in(timeoutMs);
        try {
            while (!each.isDone) {
                each.leased().until(release);
                boolean isReleased = each.id != null && unblock(each, release);
                each.leased()
                        .socket()
                        .awaitMs(SelectionKey.OP_READ, isReleased ? release.selectMs() : AGAIN_MS);
                receive(each);
                if (!each.isDone && release.hasPassed()) {
                    throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
                }
            }
        } catch (IOException | RuntimeException failed) {
            fail(each, failed);
        }
    }

    /** Asks the node to end the wait. True if it found a client waiting. */
    private boolean unblock(Waiting each, Deadline release) throws IOException {
        // A connection beyond the pool's size has no seat, so no holder protects it.
        StackRoom.require();
        NodeConnection other =
                each.pool.leaseBeyond(holder, release, each.leased().lease().health());
        try {
            other.open();
            return Long.valueOf(1)
                    .equals(
                            other.executeCommand(
                                    new CommandArguments(Command.CLIENT)
                                            .add("UNBLOCK")
                                            .add(each.id)));
        } catch (IOException | RuntimeException failed) {
            other.disconnect();
            throw failed;
        } finally {
            each.pool.settle(other);
        }
    }
}
