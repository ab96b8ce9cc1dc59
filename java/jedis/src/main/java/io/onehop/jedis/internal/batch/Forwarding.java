package io.onehop.jedis.internal.batch;

import io.onehop.core.base.Message;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Map;

/**
 * Follows the redirects of one batch, or its masters. Commands that another node is to execute are
 * noted while the batch runs. They are sent when all nodes of the batch have answered. As it is
 * here, none is noted.
 */
public interface Forwarding {
    /**
     * True if a command with this reply of this node was not executed, and another one is to
     * execute it.
     */
    default boolean sendsOn(Pool asked, JedisDataException error) {
        return false;
    }

    /** Notes a command of this home whose reply was such an error. */
    default void note(
            Pool asked,
            int slot,
            CommandArguments arguments,
            ReplySink sink,
            JedisDataException error) {
        throw new IllegalStateException(Message.UNEXPECTED_FORM.what());
    }

    /**
     * Notes a command that its node has answered, although it had refused an earlier one. Otherwise
     * the earlier one would be executed after it. False if this reply stands.
     */
    default boolean noteBehind(
            Pool asked,
            int slot,
            CommandArguments arguments,
            ReplySink sink,
            @Nullable Object reply) {
        return false;
    }

    /**
     * A command of a node that had refused an earlier one has failed. It may have been executed.
     */
    default void overtaken(Pool asked) {
        // Nothing was noted.
    }

    /**
     * True if a command of this home that has failed like this at this node is sent to the next
     * master.
     */
    default boolean sendsOn(Pool asked, int home, OneHopException failure, boolean isReadOnly) {
        return false;
    }

    /** True if a fallback of this node may answer reads of this home now. */
    default boolean hasFallback(Pool asked, int home) {
        return false;
    }

    /** True if a read with this reply of this node goes to the fallback. */
    default boolean fallsBack(Pool asked, int home, JedisDataException error) {
        return false;
    }

    /**
     * Notes a read for the fallback of its node, which has refused it with this error, or has
     * failed. Once: the fallback has no fallback.
     */
    default void fallBack(
            Pool asked,
            int home,
            CommandArguments arguments,
            ReplySink sink,
            @Nullable JedisDataException error,
            @Nullable OneHopException failure) {
        throw new IllegalStateException(Message.UNEXPECTED_FORM.what());
    }

    /**
     * Notes a command of this home whose node has failed: a read that was not answered, or a
     * command that was not sent. The next master is to execute it.
     */
    default void rescue(
            Pool failed,
            int slot,
            CommandArguments arguments,
            ReplySink sink,
            OneHopException failure) {
        throw new IllegalStateException(Message.UNEXPECTED_FORM.what());
    }

    /**
     * The only command of the batch is a blocking one, and waits until then: sent again, it waits
     * for what is left.
     */
    default void waitsUntil(long instantNs) {
        // Nothing was noted.
    }

    /** Sends the noted commands. Afterwards every sink has its reply or failure. */
    void follow(Deadline deadline);

    /** The nodes that failed meanwhile, by name. */
    Map<String, OneHopException> failures();

    /** True if a noted command has its reply. */
    boolean hasArrived();
}
