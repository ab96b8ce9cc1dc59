package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

/**
 * The configuration is missing or malformed, lacks the server pool, or a node rejects it (password,
 * user, database, kind of node). No command was sent.
 *
 * <p>For a bad file the message has line and reason. {@link #getNode()} is {@code null} unless a
 * node was asked.
 */
public final class ConfigInvalid extends OneHopException {
    private static final long serialVersionUID = 1;

    public ConfigInvalid(String message, Throwable cause) {
        this(message, null, Outcome.NOT_SENT, cause);
    }

    public ConfigInvalid(String message, String node, Outcome outcome, Throwable cause) {
        super(ErrorKind.CONFIG_INVALID, message, node, outcome, cause);
    }
}
