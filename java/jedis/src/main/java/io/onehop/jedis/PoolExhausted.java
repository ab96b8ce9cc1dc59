package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * All {@code pool_size} connections to the node stayed in use until the deadline. Nothing was sent.
 */
public final class PoolExhausted extends OneHopException {
    private static final long serialVersionUID = 1;

    public PoolExhausted(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.POOL_EXHAUSTED, message, node, outcome, cause);
    }
}
