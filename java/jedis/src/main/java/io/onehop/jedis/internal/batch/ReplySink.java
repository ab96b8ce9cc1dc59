package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;

import org.jspecify.annotations.Nullable;

/**
 * Takes the reply to one command of a batch. It gets one reply or one failure, from the thread that
 * runs the batch.
 */
public interface ReplySink {
    /** The sink of a command that no caller waits for. */
    ReplySink NOBODY =
            new ReplySink() {
                @Override
                public boolean take(@Nullable Object reply) {
                    return true;
                }

                @Override
                public void fail(OneHopException failure) {
                    // The caller's command gets the failure.
                }
            };

    /**
     * Takes the node's reply as Jedis decodes it; an error reply is a {@code JedisDataException}.
     * Returns false if the reply has another shape than the command's replies have. Then the stream
     * cannot be trusted.
     */
    boolean take(@Nullable Object reply);

    /** Ends the wait: there will be no reply. */
    void fail(OneHopException failure);
}
