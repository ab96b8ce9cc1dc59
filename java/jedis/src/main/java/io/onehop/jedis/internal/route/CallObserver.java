package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.command.Commands;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;

import java.util.function.Supplier;

/**
 * Sees every call of a client, for {@code OneHopTracing}. A client without an observer has {@code
 * null} instead, which costs each call one comparison.
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

    /**
     * Notes that the call of this thread asks that many nodes in parallel; {@code node} is one of
     * them.
     */
    void asks(Pool node, int nodes);

    /**
     * The name of a batch for a {@link CallObserver}: {@code PIPELINE GET} if all its commands are
     * GET, otherwise {@code PIPELINE}. That is the form of OpenTelemetry's conventions. For one
     * thread.
     */
    final class BatchName {
        private final String kind;
        private @Nullable String only; // The name of all commands so far; null before the first.
        private boolean isMixed;

        /** {@code kind}: PIPELINE or MULTI. */
        public BatchName(String kind) {
            this.kind = kind;
        }

        public void add(CommandArguments command) {
            String name = Commands.name(command);
            isMixed |= only != null && !only.equals(name);
            only = name;
        }

        @Override
        public String toString() {
            return only == null || isMixed ? kind : kind + " " + only;
        }
    }
}
