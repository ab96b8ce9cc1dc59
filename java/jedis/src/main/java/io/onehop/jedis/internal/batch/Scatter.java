package io.onehop.jedis.internal.batch;

import io.onehop.core.base.Message;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.batch.BatchExchange.Successors;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.connection.NodeConnection;
import io.onehop.jedis.internal.connection.StackRoom;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.pool.Holder;
import io.onehop.jedis.internal.pool.Pool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs exchanges with several nodes in parallel, on one thread and by one deadline. It leases all
 * connections, writes to all nodes, then serves each node that is ready.
 *
 * <p>In: an exchange for each node, in node order. Out: whatever happened, every exchange is done
 * or has failed, and every connection is settled. A node that fails does not delay the others. A
 * batch takes as long as its slowest node. Shared by split commands and pipelines.
 */
public final class Scatter {
    /*
     * Leasing: an exchange without a free connection waits for the next round, after all others
     * have been served and have given their connections back. If a round could lease nothing, the
     * batch waits for a connection of its first node, and has no other connection in that time.
     * So two batches cannot wait for each other, and the exhausted pool of one node does not
     * delay the other nodes.
     *
     * Waiting: healthy nodes answer within a millisecond of each other. So it is enough to wait
     * for the first node, on its own selector, and then to check all. If the first node takes
     * longer, each wait makes a selector over all nodes. That costs some 20 us, but then some
     * node is slow anyway.
     *
     * Leaving: an exchange whose node lets it wait goes to the node that has taken over. In a plain
     * server pool it begins again in the next round. In a Redis Cluster its slots may have several
     * owners, so the batch sends its commands on after the last round.
     */
    private static final int FIRST_WAIT_MS = 1;

    private final Holder holder;
    private final Deadline deadline;
    private final RetryBudget budget;
    private final Successors successors;
    private final boolean isLater;
    private final List<BatchExchange> serving;
    // For the next round: first the exchanges to send once more, then those without a connection.
    private final List<BatchExchange> rest = new ArrayList<>();
    private int retries;
    private boolean isSlow;
    private long leftNs; // The time that remained when the last step began; 0: that step only read.

    private Scatter(
            Holder holder,
            Deadline deadline,
            RetryBudget budget,
            Successors successors,
            boolean isLater,
            int size) {
        this.holder = holder;
        this.isLater = isLater;
        this.deadline = deadline;
        this.budget = budget;
        this.successors = successors;
        this.serving = new ArrayList<>(size);
    }

    /** Runs the exchanges. Afterwards each is done, has left or has its failure. */
    public static void run(
            List<BatchExchange> exchanges,
            Deadline deadline,
            RetryBudget budget,
            Successors successors) {
        Holder holder = new Holder();
        List<BatchExchange> waiting = exchanges;
        try {
            while (!waiting.isEmpty()) {
                boolean isLater = waiting != exchanges;
                Scatter round =
                        new Scatter(holder, deadline, budget, successors, isLater, waiting.size());
                round.lease(waiting);
                round.serve();
                waiting = round.rest;
            }
            exchanges.forEach(BatchExchange::end);
        } finally {
            holder.isOver = true;
        }
    }

    /* ---- Leasing ---- */

    private void lease(List<BatchExchange> waiting) {
        for (BatchExchange exchange : waiting) {
            if (!starts(exchange, false)) {
                rest.add(exchange);
            }
        }
        if (serving.isEmpty() && !rest.isEmpty()) {
            BatchExchange first = rest.get(0);
            rest.removeIf(exchange -> starts(exchange, exchange == first));
        }
    }

    /**
     * False if there is no free connection yet. True if the exchange has one, has left or has
     * failed.
     */
    private boolean starts(BatchExchange exchange, boolean waits) {
        if (isLater
                && exchange.mayLeave(successors, deadline)
                && !exchange.leave(successors, deadline)) {
            return true;
        }
        try {
            NodeConnection connection = leased(exchange, waits);
            if (connection == null) {
                return false;
            }
            exchange.start(connection);
            serving.add(exchange);
        } catch (OneHopException failure) {
            if (Failure.isLeft(failure)) {
                return !exchange.leave(successors, deadline);
            }
            exchange.fail(failure);
        }
        return true;
    }

    private @Nullable NodeConnection leased(BatchExchange exchange, boolean waits) {
        Pool pool = exchange.pool();
        if (exchange.goesBeyond()) {
            return pool.leaseBeyond(holder, deadline, exchange.asked());
        }
        return waits
                ? pool.awaitLease(
                        holder,
                        deadline,
                        exchange.asked(),
                        () -> exchange.mayLeave(successors, deadline))
                : pool.tryLease(holder, deadline, exchange.asked());
    }

    /* ---- Serving ---- */

    private void serve() {
        step(true); // Write to all nodes before reading from any.
        boolean moved = false;
        while (!serving.isEmpty()) {
            if (!moved) {
                await();
            }
            moved = step(false);
        }
    }

    /** Advances every exchange that is not over. True if any made progress. */
    private boolean step(boolean isFirst) {
        leftNs = deadline.waitNs();
        boolean isLate = leftNs == 0;
        boolean moved = false;
        for (Iterator<BatchExchange> each = serving.iterator(); each.hasNext(); ) {
            BatchExchange exchange = each.next();
            try {
                moved |= isFirst && !isLate ? exchange.begin() : exchange.advance(deadline, isLate);
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
            rest.add(retries, exchange);
            retries++;
        } else {
            exchange.fail(thrown);
        }
    }

    /**
     * Waits until some exchange can make progress. If the last step began after the deadline, all
     * remaining exchanges fail. A step that began before the deadline proves nothing, because this
     * thread may have been stopped since then.
     */
    private void await() {
        try {
            if (leftNs == 0) {
                throw new SocketTimeoutException(Message.DEADLINE_PASSED.what());
            }
            if (!isReady(serving.get(0).checkMs(deadline, leftNs))) {
                leave();
            }
        } catch (IOException late) {
            // All are noted first, because nodes that are late together are not to blame.
            serving.forEach(BatchExchange::noteLate);
            serving.forEach(exchange -> exchange.fail(exchange.explained(late)));
            serving.clear();
        }
    }

    /**
     * Makes exchanges leave the nodes that they wait for, if they may and another node can answer
     * sooner. As with deadlines, all exchanges are noted before one is judged.
     */
    private void leave() {
        List<BatchExchange> leaving =
                serving.stream().filter(each -> each.mayLeave(successors, deadline)).toList();
        serving.removeAll(leaving);
        leaving.forEach(BatchExchange::noteLateReplica);
        for (BatchExchange exchange : leaving) {
            if (exchange.leave(successors, deadline)) {
                rest.add(exchange);
            }
        }
    }

    /** Waits that long. False if no exchange can make progress. */
    private boolean isReady(long ms) throws IOException {
        BatchExchange first = serving.get(0);
        if (first.isResolving() || first.isTrying()) {
            return isAnyReady(ms);
        }
        if (serving.size() == 1) {
            return first.socket().awaitMs(first.interest(), ms);
        }
        isSlow = isSlow || !first.socket().awaitMs(first.interest(), FIRST_WAIT_MS);
        return !isSlow || isAnyReady(ms);
    }

    private boolean isAnyReady(long ms) throws IOException {
        StackRoom.require();
        try (Selector all = Selector.open()) {
            AtomicBoolean isResolved = new AtomicBoolean();
            long waitMs = ms;
            for (BatchExchange exchange : serving) {
                if (exchange.isResolving()) {
                    exchange.whenResolved(
                            () -> {
                                isResolved.set(true);
                                all.wakeup();
                            });
                } else {
                    exchange.register(all);
                    waitMs = exchange.waitMs(waitMs);
                }
            }
            boolean isReady = isResolved.get() || all.select(waitMs) > 0;
            if (!isReady && Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException(Message.INTERRUPTED.what());
            }
            return isReady;
        }
    }
}
