package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.pool.Pool;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.exceptions.JedisDataException;

import java.util.Map;

/**
 * Follows the redirects of one batch. Commands that another node is to execute are noted while the
 * batch runs. They are sent when all nodes of the batch have answered.
 */
public interface Forwarding {
    /** Notes a command of this slot whose reply was a redirecting error. */
    void note(
            Pool asked,
            int slot,
            CommandArguments arguments,
            ReplySink sink,
            JedisDataException error);

    /** Notes a read of this slot whose replica has failed. The master is to answer it. */
    void rescue(Pool failed, int slot, CommandArguments arguments, ReplySink sink);

    /** Sends the noted commands. Afterwards every sink has its reply or failure. */
    void follow(Deadline deadline);

    /** The nodes that failed meanwhile, by name. */
    Map<String, OneHopException> failures();

    /** True if a noted command has its reply. */
    boolean hasArrived();
}
