package io.onehop.jedis.internal.batch;

import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Unresolved;
import io.onehop.jedis.internal.pool.Holder;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Several nodes at once, from one thread: lease all, write to all, then serve whoever is ready, by
 * one deadline.
 *
 * <p>In: a lane for each node, in node order. Out: every lane done or failed, every connection
 * settled, whatever happened. What one node does or fails to do costs the others nothing but the
 * wait for the slowest. Shared by split commands and pipelines.
 */
public final class Scatter {
    /*
     * Leasing: whoever has no free connection is left for the next round, when all others have been served and given
     * back; only a round that could lease nothing waits, for its first node, holding nothing. So two batches cannot
     * wait for each other, and an exhausted pool of one node does not hold up the rest.
     *
     * Waiting: healthy nodes answer within a millisecond of each other, so that waiting for the first of them, on its
     * own selector, and then looking at all is as good as anything. Only if that is not enough, a selector over all is
     * made for each wait: it costs some 20 us, and by then some node is slow anyway.
     */
    private static final int FIRST_WAIT_MS = 1;

    private final Holder holder;
    private final Deadline deadline;
    private final RetryBudget budget;
    private final List<Lane> serving = new ArrayList<>();
    private final List<Lane> again = new ArrayList<>();
    private boolean isSlow;

    private Scatter(Holder holder, Deadline deadline, RetryBudget budget) {
        this.holder = holder;
        this.deadline = deadline;
        this.budget = budget;
    }

    /** Runs the lanes; afterwards each is done or tells its failure. */
    public static void run(List<Lane> lanes, Deadline deadline, RetryBudget budget) {
        Holder holder = new Holder();
        try {
            run(lanes, holder, deadline, budget);
        } finally {
            holder.isOver = true;
        }
    }

    private static void run(
            List<Lane> lanes, Holder holder, Deadline deadline, RetryBudget budget) {
        List<Lane> waiting = new ArrayList<>(lanes);
        while (!waiting.isEmpty()) {
            Scatter round = new Scatter(holder, deadline, budget);
            round.lease(waiting);
            round.serve();
            waiting.addAll(0, round.again);
        }
        lanes.forEach(Lane::end);
    }

    /* ---- Leasing ---- */

    private void lease(List<Lane> waiting) {
        waiting.removeIf(lane -> starts(lane, false));
        if (serving.isEmpty() && !waiting.isEmpty()) {
            starts(waiting.remove(0), true);
            waiting.removeIf(lane -> starts(lane, false));
        }
    }

    /** Whether the lane got a connection, or an end. */
    private boolean starts(Lane lane, boolean waits) {
        try {
            NodeConnection connection =
                    waits
                            ? lane.pool().awaitLease(holder, deadline, lane.asked())
                            : lane.pool().tryLease(holder, deadline, lane.asked());
            if (connection == null) {
                return false;
            }
            lane.start(connection);
            serving.add(lane);
        } catch (OneHopException failure) {
            lane.fail(failure);
        }
        return true;
    }

    /* ---- Serving ---- */

    private void serve() {
        step(true); // Write to everybody before reading from anybody.
        boolean moved = false;
        while (!serving.isEmpty()) {
            if (!moved) {
                await();
            }
            moved = step(false);
        }
    }

    /** One look at every lane that is not over; tells whether any got on. */
    private boolean step(boolean isFirst) {
        boolean moved = false;
        for (Iterator<Lane> each = serving.iterator(); each.hasNext(); ) {
            Lane lane = each.next();
            try {
                moved |= isFirst ? lane.begin() : lane.advance(deadline);
                if (lane.isDone()) {
                    lane.settle();
                    budget.earn();
                    each.remove();
                }
            } catch (Exception thrown) {
                each.remove();
                end(lane, thrown);
                moved = true;
            }
        }
        return moved;
    }

    private void end(Lane lane, Exception thrown) {
        if (lane.mayRetry(thrown) && budget.spend()) {
            lane.retry(thrown);
            again.add(lane);
        } else {
            lane.fail(thrown);
        }
    }

    /** Waits until some lane may get on; if that does not happen, all lanes that are left fail. */
    private void await() {
        try {
            Lane first = serving.get(0);
            if (first.isResolving()) {
                awaitAny();
            } else if (serving.size() == 1) {
                first.socket().await(first.interest());
            } else if (isSlow || !first.socket().awaitMs(first.interest(), FIRST_WAIT_MS)) {
                isSlow = true;
                awaitAny();
            }
        } catch (IOException late) {
            serving.forEach(
                    lane ->
                            lane.fail(
                                    lane.isResolving() && late instanceof SocketTimeoutException
                                            ? new Unresolved()
                                            : late));
            serving.clear();
        }
    }

    private void awaitAny() throws IOException {
        StackRoom.require();
        try (Selector all = Selector.open()) {
            AtomicBoolean isResolved = new AtomicBoolean();
            for (Lane lane : serving) {
                if (lane.isResolving()) {
                    lane.whenResolved(
                            () -> {
                                isResolved.set(true);
                                all.wakeup();
                            });
                } else {
                    lane.socket().channel().register(all, lane.interest());
                }
            }
            int ready = 0;
            while (ready == 0 && !isResolved.get()) {
                if (deadline.hasPassed()) {
                    throw new SocketTimeoutException("the deadline passed");
                }
                ready = all.select(deadline.selectMs());
                if (ready == 0 && Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("the calling thread was interrupted");
                }
            }
        }
    }
}
