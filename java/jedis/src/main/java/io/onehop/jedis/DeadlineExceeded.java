package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The server pool's {@code timeout} passed while connecting, writing or reading, and a blocking
 * command's own on top; or the calling thread was interrupted meanwhile (its interrupt flag stays
 * set).
 *
 * <p>The connection is closed, so that an answer that comes late meets no other command.
 */
public final class DeadlineExceeded extends OneHopException {
    private static final long serialVersionUID = 1;

    public DeadlineExceeded(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.DEADLINE_EXCEEDED, message, node, outcome, cause);
    }
}
