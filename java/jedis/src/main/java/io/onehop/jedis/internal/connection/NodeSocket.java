package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.jedis.internal.request.RequestBuffer;
import io.onehop.jedis.internal.tls.Tls;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.DefaultJedisSocketFactory;
import redis.clients.jedis.HostAndPort;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;

/**
 * One socket to one node, TCP or unix. Connecting, reading and writing never wait longer than the
 * deadline.
 *
 * <p>Used only by the thread that leased its connection.
 */
public final class NodeSocket extends Socket {
    /*
     * Java's blocking sockets have no timeout for writing, and a node that hangs stops reading.
     * So the channel is never blocking. Read and write do what is possible now, and every wait is
     * one select with the time that remains. Each socket has its own selector with one key. That
     * costs two descriptors, but closing is immediate; a shared selector would keep a closed
     * channel's descriptor until its next select.
     *
     * Jedis needs a java.net.Socket and its streams, so this class extends it. The streams wait,
     * because Jedis reads them when it needs bytes. Scatter serves many nodes, so it turns
     * waiting off.
     */

    /** Gives Jedis a socket that is already connected. */
    public static final class Factory extends DefaultJedisSocketFactory {
        private @Nullable NodeSocket socket;

        public Factory(String name) {
            super(new HostAndPort(name, 0));
        }

        void give(NodeSocket connected) {
            socket = connected;
        }

        @Override
        public Socket createSocket() {
            return Objects.requireNonNull(socket, "give() comes first");
        }
    }

    /*
     * The JDK copies a heap buffer into a direct buffer of the same size, which the thread keeps.
     * So larger buffers are avoided.
     */
    private static final int WRITE_BYTES_MAX = 1 << 16;

    /*
     * How long bytes that have arrived are still read after the deadline. Unless its thread is
     * stopped, a call is over within 25 ms after its deadline.
     */
    private static final long GRACE_NS = 10_000_000;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer peeked = ByteBuffer.allocateDirect(1);
    private Deadline deadline = Deadline.NONE;
    private long lateNs; // When isOver() first saw that the deadline had passed; 0 until then.
    private @Nullable Successor successor; // Null: the call stays.
    private long heard; // Bytes received before the request of the call.
    private boolean waits = true;
    private volatile boolean isAborted;
    private boolean hasJustWritten;
    private boolean isFilled; // The last read had no more room.
    private long written;
    private long received;
    private @Nullable TlsChannel tls; // Null for a plain connection.
    private ByteBuffer readView = ByteBuffer.allocate(0);
    private ByteBuffer writeView = ByteBuffer.allocate(0);

    /**
     * A socket that has begun to connect. {@link #finishConnect} returns true when it is connected.
     */
    NodeSocket(SocketChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.key = channel.register(selector, 0);
    }

    boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    /** Begins TLS. Once {@link #finishTls} is true, all that is written and read is encrypted. */
    void encrypt(Tls by, String host, int port) throws IOException {
        tls = new TlsChannel(channel, by, host, port);
    }

    /** Takes the steps of the TLS handshake that need no wait. True when it has ended. */
    boolean finishTls() throws IOException {
        return tls == null || tls.finishHandshake();
    }

    /** The operation to wait for before {@link #finishTls} can make progress. */
    int interestOfTls() {
        return tls == null ? SelectionKey.OP_READ : tls.interest();
    }

    /**
     * True if there are bytes to read that no selector knows of, because they are decrypted
     * already.
     */
    boolean hasBuffered() {
        return tls != null && tls.hasBuffered();
    }

    /** Sets the deadline of the call that uses the socket from now on. */
    void use(Deadline deadline) {
        use(deadline, null);
    }

    /** Uses the socket for a call that may leave its node until a byte of an answer has come. */
    void use(Deadline deadline, @Nullable Successor successor) {
        this.deadline = deadline;
        this.successor = successor;
        heard = received;
        lateNs = 0;
    }

    /** Forgets the call that is over, because its arguments may be large. */
    void forgetCaller() {
        successor = null;
    }

    /**
     * True if the deadline has passed, and also the moment after it in which bytes that have
     * arrived are still read. That moment begins with the first check after the deadline: this
     * thread may have been stopped until then. A node that never stops sending cannot prolong that
     * moment.
     */
    boolean isOver() {
        if (!deadline.hasPassed()) {
            return false;
        }
        long nowNs = Clock.nowNs();
        lateNs = lateNs == 0 ? nowNs : lateNs;
        return nowNs - lateNs >= GRACE_NS;
    }

    /**
     * Sets whether the input stream waits for bytes, as Jedis expects, or returns 0 if none have
     * arrived.
     */
    void waits(boolean waits) {
        this.waits = waits;
    }

    /** Bytes that the kernel has taken since the socket was made. */
    public long written() {
        return written;
    }

    /** Bytes received since the socket was made. */
    public long received() {
        return received;
    }

    public SocketChannel channel() {
        return channel;
    }

    /**
     * Waits until one of the operations (of {@link SelectionKey}) is possible. After the deadline
     * it still looks for bytes, because this thread may have been stopped while they arrived.
     *
     * @throws IOException if the deadline passes, the call leaves or the thread is interrupted
     */
    public void await(int operations) throws IOException {
        while (!isReady(operations, successor)) {
            if (successor != null && received == heard && successor.isKnown()) {
                throw successor.left();
            }
        }
    }

    /** Like {@link #await}, but at most until the call should check for a successor. */
    void awaitAWhile(int operations, Successor checking) throws IOException {
        isReady(operations, checking);
    }

    private boolean isReady(int operations, @Nullable Successor checking) throws IOException {
        // One read of the clock for each wait, because it may be slow.
        long left = deadline.waitNs();
        boolean isReady =
                left == 0
                        ? hasArrived(operations)
                        : awaitMs(
                                operations,
                                checking == null
                                        ? Deadline.selectMs(left)
                                        : checking.checkMs(left));
        if (left == 0 && !isReady) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
        return isReady;
    }

    /**
     * Waits at most that many milliseconds; 0: forever. True if one of the operations is possible.
     */
    public boolean awaitMs(int operations, long ms) throws IOException {
        if ((operations & SelectionKey.OP_READ) != 0 && hasBuffered()) {
            return true;
        }
        watch(operations);
        boolean ready = selector.select(ignored -> {}, ms) > 0;
        if (!ready && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(Message.INTERRUPTED.what());
        }
        return ready;
    }

    private boolean hasArrived(int operations) throws IOException {
        if ((operations & SelectionKey.OP_READ) == 0 || isOver()) {
            return false;
        }
        watch(SelectionKey.OP_READ);
        return hasBuffered() || selector.selectNow(ignored -> {}) > 0;
    }

    /** Ends every wait for bytes: there will be none. Any thread. */
    void abort() {
        isAborted = true;
        try {
            channel.shutdownInput();
        } catch (IOException | RuntimeException notConnected) {
            // A socket that is not connected yet waits no longer than any call.
        }
    }

    private void watch(int operations) {
        if (key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    /** Writes what the kernel takes now, without waiting. Returns the number of bytes. */
    int write(ByteBuffer bytes) throws IOException {
        int count = tls == null ? channel.write(bytes) : tls.write(bytes);
        written += count;
        hasJustWritten = true;
        return count;
    }

    private void writeAll(byte[] bytes, int offset, int length) throws IOException {
        int end = offset + length;
        int at = offset;
        while (at < end) {
            writeView = view(writeView, bytes, at, Math.min(end - at, WRITE_BYTES_MAX));
            int count = write(writeView);
            at += count;
            if (at < end) {
                awaitRoom(count);
            }
        }
    }

    /** Waits if nothing was written. A node that always reads must not outlast the deadline. */
    private void awaitRoom(int written) throws IOException {
        if (written == 0) {
            await(SelectionKey.OP_WRITE);
        } else if (deadline.hasPassed()) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
    }

    /** Writes all requests. Waits if necessary. */
    void writeAll(RequestBuffer requests) throws IOException {
        long left = requests.length();
        while (left > 0) {
            int count = write(requests.next(WRITE_BYTES_MAX));
            requests.advance(count);
            left -= count;
            if (left > 0) {
                awaitRoom(count);
            }
        }
    }

    /** Reads at least one byte; 0 if none have arrived and waiting is turned off. */
    private int read(byte[] into, int offset, int length) throws IOException {
        if (!waits) {
            return readNow(into, offset, length);
        }
        // The reply cannot have arrived yet. So the call waits at once, which saves a system
        // call.
        boolean isAwaited = hasJustWritten;
        hasJustWritten = false;
        int count = isAwaited ? 0 : readNow(into, offset, length);
        while (count == 0) {
            await(SelectionKey.OP_READ);
            isAwaited = true;
            count = readNow(into, offset, length);
        }
        // A node that never pauses must not outlast the deadline.
        if (!isAwaited && isOver()) {
            throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
        }
        return count;
    }

    private int readNow(byte[] into, int offset, int length) throws IOException {
        readView = view(readView, into, offset, length);
        int count = received(readView);
        isFilled = count == length;
        if (count < 0) {
            throw isAborted
                    ? new IOException(Message.CLIENT_CLOSED.what())
                    : new EOFException(Message.CLOSED_BY_NODE.what());
        }
        received += count;
        return count;
    }

    private int received(ByteBuffer into) throws IOException {
        return tls == null ? channel.read(into) : tls.read(into);
    }

    /**
     * Jedis reads into one array and writes from one for the life of a connection, so one view of
     * each is enough.
     */
    private static ByteBuffer view(ByteBuffer before, byte[] bytes, int offset, int length) {
        ByteBuffer view = before.array() == bytes ? before : ByteBuffer.wrap(bytes);
        return view.limit(offset + length).position(offset);
    }

    /**
     * True if an unexpected byte or the end of the stream has arrived. Then the socket must be
     * closed, because the byte is consumed. A part of a TLS record counts as a byte.
     */
    boolean hasSurplus() {
        try {
            return received(peeked.clear()) != 0 || hasPart();
        } catch (IOException broken) {
            return true;
        }
    }

    /** True if the node has sent something unexpected. A byte of it is consumed. */
    public boolean hasSpoken() {
        return hasSurplus() && (peeked.position() > 0 || hasPart());
    }

    /**
     * True if there is more after the last read. If a read left room in its buffer, the kernel had
     * no more. But TLS returns one record, whatever else has come.
     */
    boolean hasMore() {
        return (isFilled || tls != null) && hasSpoken();
    }

    private boolean hasPart() {
        return tls != null && tls.hasPart();
    }

    /** The node's bytes, for the guard to check. */
    InputStream incoming() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return NodeSocket.this.read(one, 0, 1) == 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return NodeSocket.this.read(into, offset, length);
            }
        };
    }

    /**
     * Does nothing: Jedis reads replies only through the guard, because nobody would count bytes
     * that it read past the guard.
     */
    @Override
    public InputStream getInputStream() {
        return InputStream.nullInputStream();
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                writeAll(new byte[] {(byte) one}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                writeAll(bytes, offset, length);
            }
        };
    }

    @Override
    public int getSoTimeout() {
        return 0; // Jedis copies it, but the deadline is kept here.
    }

    /** Does nothing: Jedis sets it around blocking commands, but the deadline is kept here. */
    @Override
    public void setSoTimeout(int ignored) {
        // A java.net.Socket would open a descriptor only to store the option.
    }

    /** Closes both descriptors immediately. */
    @Override
    public void close() {
        if (!channel.isOpen() && !selector.isOpen()) {
            return;
        }
        StackRoom.require();
        try {
            closeDescriptors();
        } catch (IOException ignored) {
            // Even then the descriptors are closed.
        }
    }

    private void closeDescriptors() throws IOException {
        try {
            if (tls != null) {
                tls.close();
            }
        } finally {
            try {
                selector.close();
            } finally {
                channel.close();
            }
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }
}
