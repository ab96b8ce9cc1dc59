package io.onehop.jedis;

import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandObjects;

import java.util.List;

/**
 * What {@link OneHopClient#pipelined()} returns: Jedis' pipeline over all nodes, with all that
 * Jedis' own has.
 */
public abstract class OneHopPipeline extends AbstractPipeline {

    OneHopPipeline(CommandObjects commandObjects) {
        super(commandObjects);
    }

    /**
     * Sends everything that was added, as {@code sync()} does, and throws as that does if a node
     * failed.
     *
     * @return the replies in the order of the commands, as their Responses give them; an error that
     *     a node answered is an element, a {@code JedisDataException}
     */
    public abstract List<Object> syncAndReturnAll();
}
