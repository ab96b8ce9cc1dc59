package io.onehop.jedis.internal.connection;

import io.onehop.core.health.Health;
import io.onehop.core.wire.ReplyGuard;
import io.onehop.core.wire.WireException;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.request.RequestBuffer;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.Connection;
import redis.clients.jedis.PushConsumerChain;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.util.RedisInputStream;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * One connection to one node: Jedis' Connection over our socket, with the wire guard between.
 *
 * <p>Made without touching the network, opened when first leased, used by one thread at a time. It
 * always knows whether it is clean: nothing owed, nothing half read, nothing wrong. Only then may
 * it be used again.
 */
public final class NodeConnection extends Connection {
    /*
     * Two ways of use. A single command goes through Jedis' own executeCommand: it encodes, writes, reads, decodes, and
     * our streams beneath wait no longer than the deadline. A batch writes ready-made bytes (write), takes what arrives
     * (fill), and decodes only replies that are whole (arrivedReplies), so that serving one node never waits for another.
     *
     * Opening is in steps for the same reason: connect, handshake, open. Jedis' habit of connecting again by itself when
     * a socket is closed is turned off: such a connection would have skipped the handshake.
     */
    private enum State {
        NEW,
        RESOLVING,
        CONNECTING,
        GREETING,
        OPEN,
        CLOSED
    }

    /** In place of a seat: one more than the pool has, which is closed when it is settled. */
    public static final int NO_SEAT = -1;

    /** Its lease has ended in an Error: nobody knows how far it got. */
    public boolean isLeft;

    private final NodeSocket.Factory source;
    private final Endpoint endpoint;
    private final Handshake handshake;
    private State state = State.NEW;
    private final Lease lease = new Lease();
    private Deadline deadline = Deadline.NONE;
    private CompletableFuture<List<SocketAddress>> addresses;
    private Connector connector;
    private NodeSocket socket;
    private ReplyGuard guard;
    private ReplyStream replies;
    private long decoded;
    private int greeted;
    private boolean isReused;
    private boolean isSubscribed;
    private final int seat;
    private int looks; // At it while it idled, since it was leased last.

    public NodeConnection(Endpoint endpoint, Handshake handshake, int seat) {
        this(new NodeSocket.Factory(endpoint.name()), endpoint, handshake, seat);
    }

    private NodeConnection(
            NodeSocket.Factory source, Endpoint endpoint, Handshake handshake, int seat) {
        super(builder().socketFactory(source));
        this.seat = seat;
        this.source = source;
        this.endpoint = endpoint;
        this.handshake = handshake;
    }

    /* ---- Opening ---- */

    /** A call begins: everything until it is settled ends by this deadline. */
    public void use(Deadline deadline) {
        this.isReused = state == State.OPEN;
        this.looks = 0;
        lease.begin(deadline);
        until(deadline);
    }

    public Lease lease() {
        return lease;
    }

    /** Where it is in its pool. */
    public int seat() {
        return seat;
    }

    /** How often it was looked at since it was leased last, this time included. */
    public int seenAgain() {
        return ++looks;
    }

    /**
     * Everything from now on ends by this deadline: what is waited for takes longer, or another
     * call begins.
     */
    public void until(Deadline deadline) {
        this.deadline = deadline;
        lease.until(deadline);
        if (socket != null) {
            socket.use(deadline);
        }
    }

    /** Opens the connection if it is not open yet, waiting as needed. */
    public void open() throws IOException {
        while (!tryOpen()) {
            if (isResolving()) {
                Endpoint.await(addresses, deadline);
            } else {
                socket.await(interest());
            }
        }
    }

    /** Goes as far towards being open as is possible without waiting; tells whether it is open. */
    public boolean tryOpen() throws IOException {
        if (state == State.NEW) {
            addresses = endpoint.addresses();
            state = State.RESOLVING;
        }
        if (isResolving() && !addresses.isDone()) {
            return false;
        }
        if (isResolving()) {
            connector = new Connector(Endpoint.await(addresses, deadline), deadline);
            socket = connector.socket();
            state = State.CONNECTING;
        }
        if (state == State.CONNECTING) {
            boolean isConnected = connector.isConnected();
            socket = connector.socket();
            if (isConnected) {
                greet();
            }
        }
        if (state == State.GREETING) {
            judgeHandshake();
        }
        if (state == State.CLOSED) {
            throw new IOException("the connection is closed");
        }
        return state == State.OPEN;
    }

    /**
     * Whether there is no socket yet, because a name is being looked up or was found this moment.
     */
    public boolean isResolving() {
        return state == State.RESOLVING;
    }

    /** Has this done once the name was looked up, at once if it was. By any thread. */
    public void whenResolved(Runnable action) {
        addresses.whenComplete((found, failure) -> action.run());
    }

    /** What to wait for before {@link #tryOpen} or {@link #fill} can get on. */
    public int interest() {
        return state == State.CONNECTING ? SelectionKey.OP_CONNECT : SelectionKey.OP_READ;
    }

    private void greet() throws IOException {
        source.give(socket);
        guard = new ReplyGuard(socket.incoming(), () -> {});
        replies = new ReplyStream(guard);
        super.connect();
        protocol = RedisProtocol.RESP2;
        state = State.GREETING;
        for (int i = 0; i < handshake.size(); i++) {
            sendCommand(handshake.command(i));
        }
        flush();
    }

    private void judgeHandshake() throws IOException {
        fill();
        while (arrivedReplies() > 0) {
            handshake.judge(greeted, nextReply());
            greeted++;
        }
        if (greeted == handshake.size()) {
            // It would be taken for the answer to the first command, which is not sent yet.
            if (!guard.isClean() || !replies.isEmpty()) {
                throw new WireException("more than the handshake asked for");
            }
            state = State.OPEN;
        }
    }

    /* ---- A batch: bytes in, whole replies out, no waiting ---- */

    /**
     * Writes what the kernel takes now of requests in which so many commands begin, and whose
     * replies are owed now.
     */
    public int write(ByteBuffer requests, int commands) throws IOException {
        guard.owe(commands);
        return socket.write(requests);
    }

    /** Writes requests in which so many commands are, to the last byte, waiting as needed. */
    public void send(RequestBuffer requests, int commands) {
        boolean isSent = false;
        try {
            guard.owe(commands);
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

    /** Takes what has arrived; tells how many bytes. */
    public int fill() throws IOException {
        socket.waits(false);
        try {
            return replies.fill();
        } finally {
            socket.waits(true);
        }
    }

    /**
     * The node speaks unasked from now on; what it says counts as a reply here, and the connection
     * is not used again.
     */
    public void subscribe() {
        guard.subscribe();
        isSubscribed = true;
    }

    /** Whole replies that have arrived and are not decoded yet. */
    public long arrivedReplies() {
        return guard.answered() + (isSubscribed ? guard.pushed() : 0) - decoded;
    }

    /** Decodes the next reply; an error the node answered is returned, not thrown. */
    public Object nextReply() {
        try {
            return getUnflushedObject();
        } catch (JedisDataException answer) {
            return answer;
        }
    }

    public NodeSocket socket() {
        return socket;
    }

    /** How many bytes the node's kernel has been given, over the life of the connection. */
    public long written() {
        return socket == null ? 0 : socket.written();
    }

    /* ---- The verdict ---- */

    /** Whether it had served before this lease, so that the node may have closed it meanwhile. */
    public boolean isReused() {
        return isReused;
    }

    /** Whether the node has ever accepted it. */
    public boolean wasConnected() {
        return guard != null;
    }

    /** Whether every command sent was answered by a whole reply. */
    public boolean isAnswered() {
        return guard != null && guard.owed() == 0;
    }

    /** Whether it may be leased: not opened yet, or clean and with nothing unread in the socket. */
    public boolean isUsable() {
        return state == State.NEW || isClean() && !socket.hasSurplus();
    }

    /** Whether its exchanges all ended well: the only state in which it may be used again. */
    public boolean isClean() {
        return state == State.OPEN && !isBroken() && guard.isClean() && replies.isEmpty();
    }

    /* ---- What Jedis calls ---- */

    @Override
    public void connect() {
        if (!isConnected()) {
            throw new JedisConnectionException(new IOException("the connection is closed"));
        }
    }

    /**
     * Whether it is greeted and may carry commands; before that what arrives are answers to the
     * handshake.
     */
    public boolean isOpen() {
        return state == State.OPEN;
    }

    @Override
    public boolean isConnected() {
        return state == State.GREETING || state == State.OPEN;
    }

    @Override
    public void sendCommand(CommandArguments arguments) {
        guard.owe(1);
        super.sendCommand(arguments);
    }

    @Override
    protected Object protocolRead(RedisInputStream unused, PushConsumerChain pushes) {
        // Jedis could take a push for the reply; without HELLO 3 there is none.
        if (replies.peek((byte) '>')) {
            throw new JedisConnectionException(new WireException("a push frame in RESP2"));
        }
        String error = replies.peek((byte) '-') ? errorLine() : null;
        try {
            return super.protocolRead(replies, pushes);
        } catch (JedisDataException answer) {
            lease.refused(Health.isUnwell(answer.getMessage()));
            if (answer instanceof JedisMovedDataException && !endpoint.isOfCluster()) {
                throw Failure.ofCluster(answer.getMessage(), endpoint.nodeName());
            }
            throw answer;
        } catch (NumberFormatException
                | IndexOutOfBoundsException unreadable) { // Of a MOVED whose line is read.
            throw error == null ? unreadable : new JedisDataException(error);
        } finally {
            decoded++;
        }
    }

    /** The error that comes next, when all of it is here. */
    private String errorLine() {
        try {
            while (arrivedReplies() == 0) {
                if (fill() == 0) {
                    socket.await(SelectionKey.OP_READ);
                } else if (deadline.hasPassed()) {
                    throw new SocketTimeoutException("the deadline passed");
                }
            }
        } catch (IOException failure) {
            throw new JedisConnectionException(failure);
        }
        return replies.line();
    }

    /** Closes the socket; what Jedis may have buffered is not sent. */
    @Override
    public void disconnect() {
        state = State.CLOSED;
        setBroken();
        if (socket != null) {
            socket.close();
        }
    }

    @Override
    public void close() {
        disconnect();
    }
}
