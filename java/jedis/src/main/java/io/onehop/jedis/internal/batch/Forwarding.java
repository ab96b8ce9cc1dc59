package io.onehop.jedis.internal.batch;

import io.onehop.core.base.Message;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Map;
import java.util.function.Supplier;

/**
 * Follows the redirects of one batch, or the masters that its nodes have lost. Commands that
 * another node is to execute are noted while the batch runs. They are sent when all nodes of the
 * batch have answered. By default no command is noted.
 */
public interface Forwarding {
    /**
     * If this error says that the command was not executed, and another node is to execute it,
     * notes the command. Otherwise returns false: the error is its reply. {@code mayFallBack}: the
     * command is a read, and the fallback of its node may answer it.
     */
    default boolean noteRefused(
            SentCommand command, JedisDataException error, boolean mayFallBack) {
        return false;
    }

    /**
     * Notes a command that a node has answered after it had refused an earlier command. Otherwise
     * the earlier command would be executed after this one. False if this reply counts.
     */
    default boolean noteBehind(SentCommand command, @Nullable Object reply) {
        return false;
    }

    /**
     * Notes that a command has failed at a node that had refused an earlier command. The failed
     * command may have been executed.
     */
    default void overtaken(Pool asked) {
        // Nothing was noted.
    }

    /**
     * Notes a command whose node has failed, if the next master is to execute it: it was not sent,
     * or it only reads. False if the failure counts. {@code fallsBack}: the command is noted for
     * the fallback of its node, and a fallback has no fallback itself.
     */
    default boolean noteFailed(
            SentCommand command, OneHopException failure, boolean isReadOnly, boolean fallsBack) {
        return false;
    }

    /** Notes a command that has left its node, because another node has its slot now. */
    default void noteLeft(SentCommand command, OneHopException left) {
        throw new IllegalStateException(Message.UNEXPECTED_FORM.what());
    }

    /** True if a fallback of this node may answer reads of this home now. */
    default boolean hasFallback(Pool asked, int home) {
        return false;
    }

    /**
     * The only command of the batch is a blocking one, which waits until this instant. If this
     * command is sent again, it waits only for the time that remains.
     */
    default void waitsUntil(long instantNs) {
        // Nothing was noted.
    }

    /** Sends the noted commands. Afterwards every sink has its reply or failure. */
    void follow(Deadline deadline);

    /** The nodes at which noted commands failed, by name. */
    Map<String, OneHopException> failures();

    /** True if a noted command has its reply. */
    boolean hasArrived();

    /**
     * A command that may have to be sent again.
     *
     * @param asked the node that it was sent to
     * @param home its home, or in a Redis Cluster its slot
     * @param arguments its words, which may have to be decoded first
     * @param sink takes its reply, from whichever node
     */
    record SentCommand(
            Pool asked, int home, Supplier<CommandArguments> arguments, ReplySink sink) {}
}
