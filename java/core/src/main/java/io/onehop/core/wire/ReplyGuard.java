package io.onehop.core.wire;

import java.io.IOException;
import java.io.InputStream;

/**
 * Stands between a node's socket and the client that decodes replies, and lets through only what
 * may be believed.
 *
 * <p>It counts replies against the commands that were announced, checks form and limits before the
 * decoder allocates, and knows whether the connection may be used again. What is wrong ends in a
 * {@link WireException}, after everything before it was delivered; the exception comes again on
 * every further read. It reads straight into the decoder's buffer and keeps no byte back. A read
 * that fails or times out changes nothing: what was owed stays owed.
 *
 * <p>For one thread at a time, like the connection it belongs to. Before it on the road: the
 * socket; after it: Jedis. The I/O half of {@link Framing}. Implements spec/wire.
 */
public final class ReplyGuard extends InputStream {

    /**
     * Called before each read that may block: the place to give the socket what is left of the
     * deadline, or to refuse.
     */
    @FunctionalInterface
    public interface BeforeRead {
        void run() throws IOException;
    }

    private final InputStream source;
    private final BeforeRead beforeRead;
    private final Framing framing = new Framing();

    public ReplyGuard(InputStream source, BeforeRead beforeRead) {
        this.source = source;
        this.beforeRead = beforeRead;
    }

    /**
     * Announces commands: call it before their first byte is written, so that whatever interrupts
     * the write finds their replies owed.
     */
    public void owe(int commands) {
        framing.owe(commands);
    }

    /**
     * From now on the node speaks unasked: what is not owed is a message, and the connection is
     * never clean again.
     */
    public void subscribe() {
        framing.subscribe();
    }

    /** Replies that the node still owes. */
    public long owed() {
        return framing.owed();
    }

    /**
     * Whether a reply has begun that announces more elements than {@code few}, and more than bytes
     * of it have come.
     */
    public boolean isAhead(int few) {
        return framing.isAhead(few);
    }

    /** Whole replies read so far. */
    public long answered() {
        return framing.answered();
    }

    /** Whole push frames read so far, and messages of a subscribed connection. */
    public long pushed() {
        return framing.pushed();
    }

    /**
     * Whether nothing is owed, nothing is half read and nothing was wrong: the only state in which
     * a connection may be used again.
     */
    public boolean isClean() {
        return framing.isClean();
    }

    /**
     * Whether bytes are waiting that nobody asked for: one system call, to be made when nothing is
     * owed.
     */
    public boolean hasSurplus() throws IOException {
        return framing.owed() == 0 && source.available() > 0;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        refuseIfWrong();
        if (length == 0) {
            return 0;
        }
        beforeRead.run();
        int count = source.read(into, offset, length);
        if (count <= 0) {
            return count;
        }
        int believed = framing.read(into, offset, count);
        if (believed == 0) {
            refuseIfWrong();
        }
        return believed;
    }

    private void refuseIfWrong() throws IOException {
        if (framing.fault() != null) {
            throw new WireException(framing.fault().sentence());
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int available() throws IOException {
        return framing.fault() == null ? source.available() : 0;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
