package io.onehop.jedis.internal.route;

import io.onehop.core.command.MergeRule;
import io.onehop.jedis.NodeDown;
import io.onehop.jedis.internal.command.Plan;
import io.onehop.jedis.internal.connection.Deadline;

import redis.clients.jedis.CommandObject;

/**
 * A command that any node can answer: the same one as long as it is up, then the next; and for a
 * key at random the next one while there is none.
 *
 * <p>All tries have one deadline. Another node is asked only if the command cannot have run, or may
 * be repeated. Any thread.
 */
final class AnyNode {
    private final BatchRunner runner;
    private volatile int preferred; // Which of all homes it concerns.

    AnyNode(BatchRunner runner) {
        this.runner = runner;
    }

    /** The home of the node that would be asked now. */
    int preferred() {
        return runner.snapshot().keys().everywhere()[preferred];
    }

    <T> T run(CommandObject<T> command, Plan plan) {
        boolean isSearch = plan.command().merge() == MergeRule.FIRST_NOT_NIL;
        Deadline deadline = runner.deadline();
        int[] homes = runner.snapshot().keys().everywhere();
        int first = preferred;
        T reply = null;
        NodeDown down = null;
        for (int i = 0; i < homes.length && reply == null; i++) {
            int next = (first + i) % homes.length;
            try {
                reply = runner.ask(homes[next], command, plan.command(), deadline);
                if (!isSearch) {
                    preferred = next;
                    return reply;
                }
            } catch (NodeDown lost) {
                if (lost.mayHaveExecuted() && !plan.command().isRetryable()) {
                    throw lost;
                }
                down = down == null ? lost : down;
            }
        }
        if (reply == null && down != null) {
            throw down; // Of a search, too: what is on that node nobody knows.
        }
        return reply;
    }
}
