package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * A command or transaction has keys on two nodes. Nothing was sent.
 *
 * <p>The message names two of the keys, their nodes, and a hash tag that would bring the keys
 * together.
 */
public final class CrossNode extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     */
    public CrossNode(String message) {
        super(ErrorKind.CROSS_NODE, message, null, Outcome.NOT_SENT, null);
    }
}
