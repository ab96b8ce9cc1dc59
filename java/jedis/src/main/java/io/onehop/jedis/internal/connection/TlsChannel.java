package io.onehop.jedis.internal.connection;

import io.onehop.core.base.Message;
import io.onehop.jedis.internal.failure.TlsFailure;
import io.onehop.jedis.internal.tls.Tls;
import io.onehop.jedis.internal.tls.TlsReason;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/**
 * TLS between a socket's channel and its streams. Like the channel, it does what is possible now
 * and never waits.
 *
 * <p>Used only by the thread that leased the connection.
 */
final class TlsChannel {
    /*
     *     streams    read  <- plain <- engine <- incoming <-    channel
     *                write ----------> engine -> outgoing ->
     *
     * A write seals one record at a time. The bytes count as written when the kernel has taken
     * the whole record: a node cannot decrypt a part of a record, and so cannot have executed it.
     * Until then the caller offers the same bytes again, as after any write that the kernel has
     * not taken whole.
     *
     * A read asks the channel at most once, so a node that never pauses cannot outlast the
     * deadline. Then it decrypts as much as there is room for. If more has been received,
     * hasBuffered() is true; no selector knows of these bytes.
     *
     * All buffers are between position and limit.
     */
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /* The types of a TLS record, from change_cipher_spec to application_data. */
    private static final int RECORD_TYPE_MIN = 20;
    private static final int RECORD_TYPE_MAX = 23;

    private final SocketChannel channel;
    private final SSLEngine engine;
    private final String name;
    private ByteBuffer incoming;
    private ByteBuffer outgoing;
    private ByteBuffer plain = NOTHING;
    private int sealed; // The caller's bytes in a record that the kernel has not taken yet.
    private boolean isStarved = true; // Incoming has less than a whole record.
    private boolean isSecure;
    private @Nullable SSLSession session; // What the handshake has agreed on so far.
    private boolean hasSpoken;
    private boolean hasHeard; // The node has sent data.
    private boolean hasEnded;

    TlsChannel(SocketChannel channel, Tls tls, String host, int port) throws IOException {
        this.channel = channel;
        this.engine = tls.engine(host, port);
        this.name = tls.nameOf(host);
        this.incoming = empty(engine.getSession().getPacketBufferSize());
        this.outgoing = empty(engine.getSession().getPacketBufferSize());
        engine.beginHandshake();
    }

    private static ByteBuffer empty(int size) {
        return ByteBuffer.allocate(size).limit(0);
    }

    /* ---- The handshake ---- */

    /**
     * Takes the steps of the handshake that need no wait. True if it has ended well. Throws {@link
     * TlsFailure}.
     */
    boolean finishHandshake() throws IOException {
        try {
            return isSecure || step();
        } catch (SSLException refused) {
            throw explained(refused);
        } catch (TlsFailure known) {
            throw known;
        } catch (IOException lost) {
            throw cutOff(lost);
        }
    }

    private boolean step() throws IOException {
        boolean hasReceived = false;
        while (true) {
            session = engine.getHandshakeSession();
            switch (engine.getHandshakeStatus()) {
                case NEED_TASK -> runTasks();
                case NEED_WRAP -> seal(NOTHING);
                case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                    boolean isMoved = flush() && open(NOTHING);
                    if (!isMoved && (hasReceived || outgoing.hasRemaining() || !receive())) {
                        return false;
                    }
                    hasReceived |= !isMoved;
                }
                default -> {
                    isSecure = flush();
                    return isSecure;
                }
            }
        }
    }

    /** The operation to wait for before {@link #finishHandshake} can make progress. */
    int interest() {
        return outgoing.hasRemaining() ? SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    }

    private void runTasks() {
        for (Runnable task = engine.getDelegatedTask();
                task != null;
                task = engine.getDelegatedTask()) {
            task.run();
        }
    }

    /**
     * Tells the node that the connection is over, if that needs no wait, and returns the reason. As
     * long as no data has come, the reason is about the handshake: with TLS 1.3 a node may refuse
     * the client's certificate after it.
     */
    private IOException explained(SSLException refused) {
        sayLast();
        return hasHeard
                ? new IOException(
                        Message.TLS_BROKEN.what(String.valueOf(refused.getMessage())), refused)
                : TlsReason.of(refused, name, isNameless());
    }

    /** True if the node has shown its certificate, and this client has shown none. */
    private boolean isNameless() {
        try {
            return session != null
                    && session.getPeerCertificates().length > 0
                    && session.getLocalCertificates() == null;
        } catch (SSLPeerUnverifiedException unknown) {
            return false;
        }
    }

    private static IOException cutOff(IOException lost) {
        return new TlsFailure(Message.TLS_CUT_OFF, lost);
    }

    /* ---- Reading ---- */

    /** Reads like {@code SocketChannel.read}. */
    int read(ByteBuffer into) throws IOException {
        try {
            int from = into.position();
            drain(into);
            boolean hasNothing = into.position() == from;
            boolean isOver = hasNothing && !receive() && hasEnded;
            if (hasNothing) {
                drain(into);
            }
            int count = into.position() - from;
            hasHeard |= count > 0;
            return count == 0 && (isOver || engine.isInboundDone()) ? -1 : count;
        } catch (SSLException refused) {
            throw explained(refused);
        }
    }

    /** True if there are bytes to read that no selector knows of. */
    boolean hasBuffered() {
        return plain.hasRemaining() || !isStarved;
    }

    /** True if a part of a record has arrived, after a read that has returned nothing. */
    boolean hasPart() {
        return incoming.hasRemaining();
    }

    /** Decrypts what has been received, as far as there is room for it. */
    private void drain(ByteBuffer into) throws IOException {
        take(into);
        while (into.hasRemaining() && open(into)) {
            take(into);
        }
    }

    private void take(ByteBuffer into) {
        int count = Math.min(plain.remaining(), into.remaining());
        if (count > 0) {
            into.put(plain.slice(plain.position(), count));
            plain.position(plain.position() + count);
        }
    }

    /** Opens one record. False if no whole record has arrived. */
    private boolean open(ByteBuffer into) throws IOException {
        if (!incoming.hasRemaining() || engine.isInboundDone()) {
            isStarved = true;
            return false;
        }
        SSLEngineResult result = engine.unwrap(incoming, into);
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            result = openBeside();
        }
        isStarved = result.getStatus() == Status.BUFFER_UNDERFLOW || !incoming.hasRemaining();
        if (isSecure) {
            answer(result.getHandshakeStatus());
        }
        return result.getStatus() != Status.BUFFER_UNDERFLOW;
    }

    /** Opens a record for which the caller has no room. */
    private SSLEngineResult openBeside() throws SSLException {
        int size = engine.getSession().getApplicationBufferSize(); // It grows with large records.
        if (plain.capacity() < size) {
            plain = empty(size);
        }
        SSLEngineResult result = engine.unwrap(incoming, plain.clear());
        plain.flip();
        if (result.getStatus() == Status.BUFFER_OVERFLOW) {
            throw new SSLException("a record is too large");
        }
        return result;
    }

    /** Does what the node asks for after the handshake, such as new keys. */
    private void answer(HandshakeStatus status) throws IOException {
        HandshakeStatus next = status;
        while (next == HandshakeStatus.NEED_TASK || next == HandshakeStatus.NEED_WRAP) {
            if (next == HandshakeStatus.NEED_TASK) {
                runTasks();
                next = engine.getHandshakeStatus();
            } else if (engine.isOutboundDone()) {
                return;
            } else {
                next = seal(NOTHING).getHandshakeStatus();
            }
        }
        flush();
    }

    /** Takes what has arrived. False if nothing has arrived. */
    private boolean receive() throws IOException {
        incoming.compact();
        if (!incoming.hasRemaining()) { // The record is larger than the engine expected.
            ByteBuffer larger = ByteBuffer.allocate(incoming.capacity() * 2);
            incoming = larger.put(incoming.flip());
        }
        int count;
        try {
            count = channel.read(incoming);
        } finally {
            incoming.flip();
        }
        if (count < 0) {
            hasEnded = true;
            if (!isSecure) {
                throw new EOFException(Message.CLOSED_BY_NODE.what());
            }
        }
        if (count > 0 && !hasSpoken) {
            hasSpoken = true;
            requireTls(incoming.get(incoming.position()));
        }
        return count > 0;
    }

    private static void requireTls(int type) throws IOException {
        if (type < RECORD_TYPE_MIN || type > RECORD_TYPE_MAX) {
            throw new TlsFailure(Message.TLS_PLAIN_TEXT, null);
        }
    }

    /* ---- Writing ---- */

    /**
     * Writes like {@code SocketChannel.write}. Bytes that it did not take must be offered again.
     */
    int write(ByteBuffer bytes) throws IOException {
        try {
            return writeNow(bytes);
        } catch (SSLException refused) {
            throw explained(refused);
        } catch (IOException lost) {
            throw lastWords(lost);
        }
    }

    private int writeNow(ByteBuffer bytes) throws IOException {
        int from = bytes.position();
        if (!flush()) {
            return 0;
        }
        bytes.position(from + sealed);
        sealed = 0;
        boolean isTaken = true;
        while (isTaken && bytes.hasRemaining()) {
            int before = bytes.position();
            try {
                isTaken = writeRecord(bytes);
            } catch (IOException failure) {
                // The node has the records before this one. The next write fails again.
                if (before == from) {
                    throw failure;
                }
                isTaken = false;
            }
            if (!isTaken) {
                bytes.position(before);
            }
        }
        return bytes.position() - from;
    }

    /** Writes one record. True if the kernel has taken the whole record. */
    private boolean writeRecord(ByteBuffer bytes) throws IOException {
        int before = bytes.position();
        if (seal(bytes).getStatus() == Status.CLOSED) {
            throw new EOFException(Message.CLOSED_BY_NODE.what());
        }
        boolean isTaken = flush();
        sealed = isTaken ? 0 : bytes.position() - before;
        return isTaken;
    }

    /** Seals one record, behind the bytes of earlier records that the kernel has not taken. */
    private SSLEngineResult seal(ByteBuffer bytes) throws IOException {
        int needed = engine.getSession().getPacketBufferSize();
        outgoing.compact();
        if (outgoing.remaining() < needed) {
            ByteBuffer larger = ByteBuffer.allocate(outgoing.position() + needed);
            outgoing = larger.put(outgoing.flip());
        }
        try {
            return engine.wrap(bytes, outgoing);
        } finally {
            outgoing.flip();
        }
    }

    /** Gives the kernel what it takes. True if it has taken everything. */
    private boolean flush() throws IOException {
        if (outgoing.hasRemaining()) {
            channel.write(outgoing);
        }
        return !outgoing.hasRemaining();
    }

    /**
     * Looks whether the node has said why it closed, such as that it refuses the client's
     * certificate.
     */
    private IOException lastWords(IOException lost) {
        try {
            ByteBuffer ignored = ByteBuffer.allocate(1);
            while (read(ignored.clear()) > 0) {
                continue;
            }
        } catch (TlsFailure said) {
            return said;
        } catch (IOException silent) {
            // It said nothing.
        }
        return lost;
    }

    /* ---- The end ---- */

    /** Says that the connection ends, if that needs no wait. */
    void close() {
        engine.closeOutbound();
        sayLast();
    }

    private void sayLast() {
        try {
            if (flush()) {
                seal(NOTHING);
                flush();
            }
        } catch (IOException | RuntimeException ignored) {
            // The node finds out by the end of the stream.
        }
    }
}
