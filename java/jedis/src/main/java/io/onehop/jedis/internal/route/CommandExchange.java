package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.RetryBudget;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * One command on one node: lease, exchange, settle, by one deadline; and what becomes of it if that
 * fails.
 *
 * <p>Before it on the road: the route, which knows the node; after it: the node. For one thread and
 * one call.
 */
final class CommandExchange<T> extends Holder {
    /*
     * Sent once more by itself is a command only if its connection had been lying idle and turned out to be closed, if
     * it was not sent or only reads, if the deadline allows, and if the budget does. Nothing else is ever repeated: a
     * write that may have executed is the caller's to judge.
     *
     * A command that waits on the node may wait as long as it says, but a connection is leased, and opened, within the
     * server pool's timeout like for any other.
     */
    private final Pool node;
    private final CommandObject<T> command;
    private final boolean isReadOnly;
    private final Deadline leased; // By when the connection is open.
    private final Deadline deadline;
    private final RetryBudget budget;

    /**
     * A command that waits on the node for so many milliseconds by its own wish: 0 if it does not
     * wait.
     */
    CommandExchange(
            Pool node,
            CommandObject<T> command,
            boolean isReadOnly,
            Deadline leased,
            long waitMs,
            RetryBudget budget) {
        this.node = node;
        this.command = command;
        this.isReadOnly = isReadOnly;
        this.leased = leased;
        this.deadline = leased.later(waitMs);
        this.budget = budget;
    }

    /** The reply; or the error the node answered, or the failure, thrown. */
    T run() {
        try {
            return attempt(null, NodeHealth.NOT_ASKED);
        } finally {
            isOver = true;
        }
    }

    /** One try, {@code before} being the failure that made us try again, or {@code null}. */
    private T attempt(OneHopException before, long asked) {
        NodeConnection connection = lease(before, asked);
        connection.until(deadline);
        long written = connection.written();
        OneHopException failure;
        try {
            T reply = connection.executeCommand(command);
            node.answered(connection);
            budget.earn();
            return reply;
        } catch (JedisDataException answer) {
            node.answered(connection);
            // Jedis read it whole; whether the connection is clean is for settle to say.
            throw answer;
        } catch (Error error) {
            connection.isLeft = true;
            throw error;
        } catch (Throwable thrown) {
            failure = failure(thrown, node, connection, connection.written() > written);
        } finally {
            node.settle(connection);
        }
        if (before == null && mayRetry(connection, failure) && budget.spend()) {
            node.purge();
            return attempt(failure, connection.lease().health());
        }
        node.failed(connection, failure);
        throw failure;
    }

    private NodeConnection lease(OneHopException before, long asked) {
        try {
            return node.lease(this, leased, asked);
        } catch (OneHopException failure) {
            if (before == null || !before.mayHaveExecuted()) {
                throw failure;
            }
            before.addSuppressed(failure); // Nothing was sent now, but something was before.
            throw before;
        }
    }

    /**
     * Whether its connection had been lying idle and turned out to be closed, and nothing can be
     * executed twice.
     */
    private boolean mayRetry(NodeConnection connection, OneHopException failure) {
        return failure instanceof NodeDown
                && connection.isReused()
                && (isReadOnly || !failure.mayHaveExecuted());
    }

    /**
     * The failure of an exchange. What was not the node's doing is thrown as it is: an argument
     * that cannot be encoded, a reply the command's own builder cannot make sense of, an Error.
     * Either way the connection is not used again.
     */
    static OneHopException failure(
            Throwable thrown, Pool node, NodeConnection connection, boolean isWritten) {
        if (thrown instanceof Error error) {
            throw error; // No stack or no memory to close it: the next holder does.
        }
        boolean isOfTheNode =
                connection.isBroken() && (thrown instanceof JedisException || isWritten);
        boolean isAnswered = connection.isAnswered();
        connection.disconnect();
        if (!isOfTheNode && thrown instanceof RuntimeException foreign) {
            throw foreign;
        }
        return Failure.of(
                thrown,
                node.endpoint().nodeName(),
                !isWritten
                        ? Outcome.NOT_SENT
                        : isAnswered ? Outcome.ANSWERED : Outcome.MAYBE_EXECUTED);
    }
}
