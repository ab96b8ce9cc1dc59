package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The node sent bytes that are no reply, more replies than commands, or more than the limits allow
 * (spec/constants.json).
 *
 * <p>The connection is closed, so none of those bytes reach another command. {@link
 * #mayHaveExecuted()} says whether the command may have run.
 */
public final class ProtocolViolation extends OneHopException {
    private static final long serialVersionUID = 1;

    public ProtocolViolation(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.PROTOCOL_VIOLATION, message, node, outcome, cause);
    }
}
