package io.onehop.jedis.internal.connection;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Words;
import io.onehop.core.cluster.Redirect;
import io.onehop.core.command.Learnt;
import io.onehop.core.health.Health;
import io.onehop.core.resp.Framing;
import io.onehop.core.resp.ReplyGuard;
import io.onehop.core.resp.WireException;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.RequestBuffer;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.util.RedisInputStream;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;

/**
 * One connection to one node: Jedis' Connection over our socket, with the wire guard between them.
 *
 * <p>A connection is made without network access, opened when it is first leased, and used by one
 * thread at a time. It always knows whether it is clean: no reply is pending or half read, and
 * nothing was wrong. Only a clean connection is used again.
 */
public final class NodeConnection extends Connection {
    /*
     * A connection is used in two ways. A single command goes through Jedis' own executeCommand,
     * which encodes, writes, reads and decodes; our streams beneath it wait no longer than the
     * deadline. A batch writes encoded bytes (write), takes what has arrived (fill), and decodes
     * only whole replies (arrivedReplies). So serving one node never waits for another.
     *
     * Opening has steps for the same reason: connect, encrypt, handshake, open. Jedis reconnects
     * a closed socket by itself. That is turned off, because a connection that Jedis has opened
     * again would have skipped the handshake.
     */
    private enum State {
        NEW,
        OPENING,
        HANDSHAKE,
        OPEN,
        CLOSED
    }

    /** The seat of a connection beyond the pool's size, which is closed when it is settled. */
    public static final int NO_SEAT = -1;

    public boolean isLeft; // Its lease ended in an Error, so its state is unknown.

    private final NodeSocket.Factory source;
    private final Endpoint endpoint;
    private final Handshake handshake;
    private State state = State.NEW;
    private final Lease lease = new Lease();
    private Deadline deadline = Deadline.NONE;
    private Opening opening;
    private NodeSocket socket;
    private Framing framing;
    private ReplyStream replies;
    private long decoded;
    private int judged;
    private String said = ""; // The name by which it has introduced itself.
    private boolean wasOpen;
    private boolean isReused;
    private boolean hasOldName;
    private boolean isSpent; // Must not be used again, though its exchanges ended well.
    private boolean isSubscribed;
    private final int seat;
    // When it last had a whole answer; or was made, opened, or kept while it was being opened.
    private long heardNs = Clock.nowNs();
    private long expiresNs; // Has no meaning before it is open, or without an age.
    private int idleChecks; // Checks while it was idle, since its last lease.
    // Shared by the caller, which may begin a long wait, and the thread that closes the client.
    private volatile boolean waitsLong;
    private volatile boolean isAborted;

    public NodeConnection(Endpoint endpoint, Handshake handshake, int seat) {
        this(new NodeSocket.Factory(endpoint.name()), endpoint, handshake, seat);
    }

    // Opening sets the fields that are null here. An open connection needs no check.
    @SuppressWarnings("NullAway.Init")
    private NodeConnection(
            NodeSocket.Factory source, Endpoint endpoint, Handshake handshake, int seat) {
        super(builder().socketFactory(source));
        this.seat = seat;
        this.source = source;
        this.endpoint = endpoint;
        this.handshake = handshake;
    }

    /* ---- Opening ---- */

    /** Begins a call. The call ends by this deadline, with all that is done until settle. */
    public void use(Deadline deadline) {
        this.isReused = state == State.OPEN;
        this.hasOldName = isReused && !said.equals(handshake.name());
        this.idleChecks = 0;
        if (waitsLong) {
            waitsLong = false;
        }
        lease.begin(deadline);
        until(deadline, null);
    }

    public Lease lease() {
        return lease;
    }

    /** Its seat in the pool. */
    public int seat() {
        return seat;
    }

    /** Counts a check of the idle connection. Returns how many there were since its last lease. */
    public int seenAgain() {
        return ++idleChecks;
    }

    /**
     * Replaces the deadline, because a command blocks or another call begins. {@code successor}:
     * where the command may go although it was sent here; {@code null} if it may not.
     */
    public void until(Deadline deadline, @Nullable Successor successor) {
        this.deadline = deadline;
        lease.until(deadline);
        if (socket != null) {
            socket.use(deadline, successor);
        }
        if (!deadline.hasLength(endpoint.timeoutMs())) {
            mayWaitLong();
        }
    }

    private void mayWaitLong() {
        waitsLong = true;
        if (isAborted) {
            abort();
        }
    }

    /**
     * The client is closed: ends the wait of a blocking command, now or as soon as it begins. Other
     * calls end by themselves. Any thread.
     */
    public void abort() {
        isAborted = true;
        NodeSocket opened = socket;
        if (waitsLong && opened != null) {
            opened.abort();
        }
    }

    /** Opens the connection if necessary. Waits for that, unless the call knows a successor. */
    public void open(Successor successor) throws IOException {
        while (!tryOpen()) {
            if (successor.isKnown()) {
                throw explained(successor.left());
            }
            if (state == State.OPENING) {
                opening.awaitAWhile(deadline, successor);
            } else {
                socket.awaitAWhile(SelectionKey.OP_READ, successor);
            }
        }
    }

    /** Takes the steps of opening that need no wait. True if the connection is open. */
    public boolean tryOpen() throws IOException {
        if (state == State.NEW) {
            opening = new Opening(endpoint, lease);
            state = State.OPENING;
        }
        if (state == State.OPENING) {
            boolean isOver = opening.isOver(deadline);
            socket = opening.socket();
            if (isOver) {
                sendHandshake();
            }
        }
        if (hasOldName) { // Done only before the first command of a lease.
            hasOldName = false;
            sendSteps(handshake.introduction());
        }
        if (state == State.HANDSHAKE) {
            judgeHandshake();
        }
        if (state == State.CLOSED) {
            throw new IOException(Message.LOST.what());
        }
        return state == State.OPEN;
    }

    /** What the connection waits for before its handshake; {@code null} from the handshake on. */
    public @Nullable Opening opening() {
        return state == State.OPENING ? opening : null;
    }

    /** Makes the failure of a wait say what the wait was for. */
    public IOException explained(IOException failure) {
        return state == State.OPENING ? opening.explained(failure) : failure;
    }

    /** What a selector waits for until {@link #tryOpen} or {@link #fill} can make progress. */
    public int interest() {
        return state == State.OPENING ? opening.interest() : SelectionKey.OP_READ;
    }

    private void sendHandshake() throws IOException {
        source.give(socket);
        ReplyGuard guard = new ReplyGuard(socket.incoming());
        framing = guard.framing();
        replies = new ReplyStream(guard);
        super.connect();
        protocol = RedisProtocol.RESP2;
        lease.stepped();
        sendSteps(0);
    }

    /** Sends the steps of the handshake from this one on. */
    private void sendSteps(int first) {
        state = State.HANDSHAKE;
        judged = first;
        said = handshake.name();
        handshake.from(first).forEach(this::sendCommand);
        flush();
    }

    private void judgeHandshake() throws IOException {
        fill();
        while (arrivedReplies() > 0) {
            handshake.judge(judged, nextReply());
            judged++;
        }
        if (judged == handshake.size()) {
            requireSilence(); // Unasked bytes would be taken for the reply to the first command.
            state = State.OPEN;
            if (waitsLong) {
                mayWaitLong();
            }
            lease.stepped();
            // A connection without a seat could not serve the next call.
            lease.opened(received(), endpoint.isSlow() && seat != NO_SEAT);
            heardNs = lease.steppedNs();
            expiresNs = wasOpen ? expiresNs : heardNs + endpoint.ageNs();
            wasOpen = true;
            if (lease.isReadyLate()) { // The answer to a command would also come too late.
                throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
            }
        }
    }

    /* ---- A batch: bytes in, whole replies out, no waiting ---- */

    /**
     * Writes what the kernel takes now. {@code commands} begin in these bytes, and their replies
     * are pending from now on.
     */
    public int write(ByteBuffer requests, int commands) throws IOException {
        framing.owe(commands);
        return socket.write(requests);
    }

    /** Writes all requests, which have that many commands. Waits if necessary. */
    public void send(RequestBuffer requests, int commands) {
        boolean isSent = false;
        try {
            framing.owe(commands);
            socket.writeAll(requests);
            isSent = true;
        } catch (IOException failure) {
            throw new JedisConnectionException(failure);
        } finally {
            if (!isSent) {
                setBroken();
            }
        }
    }

    /** Takes what has arrived. Returns the number of bytes. */
    public int fill() throws IOException {
        socket.waits(false);
        try {
            int count = replies.fill();
            return socket.hasBuffered() ? count + fillRest() : count;
        } finally {
            socket.waits(true);
        }
    }

    /** Takes what TLS has received already: no selector would report it. */
    private int fillRest() throws IOException {
        int count = 0;
        try {
            while (socket.hasBuffered()) {
                count += replies.fill();
            }
        } catch (EOFException ended) {
            // The next call throws it again, after the bytes that came before it were used.
        }
        return count;
    }

    /**
     * From now on the node sends messages unasked. They count as replies here, and the connection
     * is not used again.
     */
    public void subscribe() {
        framing.subscribe();
        isSubscribed = true;
    }

    /**
     * Waits until that many whole replies have arrived. Gives up, and returns false, once more than
     * that many bytes have come.
     */
    public boolean awaitReplies(int count, long bytesMax) throws IOException {
        long before = received();
        while (arrivedReplies() < count && received() - before <= bytesMax) {
            if (fill() == 0) {
                socket.await(SelectionKey.OP_READ);
            } else if (arrivedReplies() < count) {
                requireTime();
            }
        }
        return arrivedReplies() >= count;
    }

    /** Throws if the deadline has passed, and the moment in which arrived bytes are still read. */
    public void requireTime() throws IOException {
        if (socket.isOver()) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
    }

    /** The number of whole replies that have arrived and are not decoded yet. */
    public long arrivedReplies() {
        return framing.answered() + (isSubscribed ? framing.pushed() : 0) - decoded;
    }

    /** Decodes the next reply. An error reply is returned, not thrown; a nil is {@code null}. */
    public @Nullable Object nextReply() {
        try {
            return getUnflushedObject();
        } catch (JedisDataException answer) {
            return answer;
        }
    }

    /** The socket, once connecting has begun. */
    public NodeSocket socket() {
        return socket;
    }

    /** Bytes that the kernel has taken since the connection was made. */
    public long written() {
        return socket == null ? 0 : socket.written();
    }

    /** Bytes received since the connection was made. */
    public long received() {
        return socket == null ? 0 : socket.received();
    }

    /**
     * Throws if more has come than was asked for. If a call has several replies, call this when
     * nothing is pending, before one of them is believed.
     */
    public void requireSilence() throws WireException {
        if (!framing.isClean() || !replies.isEmpty() || socket.hasMore()) {
            throw new WireException(Message.WIRE_SURPLUS);
        }
    }

    /* ---- The verdict ---- */

    /** True if it was open before this lease, so the node may have closed it while it was idle. */
    public boolean isReused() {
        return isReused;
    }

    /** True if this lease has found the connection dead: it was reused, and nothing came. */
    public boolean wasStale() {
        return isReused && !lease.hasHeard(received());
    }

    /** True if a byte has come in this lease, after the opening if this lease has opened it. */
    public boolean hasBegunToAnswer() {
        return lease.hasHeard(received());
    }

    /** Notes that every command of a call was answered at this instant of the clock. */
    public void heard(long nowNs) {
        heardNs = nowNs;
    }

    /** Ends the lease. The age of a half opened connection counts from now. */
    public void settle() {
        if (socket != null) {
            socket.forgetCaller();
        }
        if (isOpening()) {
            heardNs = Clock.nowNs();
        }
    }

    /** True if the last answer came at or before that instant. */
    public boolean isAsOldAs(long ns) {
        return heardNs - ns <= 0;
    }

    /** True if its handshake has ever ended well. */
    public boolean wasOpen() {
        return wasOpen;
    }

    /** True if this lease has opened it, and has sent a command that is not answered. */
    public boolean isOwedAfterOpening() {
        return wasOpen && !isReused && framing.owed() > 0;
    }

    /** True if the node has ever accepted the connection. */
    public boolean wasConnected() {
        return framing != null;
    }

    /** True if every command has its whole reply. */
    public boolean isAnswered() {
        return framing != null && framing.owed() == 0;
    }

    /** True if nothing was done yet to open the connection. */
    public boolean isNew() {
        return state == State.NEW;
    }

    /** True if the next lease goes on with opening it. */
    private boolean isOpening() {
        return (state == State.OPENING && opening.isConnected() || state == State.HANDSHAKE)
                && !isBroken();
    }

    /**
     * True if the connection is kept although the deadline has passed before a command was sent:
     * the node answers, but slowly.
     */
    public boolean isKeptAfter(Throwable failure) {
        return failure instanceof SocketTimeoutException
                && (lease.isReadyLate() ? isClean() : lease.hasStepped() && isOpening());
    }

    /** True if the next lease may have this connection. */
    public boolean isKept() {
        return isClean() || isOpening();
    }

    /**
     * True if the connection may be leased, in two cases. It is not open yet, and the node has not
     * closed it. Or it is clean, not too old and not spent, and its socket has no unread byte.
     */
    public boolean isUsable() {
        return state == State.NEW
                || isOpening() && !hasEnded()
                || isClean() && !isSpent && !isTooOld() && !socket.hasSurplus();
    }

    /**
     * True if the node has closed a connection that is being opened. What the node sent before that
     * is taken first, and kept.
     */
    private boolean hasEnded() {
        try {
            if (state == State.OPENING) {
                boolean isOver = socket.finishTls(); // One call receives only once.
                return (isOver || socket.finishTls()) && socket.hasSurplus();
            }
            if (fill() > 0) {
                fill();
            }
            return false;
        } catch (IOException ended) {
            return true;
        }
    }

    private boolean isTooOld() {
        return endpoint.hasAge() && Clock.nowNs() - expiresNs >= 0;
    }

    /** True if all exchanges of the connection ended well. Only then may it be used again. */
    public boolean isClean() {
        return state == State.OPEN && !isBroken() && framing.isClean() && replies.isEmpty();
    }

    /* ---- What Jedis calls ---- */

    @Override
    public void connect() {
        if (!isConnected()) {
            throw new JedisConnectionException(new IOException(Message.LOST.what()));
        }
    }

    /** True if the handshake is over. Before that, replies belong to the handshake. */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isConnected() {
        return state == State.HANDSHAKE || state == State.OPEN;
    }

    @Override
    public void sendCommand(CommandArguments arguments) {
        framing.owe(1);
        super.sendCommand(arguments);
    }

    @Override
    protected Object protocolRead(RedisInputStream unused, PushConsumerChain pushes) {
        // Jedis could take a push for the reply. Without HELLO 3 a node sends no push.
        if (replies.peek((byte) '>')) {
            throw new JedisConnectionException(new WireException(Message.WIRE_PUSH));
        }
        String error = replies.peek((byte) '-') ? errorLine() : null;
        try {
            return super.protocolRead(replies, pushes);
        } catch (JedisDataException answer) {
            String text = Failure.text(answer);
            lease.refused(Health.isUnwell(text), Learnt.denied(text));
            isSpent |= mustEndAfter(text);
            if (answer instanceof JedisMovedDataException && !endpoint.isOfCluster()) {
                throw Failure.of(
                        Message.IN_CLUSTER,
                        endpoint.nodeName(),
                        Outcome.ANSWERED,
                        null,
                        Shown.of(text));
            }
            throw answer;
        } catch (NumberFormatException
                | IndexOutOfBoundsException unreadable) { // Jedis could not parse a MOVED.
            throw error == null ? unreadable : new JedisDataException(error);
        } finally {
            decoded++;
        }
    }

    /**
     * True if the connection must end because the node is a replica now: its name may lead to
     * another node. If the node has ended a wait for that reason, it closes the connection itself.
     */
    private boolean mustEndAfter(String error) {
        return Redirect.endsWaits(error)
                || !endpoint.isOfCluster()
                        && Words.REFUSED_AS_REPLICA.contains(Redirect.word(error));
    }

    /** The text of the next reply, which is an error. Waits until it has arrived whole. */
    private String errorLine() {
        try {
            awaitReplies(1, Long.MAX_VALUE);
        } catch (IOException failure) {
            throw new JedisConnectionException(failure);
        }
        return replies.line();
    }

    /** Closes the socket. Bytes in Jedis' buffer are not sent. */
    @Override
    public void disconnect() {
        state = State.CLOSED;
        setBroken();
        if (opening != null) {
            opening.end(received() > 0);
        }
    }

    @Override
    public void close() {
        disconnect();
    }
}
