package io.onehop.jedis;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandObjects;

import java.util.List;

/**
 * What {@link OneHopClient#pipelined()} returns: Jedis' pipeline over all nodes, with every method
 * of Jedis' own. For one thread.
 */
public abstract class OneHopPipeline extends AbstractPipeline {

    OneHopPipeline(CommandObjects commandObjects) {
        super(commandObjects);
    }

    /**
     * Sends everything that was added, as {@code sync()} does, and throws the same failures.
     *
     * @return the replies in the order of the commands, as their Responses return them; an error
     *     that a node answered is an element, a {@code JedisDataException}
     */
    public abstract List<Object> syncAndReturnAll();
}
