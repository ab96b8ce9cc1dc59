package io.onehop.jedis.internal.route;

import io.onehop.core.command.MergeRule;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.Failure;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandObject;

/**
 * Runs commands that any node can answer, on the same node while that is up, then on the next. A
 * search (RANDOMKEY) also goes on to the next node while the reply is nil.
 *
 * <p>All tries share one deadline. Another node is asked only if the command cannot have run, or is
 * safe to repeat. Any thread.
 */
final class AnyNode {
    private final BatchRunner runner;
    private volatile int preferred; // An index in everywhere().

    AnyNode(BatchRunner runner) {
        this.runner = runner;
    }

    /** The home of the node that would be asked now. */
    int preferred() {
        return runner.snapshot().keys().everywhere()[preferred];
    }

    <T> @Nullable T run(CommandObject<T> command, Plan plan) {
        boolean isSearch = plan.command().merge() == MergeRule.FIRST_NOT_NIL;
        Deadline deadline = runner.deadline();
        int[] homes = runner.snapshot().keys().everywhere();
        int first = preferred;
        T reply = null;
        OneHopException failure = null;
        for (int i = 0; i < homes.length && reply == null; i++) {
            int next = (first + i) % homes.length;
            try {
                reply = runner.ask(homes[next], command, plan.command(), deadline);
                if (!isSearch) {
                    preferred = next;
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
            throw failure; // Also for a search: the lost node may have what it looks for.
        }
        return reply;
    }
}
