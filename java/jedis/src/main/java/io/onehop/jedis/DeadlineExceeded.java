package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * The server pool's {@code timeout} (milliseconds) passed during connect, write or read; a blocking
 * command has its own timeout in addition. The exception is also thrown if the calling thread was
 * interrupted in that time; its interrupt flag stays set.
 *
 * <p>The connection is closed, so a late reply cannot reach another command. {@link
 * #mayHaveExecuted()} says whether the command may have run.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class DeadlineExceeded extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param node the name of the node, or {@code null}
     * @param outcome how far the command got
     * @param cause what led to it, or {@code null}
     */
    public DeadlineExceeded(
            String message, @Nullable String node, Outcome outcome, @Nullable Throwable cause) {
        super(ErrorKind.DEADLINE_EXCEEDED, message, node, outcome, cause);
    }
}
