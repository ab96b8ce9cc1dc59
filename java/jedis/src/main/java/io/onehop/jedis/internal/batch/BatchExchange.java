package io.onehop.jedis.internal.batch;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.core.cluster.Leaving;
import io.onehop.core.command.Split;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.Forwarding.SentCommand;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.NodeSocket;
import io.onehop.jedis.internal.connection.Opening;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.Left;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.request.RequestBuffer;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.Set;

/**
 * One node's part of one batch: its encoded commands, the sinks of their replies, and how far it
 * got. The twin of C's exchange.
 *
 * <p>{@code Pipeline} or {@link Merge} fills it. {@link Scatter} drives it, and calls {@link
 * #advance} whenever the node may be ready; nothing here waits for the node. At the end the
 * exchange is done or has failed. In both cases every {@link ReplySink} has its reply or failure,
 * and the connection is settled.
 */
public final class BatchExchange {
    /*
     * The window bounds the bytes of requests that are written while their replies are unread. So
     * a node that stops reading until its replies are read (SSDB) cannot stall us. And a fast
     * node cannot pile up in its memory the replies to a million commands. The window moves on
     * with each reply, so the node never runs out of work (64, 128 and 256 KiB measure alike).
     * One command may be larger than the window.
     *
     *      0        acknowledged          written                length
     *      |  answered  |  unread: the window  |   not written yet   |
     */
    public static final int WINDOW_BYTES = 1 << 17;

    /* The most bytes that one write(2) gets. The kernel takes as many as it has room for. */
    private static final int WRITE_BYTES_MAX = 1 << 16;

    private static final Object[] NONE = {};

    private Pool pool;
    private final RequestBuffer requests;
    // Belongs to the batch; null where nodes do not redirect.
    private final @Nullable Forwarding forwarding;
    private final boolean isFirst;
    private final PendingReplies pending;
    private int slot = PendingReplies.NO_SLOT;
    private boolean isReadOnly = true;
    private boolean isClosedAfter;
    private boolean isStaying;
    private final boolean isOfReplica; // A replica has no successor.
    private boolean isMixed; // Some of its commands are not reads that its fallback may answer.
    private boolean goesBeyond;
    private boolean leavesFailures; // Its caller asks another node if this one fails.
    private boolean isBound; // Its caller has chosen the node.
    // The slot of the first command that has a slot.
    private int firstHome = PendingReplies.NO_SLOT;
    private long asked = NodeHealth.NOT_ASKED;
    private @Nullable Set<String> scripts;

    private @Nullable NodeConnection connection;
    private boolean isKernelFull;
    private long written;
    private long reached;
    private long acknowledged;
    private Object[] replies = NONE; // All replies, until they are handed out.
    private int taken;
    private int handedOut;
    private long handedOutBytes; // The bytes of the commands whose replies were handed out.
    private int redirected;
    private @Nullable Throwable before;
    private @Nullable OneHopException failure;

    /** {@code isFirst} is false for commands that another node has redirected. */
    BatchExchange(
            Pool pool, boolean isOfReplica, @Nullable Forwarding forwarding, boolean isFirst) {
        this.pool = pool;
        this.isOfReplica = isOfReplica;
        this.requests = new RequestBuffer(pool.buffers());
        this.forwarding = forwarding;
        this.isFirst = isFirst;
        this.pending = new PendingReplies(forwarding != null);
    }

    /* ---- Filling ---- */

    /** Commands that are appended from now on have this slot, or {@code NO_SLOT}. */
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

    /** Appends a part of a command. */
    public void append(
            CommandArguments arguments, Split.Part part, boolean readOnly, ReplySink sink) {
        if (pool.endpoint().isSsdb()) {
            translate(SsdbCommand.part(arguments, part), readOnly, sink);
        } else {
            added(requests.append(arguments, part), readOnly, sink);
        }
    }

    private void translate(CommandArguments arguments, boolean readOnly, ReplySink sink) {
        SsdbCommand.translate(
                arguments, sink, (words, each) -> added(requests.append(words), readOnly, each));
    }

    /** The next commands are not reads that a fallback may answer. */
    BatchExchange mixed() {
        isMixed = true;
        return this;
    }

    boolean isMixed() {
        return isMixed;
    }

    /** Makes the exchange close its connection at the end, instead of giving it back. */
    public void closeAfter() {
        isClosedAfter = true;
    }

    /** Allows a connection beyond the size of the pool, because its caller may hold all others. */
    public void goBeyond() {
        goesBeyond = true;
    }

    /** If this node fails, the caller itself asks another node, so nothing is sent on. */
    public void leaveFailuresToCaller() {
        leavesFailures = true;
    }

    boolean goesBeyond() {
        return goesBeyond;
    }

    /** Makes the exchange stay at its node, because the caller has chosen that node. */
    public void bind() {
        isBound = true;
    }

    /** Forbids a retry on another connection once there is a reply. */
    void stay() {
        isStaying = true;
    }

    /** Remembers that the node has this script from now on. False if that was known already. */
    boolean addScript(String script) {
        scripts = scripts == null ? new HashSet<>() : scripts;
        return scripts.add(script);
    }

    private void added(int size, boolean readOnly, ReplySink sink) {
        pending.add(size, slot, sink);
        isReadOnly &= readOnly;
        isBound |= slot == PendingReplies.NO_SLOT && sink != ReplySink.NOBODY;
        firstHome = firstHome == PendingReplies.NO_SLOT ? slot : firstHome;
    }

    /* ---- Driving ---- */

    public Pool pool() {
        return pool;
    }

    /** The node's health when this batch first leased from it. A second try does not ask again. */
    long asked() {
        return asked;
    }

    /** Takes a connection, which may not be open yet. */
    void start(NodeConnection leased) {
        connection = leased;
        isKernelFull = false; // Known only of the connection before.
        connection.lease().beginsLate(); // The batch may have waited for other nodes before.
        asked = connection.lease().health();
    }

    /** The connection, from start() to settle(). */
    @SuppressWarnings("NullAway") // Every use dereferences it, so a check of its own adds nothing.
    private NodeConnection leased() {
        return connection;
    }

    /**
     * Writes and reads as far as possible without waiting; only reads if {@code isLate}. True if
     * there was any progress.
     */
    boolean advance(Deadline deadline, boolean isLate) throws IOException {
        boolean moved = !isLate && begin();
        NodeConnection connection = leased();
        while (connection.isOpen() && !isDone() && connection.fill() > 0) {
            moved = true;
            takeArrived();
            if (!isDone() && (isLate || deadline.hasPassed())) {
                connection.requireTime();
                return true; // The other nodes' replies may have arrived, too.
            }
            write();
        }
        return moved;
    }

    /** Opens and writes as far as possible without waiting. True if anything was written. */
    boolean begin() throws IOException {
        return leased().tryOpen() && write();
    }

    /** Writes as much as the window and the kernel allow. True if that was anything. */
    private boolean write() throws IOException {
        long before = written;
        long end = windowEnd();
        isKernelFull = false;
        while (written < end && !isKernelFull) {
            ByteBuffer next = requests.next(Math.min(end - written, WRITE_BYTES_MAX));
            int size = next.remaining();
            int count = leased().write(next, pending.beginBefore(written + size));
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

    /** Keeps each whole reply. When the last one has arrived, hands out all. */
    private void takeArrived() throws IOException {
        NodeConnection connection = leased();
        long whole = connection.arrivedReplies();
        replies = replies == NONE && whole > 0 ? new Object[pending.count()] : replies;
        for (long i = 0; i < whole; i++) {
            replies[taken] = connection.nextReply();
            acknowledged += pending.size(taken);
            taken++;
        }
        if (taken == pending.count()) {
            connection.requireSilence();
            handOut();
        }
    }

    /*
     * If a node sends one reply too many, all replies after it reach the wrong command, and only
     * the end shows that. So no sink gets its reply before the end.
     */
    private void handOut() throws WireException {
        while (handedOut < taken) {
            Object reply = replies[handedOut];
            if (forwarding != null && isNoted(reply, forwarding)) {
                redirected++;
            } else if (!pending.sink(handedOut).take(reply)) {
                throw new WireException(Message.UNEXPECTED_FORM);
            }
            handedOutBytes += pending.size(handedOut);
            handedOut++;
        }
        replies = NONE;
    }

    /** True if another node is to execute the command of this reply. */
    private boolean isNoted(@Nullable Object reply, Forwarding forwarding) {
        int home = pending.slot(handedOut);
        if (home == PendingReplies.NO_SLOT) {
            return false;
        }
        if (reply instanceof JedisDataException error
                && forwarding.noteRefused(sent(handedOut, handedOutBytes), error, !isMixed)) {
            return true;
        }
        return redirected > 0 && forwarding.noteBehind(sent(handedOut, handedOutBytes), reply);
    }

    /** The command of this number, which begins at this byte. */
    private SentCommand sent(int number, long from) {
        return new SentCommand(
                pool, pending.slot(number), () -> requests.command(from), pending.sink(number));
    }

    /** The operations of a selector to wait for before {@link #advance} can make progress. */
    int interest() {
        return leased().interest() | (isKernelFull ? SelectionKey.OP_WRITE : 0);
    }

    @SuppressWarnings("NullAway") // Callers ask first whether it is opening.
    private Opening opening() {
        return leased().opening();
    }

    /** True if there is no socket yet, because the name of its node is being resolved. */
    boolean isResolving() {
        return opening() != null && opening().isResolving();
    }

    /**
     * Notes that the deadline of this exchange has passed. If several deadlines pass together, all
     * are noted before one is judged.
     */
    void noteLate() {
        pool.noteLate(leased());
    }

    /** If the node is a replica, notes the end of half of the time like a passed deadline. */
    void noteLateReplica() {
        if (isOfReplica) {
            noteLate();
        }
    }

    /** True if several addresses of its node are being tried, or may be. */
    boolean isTrying() {
        return opening() != null && opening().isTrying();
    }

    /** Wakes this selector when {@link #advance} can make progress. */
    void register(Selector selector) throws IOException {
        if (isTrying()) {
            opening().register(selector);
        } else {
            socket().channel().register(selector, interest());
        }
    }

    /**
     * How long to wait before {@link #advance} is called again: at most {@code ms}; 0: without end.
     */
    long waitMs(long ms) {
        return opening() == null ? ms : opening().waitMs(ms);
    }

    /** Turns the failure of a wait for the node into a failure that says what the wait was for. */
    IOException explained(IOException failed) {
        return connection == null ? failed : connection.explained(failed);
    }

    void whenResolved(Runnable action) {
        opening().whenResolved(action);
    }

    NodeSocket socket() {
        return leased().socket();
    }

    /* ---- Leaving: spec/wire, section 5, "While a call waits" ---- */

    /** How long it waits before it should check whether it may leave. */
    long checkMs(Deadline deadline, long leftNs) {
        return deadline.checkMs(leftNs, !isMixed);
    }

    /** True if another node may answer all commands of this exchange now. */
    private boolean mayFallBack() {
        return !isMixed && forwarding != null && forwarding.hasFallback(pool, firstHome);
    }

    /** True if the exchange leaves its node, because another node can answer sooner. */
    boolean mayLeave(Successors successors, Deadline deadline) {
        return leaving(successor(successors, deadline), deadline) != Leaving.STAY;
    }

    private @Nullable Pool successor(Successors successors, Deadline deadline) {
        return isBound || isOfReplica ? null : successors.of(pool, firstHome, deadline);
    }

    private Leaving leaving(@Nullable Pool successor, Deadline deadline) {
        boolean isHeard = taken > 0 || connection != null && connection.hasBegunToAnswer();
        boolean isBlocking =
                connection != null && !connection.lease().isTimed(pool.endpoint().timeoutMs());
        return Leaving.of(
                new Leaving.Request(reached > 0, isHeard, isReadOnly, isBlocking, isBound),
                successor != null,
                deadline.isHalfOver() && mayFallBack());
    }

    /**
     * Leaves the node. True if the exchange begins again at another node. Otherwise the batch sends
     * its commands on, or the exchange has failed.
     */
    boolean leave(Successors successors, Deadline deadline) {
        Pool successor = successor(successors, deadline);
        if (leaving(successor, deadline) != Leaving.SUCCESSOR || successor == null) {
            fail(explained(new SocketTimeoutException(Message.DEADLINE_PASSED.what())));
            return false;
        }
        settle();
        if (!pool.endpoint().isOfCluster()) {
            beginAgain(successor);
            return true;
        }
        sendOn();
        return false;
    }

    private void beginAgain(Pool successor) {
        pool = successor;
        asked = NodeHealth.NOT_ASKED;
        requests.rewind(0);
        written = 0;
        pending.beginAgain(0, 0);
    }

    private void sendOn() {
        OneHopException left =
                Failure.of(new Left(), pool.endpoint().nodeName(), Outcome.NOT_SENT, false);
        long from = 0;
        for (int i = 0; i < pending.count(); i++) {
            if (forwarding != null && pending.slot(i) != PendingReplies.NO_SLOT) {
                forwarding.noteLeft(sent(i, from), left);
            }
            from += pending.size(i);
        }
    }

    /* ---- Ending ---- */

    /** True if it has a command. */
    boolean hasWork() {
        return pending.count() > 0;
    }

    boolean isDone() {
        return handedOut == pending.count();
    }

    public boolean hasArrived() {
        return handedOut > redirected;
    }

    public @Nullable OneHopException failure() {
        return failure;
    }

    /**
     * Whether the exchange may be sent once more. That takes two conditions. The connection must
     * have been idle and turned out to be closed. And either all commands only read, or all that
     * were sent are answered; then the rest is sent.
     */
    boolean mayRetry(Throwable thrown) {
        return Failure.of(thrown, pool.endpoint().nodeName(), Outcome.NOT_SENT) instanceof NodeDown
                && connection != null
                && connection.isReused()
                && before == null
                && !(isStaying && taken > 0)
                && (isReadOnly || written == acknowledged);
    }

    /**
     * Prepares to send the exchange once more, over another connection, because of this failure.
     */
    void retry(Throwable thrown) {
        pool.condemn(leased());
        settle();
        before = thrown;
        if (written > acknowledged) { // If a reply is missing, the others prove nothing.
            taken = 0;
            acknowledged = 0;
        }
        requests.rewind(acknowledged);
        written = acknowledged;
        pending.beginAgain(taken, acknowledged);
    }

    /**
     * Fails all sinks that have no reply. As long as a reply is missing, no sink has one. Each
     * failure says whether a byte of its command was written, by this try or by the one before.
     */
    void fail(Throwable thrown) {
        boolean wasOpen =
                connection != null && connection.wasOpen() && !connection.lease().isReadyLate();
        boolean fallsBack = mayFallBack();
        OneHopException unsent =
                Failure.of(thrown, pool.endpoint().nodeName(), Outcome.NOT_SENT, wasOpen);
        Throwable sent = before != null && thrown instanceof OneHopException ? before : thrown;
        OneHopException reachedIt =
                Failure.of(sent, pool.endpoint().nodeName(), Outcome.MAYBE_EXECUTED);
        long from = handedOutBytes;
        for (int i = handedOut; i < pending.count(); i++) {
            boolean isReached = from < reached;
            OneHopException why = isReached ? reachedIt : unsent;
            if (!isSentOn(i, from, why, fallsBack)) {
                failure = failure == null ? why : failure;
                pending.sink(i).fail(why);
                if (redirected > 0 && forwarding != null) {
                    forwarding.overtaken(pool);
                }
            }
            from += pending.size(i);
        }
        pool.failed(connection, unsent);
        if (isReadOnly && connection != null && thrown instanceof SocketTimeoutException) {
            compare();
        }
        settle(connection != null && connection.isKeptAfter(thrown));
    }

    /** True if another node is to execute this command, because its own has failed. */
    private boolean isSentOn(int number, long from, OneHopException why, boolean fallsBack) {
        boolean mayBe = !leavesFailures && pending.slot(number) != PendingReplies.NO_SLOT;
        return forwarding != null
                && (fallsBack || mayBe)
                && forwarding.noteFailed(sent(number, from), why, isReadOnly, fallsBack);
    }

    /**
     * Reports to {@code ReadFromChooser} how long a typical read took. A read is typical if it was
     * a single command, or if its reply came too late. A redirected command is not: other nodes
     * took part of its time.
     */
    private void compare() {
        if (forwarding != null
                && isFirst
                && leased().lease().isTimed(pool.endpoint().timeoutMs())) {
            pool.meter().compare(leased().lease().ns());
        }
    }

    /** Ends the part of this exchange in the batch. Nothing of it is written again. */
    void end() {
        settle();
        requests.release();
    }

    /** Ends the lease, if there is one. The connection is kept if it is clean. */
    void settle() {
        settle(false);
    }

    /** {@code isUnused}: nothing was sent, and the connection is kept. */
    private void settle(boolean isUnused) {
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
            if (!isUnused && (!isDone() || isClosedAfter)) {
                connection.disconnect();
            }
            pool.returnObject(connection);
            connection = null;
        }
    }

    /** Finds the node that has taken over from a node for which a call waits. Any thread. */
    @FunctionalInterface
    public interface Successors {
        /** The successor of {@code asked} for this home; {@code null} if none is known. */
        @Nullable Pool of(Pool asked, int home, Deadline deadline);
    }
}
