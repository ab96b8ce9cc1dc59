package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The method or command is not supported, because guessing its nodes could give a wrong answer. The
 * message names it and says why. Nothing was sent, with one exception: if the nodes' replies do not
 * fit together, the nodes were asked.
 */
public final class Unsupported extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     */
    public Unsupported(String message) {
        this(message, Outcome.NOT_SENT);
    }

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param outcome how far the command got
     */
    public Unsupported(String message, Outcome outcome) {
        super(ErrorKind.UNSUPPORTED, message, null, outcome, null);
    }
}
