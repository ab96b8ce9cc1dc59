package io.onehop.core.resp;

import java.io.IOException;
import java.io.InputStream;

/**
 * Stands between a node's socket and the client that decodes replies, and passes on only valid
 * bytes.
 *
 * <p>It counts replies against the announced commands, checks form and limits before the decoder
 * allocates, and knows whether the connection may be used again. A fault is a {@link
 * WireException}, thrown after everything before it was delivered, and again by every further read.
 * It reads straight into the decoder's buffer and keeps no bytes. A read that fails or times out
 * changes nothing: replies that were owed stay owed.
 *
 * <p>For one thread at a time, like its connection. The I/O half of {@link Framing}. Implements
 * spec/wire.
 */
public final class ReplyGuard extends InputStream {
    private final InputStream source;
    private final Framing framing = new Framing();

    public ReplyGuard(InputStream source) {
        this.source = source;
    }

    /**
     * Announces commands. Call it before their first byte is written, so their replies are owed
     * even if the write is interrupted.
     */
    public void owe(int commands) {
        framing.owe(commands);
    }

    /**
     * Announces a subscription. From now on a value that is not owed is a message, and the
     * connection is never clean again.
     */
    public void subscribe() {
        framing.subscribe();
    }

    /** Replies that the node still owes. */
    public long owed() {
        return framing.owed();
    }

    /**
     * True if the current reply announces more elements than {@code few}, and more than the bytes
     * of it that have come.
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
     * True if no reply is owed or half read, and nothing was wrong. Only then may a connection be
     * used again.
     */
    public boolean isClean() {
        return framing.isClean();
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        refuseIfWrong();
        if (length == 0) {
            return 0;
        }
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
            throw new WireException(framing.fault().message());
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
