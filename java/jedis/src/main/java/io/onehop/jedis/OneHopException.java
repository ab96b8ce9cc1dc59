package io.onehop.jedis;

import io.onehop.core.ErrorKind;
import io.onehop.core.ErrorKind.Outcome;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.exceptions.JedisException;

/**
 * A failure that OneHop reports: what happened, on which node, and whether the command may have
 * run.
 *
 * <p>Each {@linkplain ErrorKind kind} has a subclass. An error that a node answers, such as {@code
 * WRONGTYPE}, is no such failure; it is thrown as Jedis' own {@link
 * redis.clients.jedis.exceptions.JedisDataException}. Unchecked, immutable, safe to share between
 * threads. Programs may construct such exceptions, to test how they handle them.
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public abstract class OneHopException extends JedisException {
    private static final long serialVersionUID = 1;

    /** What happened. */
    private final ErrorKind kind;

    /** The name of the node that failed, or {@code null}. */
    private final @Nullable String node;

    /** How far the command got. */
    private final Outcome outcome;

    OneHopException(
            ErrorKind kind,
            String message,
            @Nullable String node,
            Outcome outcome,
            @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.node = node;
        this.outcome = outcome;
    }

    /**
     * What happened. The names are the same as in PHP.
     *
     * @return the kind of the failure
     */
    public ErrorKind getKind() {
        return kind;
    }

    /**
     * The name of the node that failed, as in the configuration.
     *
     * @return the name; {@code null} if no node failed, or more than one
     */
    public @Nullable String getNode() {
        return node;
    }

    /**
     * Whether the command, or a command of the batch, may have run on a node.
     *
     * @return if false, repeating it is safe
     */
    public boolean mayHaveExecuted() {
        return outcome.mayHaveExecuted();
    }

    final Outcome outcome() {
        return outcome;
    }
}
