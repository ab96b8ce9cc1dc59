package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Map;

/**
 * Who sees to the commands of a batch that their node has not executed, because another one is to:
 * they are noted while the batch runs, and sent on when all of its nodes have answered.
 */
public interface Forwarding {
    /** A command of this slot was answered by an error that redirects. */
    void note(
            Pool asked,
            int slot,
            CommandArguments arguments,
            ReplySink sink,
            JedisDataException error);

    /** A read of this slot was sent to a replica, which has failed: the master is to answer it. */
    void rescue(Pool failed, int slot, CommandArguments arguments, ReplySink sink);

    /** Sends on what was noted; afterwards every sink has its reply or failure. */
    void follow(Deadline deadline);

    /** The nodes that failed on the way, by name. */
    Map<String, OneHopException> failures();

    /** Whether any command that was sent on has its reply. */
    boolean hasArrived();
}
