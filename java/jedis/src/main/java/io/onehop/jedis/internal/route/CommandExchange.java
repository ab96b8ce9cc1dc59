package io.onehop.jedis.internal.route;

import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.base.Message;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.Successor;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.Left;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import java.io.IOException;
import java.net.SocketTimeoutException;

/**
 * One command on one node: lease, exchange, settle, by one deadline, and at most one retry.
 *
 * <p>{@link Route} has found the node. For one thread and one call. A batch of one command would do
 * the same. But a GET would allocate 1,450 bytes instead of 450, and large values would be stored
 * before Jedis decodes them.
 */
final class CommandExchange<T> extends Holder implements Successor {
    /*
     * A command is retried only under four conditions. Its connection had been idle and turned
     * out to be closed. The command was not sent, or only reads. The deadline allows it. The
     * retry budget allows it. Otherwise nothing is ever repeated: only the caller can judge a
     * write that may have executed.
     *
     * A blocking command may take its own timeout. But its connection is leased and opened
     * within the server pool's timeout, as for any other command.
     *
     * A call that waits leaves its node if another one has taken over. Then it fails with Left,
     * and Route sends its command to that other node. A read that the fallback of its node may
     * answer leaves when half of the time is over. For the node this counts as a passed deadline.
     */
    private final Pool node;
    private final int home;
    private final CommandObject<T> command;
    private final boolean isReadOnly;
    private final boolean mayFallBack;
    private final Deadline leased; // The connection must be open by then.
    private final Deadline deadline;
    private final BatchRunner runner;
    private boolean isStaying; // The command was sent, and must not be sent again.

    /** {@code waitMs} is the timeout of a blocking command; 0 for all others. */
    CommandExchange(
            Pool node,
            int home,
            CommandObject<T> command,
            boolean isReadOnly,
            boolean mayFallBack,
            Deadline leased,
            long waitMs,
            BatchRunner runner) {
        this.node = node;
        this.home = home;
        this.command = command;
        this.isReadOnly = isReadOnly;
        this.mayFallBack = mayFallBack;
        this.leased = leased;
        this.deadline = leased.later(waitMs);
        this.runner = runner;
    }

    @Override
    public boolean isKnown() {
        // This is asked first, because after a long wait even a call that stays has to ask for
        // news.
        return (hasSuccessor() || fallsBack()) && !isStaying;
    }

    private boolean hasSuccessor() {
        return runner.successor(node, home, leased) != null;
    }

    private boolean fallsBack() {
        return mayFallBack && leased.isHalfOver() && runner.hasFallback(node, home);
    }

    @Override
    public IOException left() {
        return hasSuccessor()
                ? new Left()
                : new SocketTimeoutException(Message.DEADLINE_PASSED.what());
    }

    @Override
    public long checkMs(long leftNs) {
        return leased.checkMs(leftNs, mayFallBack);
    }

    /** Returns the reply. Throws the error that the node answered, or the failure. */
    T run() {
        try {
            return attempt(null, NodeHealth.NOT_ASKED);
        } finally {
            isOver = true;
        }
    }

    /** One try. {@code before} is the failure of the first try, or {@code null}. */
    private T attempt(@Nullable OneHopException before, long asked) {
        NodeConnection connection = lease(before, asked);
        isStaying = !isReadOnly;
        connection.until(deadline, deadline == leased ? this : null);
        long written = connection.written();
        OneHopException failure;
        try {
            T reply = connection.executeCommand(command);
            node.answered(connection);
            runner.budget().earn();
            return reply;
        } catch (JedisDataException answer) {
            node.answered(connection);
            // Jedis has read all of it. returnObject() finds out whether the connection is clean.
            throw answer;
        } catch (Error error) {
            connection.isLeft = true;
            throw error;
        } catch (Throwable thrown) {
            failure = failure(thrown, node, connection, connection.written() > written);
        } finally {
            node.returnObject(connection);
        }
        if (Failure.isLeft(failure)) {
            throw failure;
        }
        if (before == null && mayRetry(connection, failure) && runner.budget().spend()) {
            node.condemn(connection);
            return attempt(failure, connection.lease().health());
        }
        node.failed(connection, failure);
        throw before == null ? failure : Failure.worse(failure, before);
    }

    private NodeConnection lease(@Nullable OneHopException before, long asked) {
        isStaying = false;
        try {
            return node.lease(this, leased, asked, this);
        } catch (OneHopException failure) {
            if (before == null || !before.mayHaveExecuted()) {
                throw failure;
            }
            if (Failure.isLeft(failure)) {
                throw Failure.of(new Left(), node.endpoint().nodeName(), Outcome.MAYBE_EXECUTED);
            }
            before.addSuppressed(failure); // This try sent nothing, but the first one did.
            throw before;
        }
    }

    /**
     * True if the connection had been idle and turned out to be closed, and nothing can execute
     * twice.
     */
    private boolean mayRetry(NodeConnection connection, OneHopException failure) {
        return failure instanceof NodeDown
                && connection.isReused()
                && (isReadOnly || !failure.mayHaveExecuted());
    }

    /**
     * The failure of an exchange. If the node did not cause it, rethrows what was thrown: an
     * argument that cannot be encoded, a reply that the command's builder cannot use, an Error. In
     * all cases the connection is not used again.
     */
    static OneHopException failure(
            Throwable thrown, Pool node, NodeConnection connection, boolean isWritten) {
        if (thrown instanceof Error error) {
            // There may be no stack or memory to close the connection. The next holder closes it.
            throw error;
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
