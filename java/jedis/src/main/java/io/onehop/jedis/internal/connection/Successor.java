package io.onehop.jedis.internal.connection;

import io.onehop.jedis.internal.failure.Failure.Left;

import java.io.IOException;

/**
 * What a call that waits for its node looks at from time to time: whether another node has taken
 * over. Implements spec/wire, section 5, "While a call waits".
 */
@FunctionalInterface
public interface Successor {
    /** Of a call that needs its node. */
    Successor NONE = () -> false;

    /** True if the call leaves its node, because the client knows another one for it. */
    boolean isKnown();

    /** What ends its wait then. */
    default IOException left() {
        return new Left();
    }

    /** How many milliseconds it waits until it looks again; {@code leftNs}: until its deadline. */
    default long lookMs(long leftNs) {
        return Deadline.lookMs(leftNs);
    }
}
