package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The node sent what is no reply, more than it was asked for, or more than the limits of {@link
 * io.onehop.core.Limits} allow.
 *
 * <p>The connection is closed and none of those bytes meets another command.
 */
public final class ProtocolViolation extends OneHopException {
    private static final long serialVersionUID = 1;

    public ProtocolViolation(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.PROTOCOL_VIOLATION, message, node, outcome, cause);
    }
}
