package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.cluster.Redirect;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.NodeSocket;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RequestBuffer;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.HashSet;
import java.util.Set;

/**
 * What one node has to do in one batch: its encoded commands, who waits for their replies, and how
 * far it got.
 *
 * <p>Filled by {@code Pipeline} or {@link Merge}, driven by {@link Scatter}, which calls {@link
 * #advance} whenever the node may be ready; nothing here waits for it. Ends done or failed; either
 * way every {@link ReplySink} was told, and the connection is settled.
 */
public final class BatchExchange {
    /*
     * The window: at most so many bytes of requests are written whose replies are not read. A node that stops reading
     * until its replies are read (SSDB) can then not stall us, nor can a fast one pile up replies in its memory for a
     * batch of a million commands; and as the window moves on with each reply read, the node never runs out of work
     * (64, 128 and 256 KiB measure alike). One command may be larger than the window.
     *
     *      0        acknowledged          written                length
     *      |  answered  |  unread: the window  |   not written yet   |
     */
    public static final int WINDOW_BYTES = 1 << 17;

    /* After the deadline what has arrived is still taken, but not for ever: a call is over within 25 ms of it. */
    private static final int GRACE_MS = 10;

    /* As much as one write(2) is given; the kernel takes what it has room for. */
    private static final int WRITE_BYTES_MAX = 1 << 16;

    private final Pool pool;
    private final RequestBuffer requests;
    private final Forwarding forwarding; // That of the batch; null where nodes do not redirect.
    private final boolean isFirst;
    private final PendingReplies pending;
    private int slot = PendingReplies.NO_SLOT;
    private boolean isReadOnly = true;
    private boolean isClosedAfter;
    private boolean isStaying;
    private boolean isRescued;
    private long asked = NodeHealth.NOT_ASKED;
    private Set<String> scripts;

    private NodeConnection connection;
    private boolean isKernelFull;
    private long written;
    private long reached;
    private long acknowledged;
    private int taken;
    private int redirected;
    private Throwable before;
    private OneHopException failure;

    /** {@code isFirst}: what it has to do was not sent to another node before. */
    BatchExchange(Pool pool, Forwarding forwarding, boolean isFirst) {
        this.pool = pool;
        this.requests = new RequestBuffer(pool.buffers());
        this.forwarding = forwarding;
        this.isFirst = isFirst;
        this.pending = new PendingReplies(forwarding != null);
    }

    /* ---- Filling ---- */

    /** What is put into it from now on is of this slot, or of no slot. */
    public BatchExchange at(int slot) {
        this.slot = slot;
        return this;
    }

    public void append(CommandArguments arguments, boolean readOnly, ReplySink sink) {
        if (pool.endpoint().isSsdb()) {
            translate(arguments, readOnly, sink);
        } else {
            added(requests.append(arguments), readOnly, sink);
        }
    }

    /** Appends of a command the words at these positions. */
    public void append(
            CommandArguments arguments, int[] positions, boolean readOnly, ReplySink sink) {
        if (pool.endpoint().isSsdb()) {
            translate(SsdbCommand.part(arguments, positions), readOnly, sink);
        } else {
            added(requests.append(arguments, positions), readOnly, sink);
        }
    }

    private void translate(CommandArguments arguments, boolean readOnly, ReplySink sink) {
        SsdbCommand.translate(
                arguments, sink, (words, each) -> added(requests.append(words), readOnly, each));
    }

    /** It has reads alone, in the place of the master, which is asked if this node fails. */
    BatchExchange rescued() {
        isRescued = true;
        return this;
    }

    /** Its connection is not used again. */
    public void closeAfter() {
        isClosedAfter = true;
    }

    /** What was answered counts only on the connection that answered it. */
    void stay() {
        isStaying = true;
    }

    /** Notes that the node has this script from here on; false: it was noted before. */
    boolean addScript(String script) {
        scripts = scripts == null ? new HashSet<>() : scripts;
        return scripts.add(script);
    }

    private void added(int size, boolean readOnly, ReplySink sink) {
        pending.add(size, slot, sink);
        isReadOnly &= readOnly;
    }

    /* ---- Driving ---- */

    public Pool pool() {
        return pool;
    }

    /**
     * What the node's health was when it was asked for this batch, so that a second try is no
     * second question.
     */
    long asked() {
        return asked;
    }

    /** Takes a connection, perhaps not open yet. */
    void start(NodeConnection leased) {
        connection = leased;
        connection.lease().beginsLate(); // Other nodes may have been waited for.
        asked = connection.lease().health();
    }

    /** Goes as far as is possible without waiting; tells whether that was any way at all. */
    boolean advance(Deadline deadline) throws IOException {
        boolean moved = begin();
        while (connection.isOpen() && (takeArrived() || !isDone() && connection.fill() > 0)) {
            moved = true;
            write();
            if (!isDone() && deadline.hasPassedBy(GRACE_MS)) {
                throw new SocketTimeoutException("the deadline passed");
            }
        }
        return moved;
    }

    /**
     * Opens and writes as far as is possible without waiting; tells whether anything was written.
     */
    boolean begin() throws IOException {
        return connection.tryOpen() && write();
    }

    /** Writes as much as the window and the kernel allow; tells whether that was anything. */
    private boolean write() throws IOException {
        long before = written;
        long end = windowEnd();
        isKernelFull = false;
        while (written < end && !isKernelFull) {
            ByteBuffer next = requests.next(Math.min(end - written, WRITE_BYTES_MAX));
            int size = next.remaining();
            int count = connection.write(next, pending.beginBefore(written + size));
            requests.advance(count);
            written += count;
            reached = Math.max(reached, written);
            isKernelFull = count < size;
        }
        return written > before;
    }

    private long windowEnd() {
        long window = Math.max(WINDOW_BYTES, taken < pending.count() ? pending.size(taken) : 0);
        return Math.min(requests.length(), acknowledged + window);
    }

    /** Hands out the replies that are whole; tells whether there was any. */
    private boolean takeArrived() throws IOException {
        long whole = connection.arrivedReplies();
        for (long i = 0; i < whole; i++) {
            Object reply = connection.nextReply();
            if (forwarding != null
                    && reply instanceof JedisDataException error
                    && isRedirect(error)) {
                forwarding.note(
                        pool,
                        pending.slot(taken),
                        requests.command(acknowledged),
                        pending.sink(taken),
                        error);
                redirected++;
            } else if (!pending.sink(taken).take(reply)) {
                throw new WireException("a reply of another shape than its command's");
            }
            acknowledged += pending.size(taken);
            taken++;
        }
        return whole > 0;
    }

    /** Whether the next reply is none, because another node is to give it. */
    private boolean isRedirect(JedisDataException error) {
        return pending.slot(taken) != PendingReplies.NO_SLOT && Redirect.isOne(error.getMessage());
    }

    /** What to wait for before {@link #advance} can get on. */
    int interest() {
        return connection.interest() | (isKernelFull ? SelectionKey.OP_WRITE : 0);
    }

    /** Has no socket yet: somebody looks up the name of its node. */
    boolean isResolving() {
        return connection.isResolving();
    }

    void whenResolved(Runnable action) {
        connection.whenResolved(action);
    }

    NodeSocket socket() {
        return connection.socket();
    }

    /* ---- Ending ---- */

    /** Whether anything was put into it. */
    boolean hasWork() {
        return pending.count() > 0;
    }

    boolean isDone() {
        return taken == pending.count();
    }

    public boolean hasArrived() {
        return taken > redirected;
    }

    public OneHopException failure() {
        return failure;
    }

    /**
     * Whether the rest may be sent once more: the connection had been lying idle and turned out to
     * be closed, and nothing of the rest was sent or all of it only reads.
     */
    boolean mayRetry(Throwable thrown) {
        return Failure.of(thrown, pool.endpoint().nodeName(), Outcome.NOT_SENT) instanceof NodeDown
                && connection != null
                && connection.isReused()
                && before == null
                && !(isStaying && taken > 0)
                && (isReadOnly || written == acknowledged);
    }

    /** Gets ready to send the rest once more, over another connection, because of this failure. */
    void retry(Throwable thrown) {
        settle();
        pool.purge();
        before = thrown;
        requests.rewind(acknowledged);
        written = acknowledged;
        pending.beginAgain(taken, acknowledged);
    }

    /**
     * Tells everybody who still waits; each learns whether a byte of his command was written, if
     * only by the try before this.
     */
    void fail(Throwable thrown) {
        OneHopException unsent = Failure.of(thrown, pool.endpoint().nodeName(), Outcome.NOT_SENT);
        Throwable sent = before != null && thrown instanceof OneHopException ? before : thrown;
        OneHopException reachedIt =
                Failure.of(sent, pool.endpoint().nodeName(), Outcome.MAYBE_EXECUTED);
        boolean hasBegun = taken < pending.count() && pending.sink(taken).hasBegun();
        failure = isRescued ? null : reached > acknowledged || hasBegun ? reachedIt : unsent;
        long from = acknowledged;
        for (int i = taken; i < pending.count(); i++) {
            if (isRescued) {
                forwarding.rescue(pool, pending.slot(i), requests.command(from), pending.sink(i));
            } else {
                pending.sink(i)
                        .fail(from < reached || pending.sink(i).hasBegun() ? reachedIt : unsent);
            }
            from += pending.size(i);
        }
        pool.failed(connection, unsent);
        if (isReadOnly && connection != null && thrown instanceof SocketTimeoutException) {
            compare();
        }
        settle();
    }

    /**
     * How long a read took is for {@code ReadFromChooser} to know, if that is typical: of one
     * command, or too late. What is sent on has taken other nodes' time, too.
     */
    private void compare() {
        if (forwarding != null
                && isFirst
                && connection.lease().isTimed(pool.endpoint().timeoutMs())) {
            pool.meter().compare(connection.lease().ns());
        }
    }

    /** Ends the batch: nothing of it will be written again. */
    void end() {
        settle();
        requests.release();
    }

    /** Ends the lease, if there is one: the connection goes back if it is clean. */
    void settle() {
        if (connection != null) {
            if (isDone()) {
                pool.answered(connection);
                if (isReadOnly
                        && pending.count() == 1
                        && connection.isReused()
                        && !connection.lease().isRefused()) {
                    compare();
                }
            }
            if (!isDone() || isClosedAfter) {
                connection.disconnect();
            }
            pool.settle(connection);
            connection = null;
        }
    }
}
