package io.onehop.jedis.internal.connection;

import io.onehop.jedis.internal.request.RequestBuffer;

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

/**
 * One socket to one node, TCP or unix, that never waits beyond the deadline: neither connecting,
 * nor reading, nor writing.
 *
 * <p>Used by the thread that leased its connection; no other. After it on the road: the node's
 * kernel.
 */
public final class NodeSocket extends Socket {
    /*
     * Java's blocking sockets know no timeout for writing, and a node that hangs stops reading. So the channel is never
     * blocking: read and write do what can be done now, and all waiting is one select with what is left of the
     * deadline. The selector is the socket's own, with the one key in it; it costs two descriptors, and closing is
     * immediate, as a shared one would keep a closed channel's descriptor until it selects again.
     *
     * Jedis wants a java.net.Socket and takes streams from it, so this is dressed as one. Its streams wait (they are
     * read when a caller needs the bytes); Scatter, which serves many nodes at once, turns waiting off for the time
     * being.
     */

    /** Hands Jedis a socket that is connected already. */
    public static final class Factory extends DefaultJedisSocketFactory {
        private NodeSocket socket;

        public Factory(String name) {
            super(new HostAndPort(name, 0));
        }

        void give(NodeSocket connected) {
            socket = connected;
        }

        @Override
        public Socket createSocket() {
            return socket;
        }
    }

    /*
     * The JDK copies a heap buffer into a direct one of the same size and keeps that for the thread: so no larger ones.
     */
    private static final int WRITE_BYTES_MAX = 1 << 16;

    private final SocketChannel channel;
    private final Selector selector;
    private final SelectionKey key;
    private final ByteBuffer peeked = ByteBuffer.allocateDirect(1);
    private Deadline deadline = Deadline.NONE;
    private boolean waits = true;
    private boolean hasJustWritten;
    private long written;
    private long received;
    private ByteBuffer readView = ByteBuffer.allocate(0);
    private ByteBuffer writeView = ByteBuffer.allocate(0);

    /** A socket that has begun to connect; {@link #finishConnect} tells when it is done. */
    NodeSocket(SocketChannel channel, Selector selector) throws IOException {
        this.channel = channel;
        this.selector = selector;
        this.key = channel.register(selector, 0);
    }

    boolean finishConnect() throws IOException {
        return channel.finishConnect();
    }

    /** The deadline of the call that uses the socket from now on. */
    void use(Deadline deadline) {
        this.deadline = deadline;
    }

    /**
     * Whether the input stream waits for bytes (as Jedis expects) or answers 0 when none have
     * arrived.
     */
    void waits(boolean waits) {
        this.waits = waits;
    }

    /** How many bytes the kernel has taken since the socket was made. */
    public long written() {
        return written;
    }

    /** How many bytes have come since the socket was made. */
    public long received() {
        return received;
    }

    public SocketChannel channel() {
        return channel;
    }

    /**
     * Waits until one of the operations (of {@link SelectionKey}) can be tried, or the deadline
     * passes, or the thread is interrupted.
     */
    public void await(int operations) throws IOException {
        boolean isReady = false;
        while (!isReady) {
            // One look at the clock for each wait: it may be a slow one.
            long left = deadline.waitNs();
            if (left == 0) {
                throw new SocketTimeoutException("the deadline passed");
            }
            isReady = awaitMs(operations, Deadline.selectMs(left));
        }
    }

    /**
     * Waits so many milliseconds at most, 0 being for ever; tells whether one of the operations can
     * be tried.
     */
    public boolean awaitMs(int operations, long ms) throws IOException {
        if (key.interestOps() != operations) {
            key.interestOps(operations);
        }
        boolean ready = selector.select(ignored -> {}, ms) > 0;
        if (!ready && Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException("the calling thread was interrupted");
        }
        return ready;
    }

    /** Writes what the kernel takes now, without waiting; tells how many bytes that was. */
    int write(ByteBuffer bytes) throws IOException {
        int count = channel.write(bytes);
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
            if (count == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
    }

    /** Writes all of them, waiting as needed. */
    void writeAll(RequestBuffer requests) throws IOException {
        long left = requests.length();
        while (left > 0) {
            int count = write(requests.next(WRITE_BYTES_MAX));
            requests.advance(count);
            left -= count;
            if (count == 0) {
                await(SelectionKey.OP_WRITE);
            }
        }
    }

    /** Reads at least one byte, or none if none have arrived and waiting is turned off. */
    private int read(byte[] into, int offset, int length) throws IOException {
        if (!waits) {
            return readNow(into, offset, length);
        }
        boolean isAwaited = hasJustWritten; // The answer cannot be here yet: one system call saved.
        hasJustWritten = false;
        int count = isAwaited ? 0 : readNow(into, offset, length);
        while (count == 0) {
            await(SelectionKey.OP_READ);
            isAwaited = true;
            count = readNow(into, offset, length);
        }
        // A node that never pauses must not read on for ever either.
        if (!isAwaited && deadline.hasPassed()) {
            throw new SocketTimeoutException("the deadline passed");
        }
        return count;
    }

    private int readNow(byte[] into, int offset, int length) throws IOException {
        readView = view(readView, into, offset, length);
        int count = channel.read(readView);
        if (count < 0) {
            throw new EOFException("the node closed the connection");
        }
        received += count;
        return count;
    }

    /**
     * Jedis reads into one array, and writes from one, for the life of a connection: one view of
     * each is enough.
     */
    private static ByteBuffer view(ByteBuffer before, byte[] bytes, int offset, int length) {
        ByteBuffer view = before.array() == bytes ? before : ByteBuffer.wrap(bytes);
        return view.limit(offset + length).position(offset);
    }

    /**
     * Whether a byte or the end of the stream has arrived that nobody waits for; the byte is gone
     * then, and the socket of no more use.
     */
    boolean hasSurplus() {
        try {
            return channel.read(peeked.clear()) != 0;
        } catch (IOException broken) {
            return true;
        }
    }

    /** Whether the node has said something that nobody waits for; a byte of it is gone then. */
    public boolean hasSpoken() {
        return hasSurplus() && peeked.position() > 0;
    }

    /** The bytes of the node, for the guard to look at. */
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
     * Nothing: Jedis reads replies through the guard only, and what it would read past it nobody
     * counted.
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
        return 0; // Jedis copies it; the deadline is ours to keep.
    }

    /** Nothing, for the same reason: Jedis sets it around what may block. */
    @Override
    public void setSoTimeout(int ignored) {
        // A java.net.Socket would open a descriptor only to remember it.
    }

    /** Closes the descriptors at once. */
    @Override
    public void close() {
        if (!channel.isOpen() && !selector.isOpen()) {
            return;
        }
        StackRoom.require();
        try {
            try {
                selector.close();
            } finally {
                channel.close();
            }
        } catch (IOException ignored) {
            // They are gone all the same.
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }
}
