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
 * <p>In: a exchange for each node, in node order. Out: every exchange done or failed, every
 * connection settled, whatever happened. What one node does or fails to do costs the others nothing
 * but the wait for the slowest. Shared by split commands and pipelines.
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
    private final List<BatchExchange> serving = new ArrayList<>();
    private final List<BatchExchange> again = new ArrayList<>();
    private boolean isSlow;

    private Scatter(Holder holder, Deadline deadline, RetryBudget budget) {
        this.holder = holder;
        this.deadline = deadline;
        this.budget = budget;
    }

    /** Runs the exchanges; afterwards each is done or tells its failure. */
    public static void run(List<BatchExchange> exchanges, Deadline deadline, RetryBudget budget) {
        Holder holder = new Holder();
        try {
            run(exchanges, holder, deadline, budget);
        } finally {
            holder.isOver = true;
        }
    }

    private static void run(
            List<BatchExchange> exchanges, Holder holder, Deadline deadline, RetryBudget budget) {
        List<BatchExchange> waiting = new ArrayList<>(exchanges);
        while (!waiting.isEmpty()) {
            Scatter round = new Scatter(holder, deadline, budget);
            round.lease(waiting);
            round.serve();
            waiting.addAll(0, round.again);
        }
        exchanges.forEach(BatchExchange::end);
    }

    /* ---- Leasing ---- */

    private void lease(List<BatchExchange> waiting) {
        waiting.removeIf(exchange -> starts(exchange, false));
        if (serving.isEmpty() && !waiting.isEmpty()) {
            starts(waiting.remove(0), true);
            waiting.removeIf(exchange -> starts(exchange, false));
        }
    }

    /** Whether the exchange got a connection, or an end. */
    private boolean starts(BatchExchange exchange, boolean waits) {
        try {
            NodeConnection connection =
                    waits
                            ? exchange.pool().awaitLease(holder, deadline, exchange.asked())
                            : exchange.pool().tryLease(holder, deadline, exchange.asked());
            if (connection == null) {
                return false;
            }
            exchange.start(connection);
            serving.add(exchange);
        } catch (OneHopException failure) {
            exchange.fail(failure);
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

    /** One look at every exchange that is not over; tells whether any got on. */
    private boolean step(boolean isFirst) {
        boolean moved = false;
        for (Iterator<BatchExchange> each = serving.iterator(); each.hasNext(); ) {
            BatchExchange exchange = each.next();
            try {
                moved |= isFirst ? exchange.begin() : exchange.advance(deadline);
                if (exchange.isDone()) {
                    exchange.settle();
                    budget.earn();
                    each.remove();
                }
            } catch (Exception thrown) {
                each.remove();
                end(exchange, thrown);
                moved = true;
            }
        }
        return moved;
    }

    private void end(BatchExchange exchange, Exception thrown) {
        if (exchange.mayRetry(thrown) && budget.spend()) {
            exchange.retry(thrown);
            again.add(exchange);
        } else {
            exchange.fail(thrown);
        }
    }

    /**
     * Waits until some exchange may get on; if that does not happen, all exchanges that are left
     * fail.
     */
    private void await() {
        try {
            BatchExchange first = serving.get(0);
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
                    exchange ->
                            exchange.fail(
                                    exchange.isResolving() && late instanceof SocketTimeoutException
                                            ? new Unresolved()
                                            : late));
            serving.clear();
        }
    }

    private void awaitAny() throws IOException {
        StackRoom.require();
        try (Selector all = Selector.open()) {
            AtomicBoolean isResolved = new AtomicBoolean();
            for (BatchExchange exchange : serving) {
                if (exchange.isResolving()) {
                    exchange.whenResolved(
                            () -> {
                                isResolved.set(true);
                                all.wakeup();
                            });
                } else {
                    exchange.socket().channel().register(all, exchange.interest());
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
