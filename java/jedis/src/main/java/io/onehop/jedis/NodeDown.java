package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The node could not be reached or was lost. It refused, reset or closed the connection, or its
 * name does not resolve. Or it has failed before and rests (circuit breaker) while one caller at a
 * time probes whether it is back.
 *
 * <p>Only this node's keys are affected. They stay on this node, unless the file sets {@code
 * auto_eject_hosts}. {@link #mayHaveExecuted()} says whether the command may have run.
 */
public final class NodeDown extends OneHopException {
    private static final long serialVersionUID = 1;

    public NodeDown(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.NODE_DOWN, message, node, outcome, cause);
    }
}
