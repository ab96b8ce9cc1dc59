package io.onehop.jedis;

import java.io.IOException;
import java.io.InputStream;
import redis.clients.jedis.util.RedisInputStream;

/**
 * The buffer Jedis decodes replies from, which can also be filled without waiting.
 *
 * <p>Jedis' own stream asks for more bytes only in the middle of a reply, and then it has to wait. Serving several
 * nodes from one thread wants the opposite: take what has arrived, and decode a reply only when it is whole.
 */
final class ReplyStream extends RedisInputStream {
    /* 1000 HGETs over 4 nodes answer with some 10 KB each: one read. Larger replies are read by Jedis through this buffer as ever. */
    private static final int BUFFER_BYTES = 1 << 15;

    ReplyStream(InputStream guard) {
        super(guard, BUFFER_BYTES);
    }

    /** Takes what has arrived, as the stream beneath gives it; tells how many bytes. */
    int fill() throws IOException {
        if (count >= limit) {
            count = 0;
            limit = 0;
        } else if (count > 0 && limit == buf.length) {
            System.arraycopy(buf, count, buf, 0, limit - count);
            limit -= count;
            count = 0;
        }
        int arrived = in.read(buf, limit, buf.length - limit);
        limit += arrived;
        return arrived;
    }

    boolean isEmpty() {
        return count >= limit;
    }

    /** Whether nothing more fits: a reply that is not whole by now must be decoded while it arrives. */
    boolean isFull() {
        return count == 0 && limit == buf.length;
    }
}
