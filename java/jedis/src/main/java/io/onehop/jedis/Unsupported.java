package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The method or command is not covered, and routing it by guess could answer wrongly. The message
 * names it and says why. Nothing was sent; but if the nodes' answers have nothing in common that
 * could be the answer, they were asked.
 */
public final class Unsupported extends OneHopException {
    private static final long serialVersionUID = 1;

    public Unsupported(String message) {
        this(message, Outcome.NOT_SENT);
    }

    public Unsupported(String message, Outcome outcome) {
        super(ErrorKind.UNSUPPORTED, message, null, outcome, null);
    }
}
