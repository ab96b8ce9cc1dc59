package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import java.util.function.Supplier;

/**
 * Sees every call of a client, for {@code OneHopTracing}. A client without an observer has {@code
 * null} in its place, which costs each call one comparison.
 *
 * <p>Any thread. A call runs on the thread of its caller.
 */
public interface CallObserver {
    /**
     * Runs a call and returns what it returns, or throws what it throws.
     *
     * @param operation the name of its command, or of the batch; never a key
     * @param commands how many commands it has
     */
    <T> T observe(Snapshot snapshot, String operation, int commands, Supplier<T> call);

    /** The call of this thread asks that many nodes in parallel; {@code node} is one of them. */
    void asks(Pool node, int nodes);
}
