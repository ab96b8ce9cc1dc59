package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

/**
 * The configuration is missing or malformed, lacks the server pool, or a node rejects it (password,
 * user, database, kind of node). No command was sent.
 *
 * <p>For a bad file the message lists the errors, each with its line. {@link #getNode()} is {@code
 * null} unless a node was asked.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public final class ConfigInvalid extends OneHopException {
    private static final long serialVersionUID = 1;

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param cause what led to it, or {@code null}
     */
    public ConfigInvalid(String message, @Nullable Throwable cause) {
        this(message, null, Outcome.NOT_SENT, cause);
    }

    /**
     * Constructs the exception. OneHop does that, and tests of a program may, too.
     *
     * @param message what happened, and what to do
     * @param node the name of the node, or {@code null}
     * @param outcome how far the command got
     * @param cause what led to it, or {@code null}
     */
    public ConfigInvalid(
            String message, @Nullable String node, Outcome outcome, @Nullable Throwable cause) {
        super(ErrorKind.CONFIG_INVALID, message, node, outcome, cause);
    }
}
