package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * The node sent bytes that are not a reply, more replies than commands, or more than the limits
 * allow (spec/constants.json).
 *
 * <p>The connection is closed, so none of those bytes reach another command. {@link
 * #mayHaveExecuted()} says whether the command may have run.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class ProtocolViolation extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param node the name of the node, or {@code null}
     * @param outcome how far the command got
     * @param cause what led to it, or {@code null}
     */
    public ProtocolViolation(
            String message, @Nullable String node, Outcome outcome, @Nullable Throwable cause) {
        super(ErrorKind.PROTOCOL_VIOLATION, message, node, outcome, cause);
    }
}
