package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The method or command is not covered, and routing it by guess could answer wrongly. Nothing was sent; the message
 * names it.
 */
public final class Unsupported extends OneHopException {
    private static final long serialVersionUID = 1;

    Unsupported(String message) {
        super(ErrorKind.UNSUPPORTED, message, null, Outcome.NOT_SENT, null);
    }
}
