package io.onehop.jedis.internal.connection;

import io.onehop.jedis.internal.failure.Failure.Left;

import java.io.IOException;

/**
 * Tells a call that waits for its node whether another node has taken over. The call checks from
 * time to time. Implements spec/wire, section 5, "While a call waits".
 */
@FunctionalInterface
public interface Successor {
    /** For a call that needs its node. */
    Successor NONE = () -> false;

    /** True if the call leaves its node, because the client knows another node for it. */
    boolean isKnown();

    /** The exception that ends the wait of a call that leaves. */
    default IOException left() {
        return new Left();
    }

    /**
     * How many milliseconds the call waits until it checks again. {@code leftNs}: the time until
     * its deadline.
     */
    default long checkMs(long leftNs) {
        return Deadline.checkMs(leftNs);
    }
}
