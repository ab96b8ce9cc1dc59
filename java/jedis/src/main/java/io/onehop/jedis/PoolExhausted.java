package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * All {@code pool_size} connections to the node stayed in use until the deadline, or for the {@code
 * maxWait} of the pool configuration. Nothing was sent.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class PoolExhausted extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param node the name of the node, or {@code null}
     * @param outcome how far the command got
     * @param cause what led to it, or {@code null}
     */
    public PoolExhausted(
            String message, @Nullable String node, Outcome outcome, @Nullable Throwable cause) {
        super(ErrorKind.POOL_EXHAUSTED, message, node, outcome, cause);
    }
}
