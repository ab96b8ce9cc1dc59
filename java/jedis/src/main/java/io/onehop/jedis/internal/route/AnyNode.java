package io.onehop.jedis.internal.route;

import io.onehop.core.command.Command.MergeRule;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandObject;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs commands that any node can answer: on the same node as long as it is up, then on the next
 * node. A search (RANDOMKEY) also goes on to the next node if the reply is nil.
 *
 * <p>All tries share one deadline. Another node is asked only if the command cannot have run, or is
 * safe to repeat. Any thread.
 */
final class AnyNode {
    private final BatchRunner runner;
    private final AtomicInteger preferred; // An index in everywhere().

    AnyNode(BatchRunner runner) {
        this(runner, new AtomicInteger());
    }

    private AnyNode(BatchRunner runner, AtomicInteger preferred) {
        this.runner = runner;
        this.preferred = preferred;
    }

    /** The same object for another runner of the same snapshot. */
    AnyNode by(BatchRunner other) {
        return new AnyNode(other, preferred);
    }

    /** The home of the node that would be asked now. */
    int preferred() {
        return runner.snapshot().keys().everywhere()[preferred.get()];
    }

    <T> @Nullable T run(CommandObject<T> command, Plan plan) {
        return run(command, plan, null);
    }

    /** Runs a command. {@code held}: the caller has leased a connection of this pool. */
    <T> @Nullable T run(CommandObject<T> command, Plan plan, @Nullable Pool held) {
        boolean isSearch = plan.command().merge() == MergeRule.FIRST_NOT_NIL;
        Deadline deadline = runner.deadline();
        int[] homes = runner.snapshot().keys().everywhere();
        int first = preferred.get();
        T reply = null;
        OneHopException failure = null;
        for (int i = 0; i < homes.length && reply == null; i++) {
            int next = (first + i) % homes.length;
            try {
                reply =
                        runner.askOneOfSeveral(
                                homes[next], command, plan.command(), deadline, held);
                if (!isSearch) {
                    preferred.set(next);
                    return reply;
                }
            } catch (OneHopException lost) {
                failure = Failure.worse(failure, lost);
                if (!(lost instanceof NodeDown)
                        || lost.mayHaveExecuted() && !plan.command().isRetryable()) {
                    throw failure;
                }
            }
        }
        if (reply == null && failure != null) {
            // A search also ends here, because the lost node may have what it looks for.
            throw failure;
        }
        return reply;
    }
}
