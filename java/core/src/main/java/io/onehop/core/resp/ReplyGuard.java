package io.onehop.core.resp;

import java.io.IOException;
import java.io.InputStream;

/**
 * Stands between a node's socket and the client that decodes replies, and passes on only valid
 * bytes.
 *
 * <p>It counts replies against the announced commands, checks form and limits before the decoder
 * allocates, and knows whether the connection may be used again. A fault is a {@link
 * WireException}. It is thrown when all bytes before it were delivered, and again by every further
 * read. The guard reads straight into the decoder's buffer and keeps no bytes. A read that fails or
 * times out changes nothing: replies that were owed stay owed.
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

    /** Announces commands, and says what is owed and whether the connection may be used again. */
    public Framing framing() {
        return framing;
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
