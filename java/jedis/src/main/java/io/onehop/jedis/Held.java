package io.onehop.jedis;

import java.util.function.Consumer;
import java.util.function.Function;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * A connection that one caller keeps for several calls, because the node remembers something on it: what is watched.
 *
 * <p>Each call has its own deadline; a failure closes the connection, and with it what the node remembered. For one
 * thread.
 */
final class Held {
    private final Pool pool;
    private final NodeConnection connection;

    /** Leases, and opens if need be, within the server pool's timeout. */
    Held(Pool pool) {
        this.pool = pool;
        this.connection = pool.lease(deadline(pool));
    }

    Pool pool() {
        return pool;
    }

    private static Deadline deadline(Pool pool) {
        return Deadline.in(pool.endpoint().timeoutMs());
    }

    /**
     * What the exchange answers; or the error the node answered, or the failure, thrown. What leads it, by the same
     * deadline, executes nothing by itself.
     */
    <T> T call(Consumer<NodeConnection> lead, Function<NodeConnection, T> exchange) {
        connection.use(deadline(pool));
        long written = Long.MAX_VALUE;
        try {
            lead.accept(connection);
            written = connection.written();
            T reply = exchange.apply(connection);
            pool.answered(connection);
            return reply;
        } catch (JedisDataException answer) {
            pool.answered(connection);
            throw answer;
        } catch (Throwable thrown) {
            OneHopException failure = Exchange.failure(thrown, pool, connection, connection.written() > written);
            pool.failed(connection, failure);
            throw failure;
        }
    }

    /** Ends the lease; the connection goes back if it is clean and the node remembers nothing on it. */
    void settle(boolean isForgotten) {
        if (!isForgotten) {
            connection.disconnect();
        }
        pool.settle(connection);
    }
}
