package io.onehop.jedis.internal.batch;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.util.KeyValue;

import java.util.Arrays;
import java.util.Collection;

/**
 * Says whether a reply may be the reply for a missing key. A wrong yes costs only a question to
 * another node.
 *
 * <p>Pure. Implements spec/topology/moving.md, section 3.
 */
public final class Nothing {
    private static final byte[] NONE = {'n', 'o', 'n', 'e'};

    private Nothing() {}

    /**
     * True if this reply, as Jedis decodes it from the wire, may be the reply for a missing key.
     */
    public static boolean is(@Nullable Object reply) {
        if (reply instanceof byte[] text) {
            return text.length == 0 || Arrays.equals(text, NONE);
        }
        if (reply instanceof Long number) {
            return number >= -2 && number <= 0;
        }
        if (reply instanceof Collection<?> list) {
            return list.stream().allMatch(Nothing::is);
        }
        if (reply instanceof KeyValue<?, ?> entry) {
            return is(entry.getKey()) && is(entry.getValue());
        }
        return reply == null
                || reply instanceof RuntimeException
                || Boolean.FALSE.equals(reply)
                || reply instanceof Double number && number == 0;
    }
}
