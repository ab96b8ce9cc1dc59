package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import redis.clients.jedis.exceptions.JedisException;

/**
 * A failure that OneHop reports: what happened, on which node, and whether the command may have
 * run.
 *
 * <p>Each {@linkplain ErrorKind kind} has a subclass. An error that a node answers, such as {@code
 * WRONGTYPE}, is not one of them: it is Jedis' own {@link
 * redis.clients.jedis.exceptions.JedisDataException}. Unchecked, immutable, safe to share between
 * threads. Programs may construct one, to test how they handle it.
 */
public abstract class OneHopException extends JedisException {
    private static final long serialVersionUID = 1;

    private final ErrorKind kind;
    private final String node;
    private final Outcome outcome;

    OneHopException(ErrorKind kind, String message, String node, Outcome outcome, Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.node = node;
        this.outcome = outcome;
    }

    /** What happened. The names are the same as in PHP. */
    public ErrorKind getKind() {
        return kind;
    }

    /**
     * The name of the node that failed, as in the configuration; {@code null} if no node failed, or
     * more than one.
     */
    public String getNode() {
        return node;
    }

    /**
     * True if the command, or a command of the batch, may have run on a node. If false, repeating
     * it is safe.
     */
    public boolean mayHaveExecuted() {
        return outcome.mayHaveExecuted();
    }

    final Outcome outcome() {
        return outcome;
    }
}
