package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The server pool's {@code timeout} (milliseconds) passed during connect, write or read, for a
 * blocking command plus its own timeout. Or the calling thread was interrupted meanwhile; its
 * interrupt flag stays set.
 *
 * <p>The connection is closed, so a late reply cannot reach another command. {@link
 * #mayHaveExecuted()} says whether the command may have run.
 */
public final class DeadlineExceeded extends OneHopException {
    private static final long serialVersionUID = 1;

    public DeadlineExceeded(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.DEADLINE_EXCEEDED, message, node, outcome, cause);
    }
}
