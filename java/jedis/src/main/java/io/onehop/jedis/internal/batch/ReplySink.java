package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;

/**
 * Who waits for the reply to one command of a batch. He gets a reply or a failure, once, from the
 * thread that runs the batch.
 */
public interface ReplySink {
    /**
     * The node's reply, as Jedis decodes it from the wire; an error it answered is a {@code
     * JedisDataException}. Returns whether it is taken: it is not if it has another shape than the
     * command's replies have, and then the stream is not to be trusted.
     */
    boolean take(Object reply);

    /**
     * Whether a part of what it waits for was answered already, so that the rest of it is not all
     * that was sent.
     */
    default boolean hasBegun() {
        return false;
    }

    /** There will be no reply. */
    void fail(OneHopException failure);
}
