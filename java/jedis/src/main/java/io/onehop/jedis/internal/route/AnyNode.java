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
    private final Batches batches;
    private volatile int preferred; // Which of all places it concerns.

    AnyNode(Batches batches) {
        this.batches = batches;
    }

    /** The place of the node that would be asked now. */
    int preferred() {
        return batches.snapshot().keys().everywhere()[preferred];
    }

    <T> T run(CommandObject<T> command, Plan plan) {
        boolean isSearch = plan.command().merge() == MergeRule.FIRST_NOT_NIL;
        Deadline deadline = batches.deadline();
        int[] places = batches.snapshot().keys().everywhere();
        int first = preferred;
        T reply = null;
        NodeDown down = null;
        for (int i = 0; i < places.length && reply == null; i++) {
            int next = (first + i) % places.length;
            try {
                reply = batches.ask(places[next], command, plan.command(), deadline);
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
