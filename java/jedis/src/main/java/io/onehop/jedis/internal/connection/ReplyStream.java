package io.onehop.jedis.internal.connection;

import io.onehop.core.resp.ReplyGuard;

import redis.clients.jedis.util.RedisInputStream;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;

/**
 * The buffer from which Jedis decodes replies. It can also be filled without waiting.
 *
 * <p>Jedis' own stream asks for more bytes only in the middle of a reply, and then it has to wait.
 * A thread that serves several nodes takes what has arrived, and decodes a reply only when it is
 * whole.
 */
final class ReplyStream extends RedisInputStream {
    /*
     * Of 1000 HGETs over 4 nodes, each node returns some 10 KB, which is one read. Jedis reads a
     * larger reply through this buffer in several steps, while its caller waits.
     */
    private static final int BUFFER_BYTES = 1 << 15;

    /*
     * Jedis allocates as many elements as a length announces, at every level of nesting, before
     * it reads them. So Jedis gets the bytes of an unfinished reply only if few elements are
     * missing, or fewer elements than bytes have come.
     */
    private static final int FEW_ELEMENTS = 1 << 14;

    private final Spill spill;

    ReplyStream(ReplyGuard guard) {
        this(new Spill(guard));
    }

    private ReplyStream(Spill spill) {
        super(spill, BUFFER_BYTES);
        this.spill = spill;
    }

    /** Takes what has arrived, as the stream beneath returns it. Returns the number of bytes. */
    int fill() throws IOException {
        if (count >= limit) {
            count = 0;
            limit = 0;
        } else if (count > 0 && limit == buf.length) {
            System.arraycopy(buf, count, buf, 0, limit - count);
            limit -= count;
            count = 0;
        }
        if (limit == buf.length) {
            return spill.fill();
        }
        int arrived = spill.take(buf, limit, buf.length - limit);
        limit += arrived;
        return arrived;
    }

    /**
     * Jedis calls this for each length and number. If the whole line has arrived, it is parsed in
     * one step; the guard has checked its digits.
     */
    @Override
    public long readLongCrLf() {
        int at = count;
        boolean isNegative = at < limit && buf[at] == '-';
        at += isNegative ? 1 : 0;
        long value = 0;
        while (at < limit && buf[at] != '\r') {
            value = value * 10 + buf[at] - '0';
            at++;
        }
        if (at + 1 >= limit) {
            return super.readLongCrLf();
        }
        count = at + 2;
        return isNegative ? -value : value;
    }

    /** The line after the next byte, cut at the end of the buffer. */
    String line() {
        int end = count;
        while (end < limit && buf[end] != '\r') {
            end++;
        }
        return new String(
                buf,
                Math.min(count + 1, end),
                Math.max(0, end - count - 1),
                StandardCharsets.UTF_8);
    }

    boolean isEmpty() {
        return count >= limit && spill.isEmpty();
    }

    /**
     * The arrived part of a reply that is larger than the buffer. If it were decoded early, the
     * thread would wait for this node and not serve the other nodes of the batch. Memory is taken
     * for the bytes that came, not for the length that was announced.
     */
    private static final class Spill extends InputStream {
        private static final int BLOCK_BYTES = 1 << 16;

        private final ReplyGuard source;
        private final ArrayDeque<byte[]> blocks = new ArrayDeque<>();
        private int readAt;
        private int filledTo;

        Spill(ReplyGuard source) {
            this.source = source;
        }

        boolean isEmpty() {
            return blocks.isEmpty() || blocks.size() == 1 && readAt == filledTo;
        }

        int fill() throws IOException {
            if (blocks.isEmpty() || filledTo == BLOCK_BYTES) {
                blocks.addLast(new byte[BLOCK_BYTES]);
                filledTo = 0;
            }
            int arrived = source.read(blocks.getLast(), filledTo, BLOCK_BYTES - filledTo);
            filledTo += arrived;
            return arrived;
        }

        /** Called by Jedis in the middle of a reply. */
        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (!isEmpty()) {
                return take(into, offset, length);
            }
            int arrived = source.read(into, offset, length);
            while (source.framing().isAhead(FEW_ELEMENTS)) {
                fill();
            }
            return arrived;
        }

        /** Returns the spilled bytes first, then what arrives. */
        int take(byte[] into, int offset, int length) throws IOException {
            if (isEmpty()) {
                return source.read(into, offset, length);
            }
            int end = blocks.size() == 1 ? filledTo : BLOCK_BYTES;
            int size = Math.min(length, end - readAt);
            System.arraycopy(blocks.getFirst(), readAt, into, offset, size);
            readAt += size;
            if (readAt == end) {
                blocks.removeFirst();
                readAt = 0;
            }
            return size;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }
    }
}
