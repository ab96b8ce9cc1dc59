package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * The node could not be reached or was lost. It refused, reset or closed the connection, or its
 * name does not resolve. Or it has failed before and rests (circuit breaker) while one caller at a
 * time probes whether it is back.
 *
 * <p>Only this node's keys are affected. They stay on this node, unless the file sets {@code
 * auto_eject_hosts}. {@link #mayHaveExecuted()} says whether the command may have run.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class NodeDown extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param node the name of the node, or {@code null}
     * @param outcome how far the command got
     * @param cause what led to it, or {@code null}
     */
    public NodeDown(
            String message, @Nullable String node, Outcome outcome, @Nullable Throwable cause) {
        super(ErrorKind.NODE_DOWN, message, node, outcome, cause);
    }
}
