package io.onehop.jedis.internal.pool;

import io.onehop.jedis.internal.connection.NodeConnection;

import org.jspecify.annotations.Nullable;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * The connections of one node, each on its own seat, and the holder of each seat. Any thread may
 * take a seat; the holder gives it back.
 */
final class Seats {
    /*
     * A thread may end in an Error anywhere. After a StackOverflowError it cannot even call a
     * method that tidies up. So the state is only two fields, each written in one step: the
     * holder of a seat, and whether a holder is over. There is no other bookkeeping that could be
     * left half done. A seat is free if it has no holder, or if its holder is over. In the second
     * case the state of the connection is unknown, so it is closed.
     *
     *     holder   connection
     *     none     none          not opened yet, or closed
     *     none     open          idle, or being opened since a call that had no time left
     *     one      any           leased; only the holder may touch it
     *     over     any           left by a call that ended in an Error; the next holder closes it
     *
     * The first seats are taken first, so that connections in the last seats stay idle and are
     * closed in time. A thread that finds no free seat queues up, and waits on the monitor of its
     * holder. While there is a queue, only its first thread takes a seat. Otherwise new threads
     * would be faster than a thread that has to wake up. The JVM releases a monitor, not a Lock,
     * on any Error. A holder that is over notifies no thread, so waiting threads check every 100
     * ms.
     */
    private static final int NONE = -1;
    private static final long WAIT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicReferenceArray<Holder> holders;
    // Only the holder uses a connection. Other threads only check whether there is one.
    private final NodeConnection[] connections;
    private final IntFunction<NodeConnection> maker;
    private final Queue<Holder> queue = new ConcurrentLinkedQueue<>();
    private final LongAdder made = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder evicted = new LongAdder();

    /** {@code maker} makes the connection of a seat, not open yet. */
    Seats(int count, IntFunction<NodeConnection> maker) {
        this.holders = new AtomicReferenceArray<>(count);
        this.connections = new NodeConnection[count];
        this.maker = maker;
    }

    /* ---- Taking ---- */

    /**
     * A connection for this holder, perhaps not open yet; {@code null} if all are leased or others
     * wait.
     */
    @Nullable NodeConnection take(Holder holder) {
        int seat = queue.isEmpty() ? claim(holder) : NONE;
        return seat == NONE ? null : usable(seat);
    }

    /**
     * A connection that is not open yet, for this holder. It is {@code null} if there is none,
     * because all are open, leased, or not given back after an Error, or if others wait.
     */
    @Nullable NodeConnection takeClosed(Holder holder) {
        for (int seat = 0; seat < connections.length && queue.isEmpty(); seat++) {
            if (holders.get(seat) == null
                    && !isOpen(seat)
                    && holders.compareAndSet(seat, null, holder)) {
                return usable(seat);
            }
        }
        return null;
    }

    /**
     * Queues up behind the threads that wait already. {@link #leave} must follow, however the wait
     * ends.
     */
    void enter(Holder holder) {
        queue.add(holder);
    }

    void leave(Holder holder) {
        queue.remove(holder);
        wakeFirst(); // There may be another free seat.
    }

    /**
     * Like {@link #take}, but for a holder that has queued up, and after a wait of at most that
     * long. Returns early if a new try makes sense.
     */
    @Nullable NodeConnection await(Holder holder, long maxNs) throws InterruptedException {
        int seat;
        synchronized (holder) {
            seat = claimInTurn(holder);
            if (seat == NONE && maxNs > 0) {
                long ms = TimeUnit.NANOSECONDS.toMillis(Math.min(maxNs, WAIT_MAX_NS));
                holder.wait(Math.max(1, ms));
                seat = claimInTurn(holder);
            }
        }
        return seat == NONE ? null : usable(seat);
    }

    private int claimInTurn(Holder holder) {
        Holder first = queue.peek();
        while (first != null && first != holder && first.isOver()) { // Its call ended in an Error.
            queue.remove(first);
            first = queue.peek();
        }
        return first == holder ? claim(holder) : NONE;
    }

    private void wakeFirst() {
        wake(queue.peek());
    }

    private static void wake(@Nullable Holder waiting) {
        if (waiting != null) {
            synchronized (waiting) {
                waiting.notify();
            }
        }
    }

    /**
     * Claims a seat for this holder: preferably a seat with an open connection, or else one with a
     * connection that another call has begun to open.
     */
    private int claim(Holder holder) {
        int closed = NONE;
        for (int seat = 0; seat < connections.length; seat++) {
            Holder before = holders.get(seat);
            if (before == null ? isOpen(seat) : before.isOver()) {
                if (holders.compareAndSet(seat, before, holder)) {
                    return claimed(seat, before);
                }
            } else if (before == null && (closed == NONE || isBegun(seat) && !isBegun(closed))) {
                closed = seat;
            }
        }
        for (int i = 0; closed != NONE && i < connections.length; i++) {
            int seat = (closed + i) % connections.length;
            if (holders.get(seat) == null && holders.compareAndSet(seat, null, holder)) {
                return seat;
            }
        }
        return NONE;
    }

    private boolean isOpen(int seat) {
        NodeConnection connection = connections[seat];
        return connection != null && connection.isOpen();
    }

    private boolean isBegun(int seat) {
        return connections[seat] != null;
    }

    /** True if the seat has a connection that is not in use. */
    private boolean isLeft(Holder holder, int seat) {
        return holder == null ? isBegun(seat) : holder.isOver();
    }

    private int claimed(int seat, Holder before) {
        if (before != null) {
            drop(seat);
        }
        return seat;
    }

    private NodeConnection usable(int seat) {
        if (connections[seat] != null && !connections[seat].isUsable()) {
            drop(seat);
            refused.increment();
        }
        if (connections[seat] == null) {
            made.increment();
            connections[seat] = maker.apply(seat);
        }
        return connections[seat];
    }

    /**
     * Closes the connection, and only then forgets it: if closing ends in an Error, the next holder
     * closes it again.
     */
    private void drop(int seat) {
        if (connections[seat] != null) {
            connections[seat].disconnect();
            connections[seat] = null;
        }
    }

    /* ---- Giving back ---- */

    /** Frees the seat, with its connection or without. */
    void give(int seat, boolean isKept) {
        if (!isKept) {
            drop(seat);
        }
        holders.set(seat, null);
        wakeFirst();
    }

    /**
     * Closes connections that are not in use: those that a call did not give back because of an
     * Error, and idle connections that fail the test.
     */
    void evictUnless(Predicate<NodeConnection> isKept) {
        Holder evictor = new Holder();
        try {
            for (int seat = 0; seat < connections.length; seat++) {
                Holder before = holders.get(seat);
                if (isLeft(before, seat) && holders.compareAndSet(seat, before, evictor)) {
                    claimed(seat, before);
                    boolean isStaying = connections[seat] != null && isKept.test(connections[seat]);
                    evicted.add(isStaying ? 0 : 1);
                    give(seat, isStaying);
                }
            }
        } finally {
            evictor.isOver = true;
        }
    }

    /** Runs this for each connection that has a holder. The holder goes on using the connection. */
    void eachLeased(Consumer<NodeConnection> action) {
        for (int seat = 0; seat < connections.length; seat++) {
            NodeConnection connection = connections[seat];
            if (holders.get(seat) != null && connection != null) {
                action.accept(connection);
            }
        }
    }

    /** Makes all waiting threads try again. */
    void wakeAll() {
        queue.forEach(Seats::wake);
    }

    /* ---- How many ---- */

    /** Seats that are in use. */
    int leased() {
        return count(this::isLeased);
    }

    private boolean isLeased(int seat) {
        Holder holder = holders.get(seat);
        return holder != null && !holder.isOver();
    }

    /** Seats whose connection is open and not in use. */
    int idle() {
        return count(seat -> holders.get(seat) == null && isOpen(seat));
    }

    /** Seats that have a connection. */
    int begun() {
        return count(this::isBegun);
    }

    /** True if no seat has a holder or a connection. */
    boolean isEmpty() {
        return count(seat -> holders.get(seat) != null || isBegun(seat)) == 0;
    }

    private int count(IntPredicate which) {
        int count = 0;
        for (int seat = 0; seat < connections.length; seat++) {
            count += which.test(seat) ? 1 : 0;
        }
        return count;
    }

    int waiting() {
        return queue.size();
    }

    /** Connections made so far. */
    long made() {
        return made.sum();
    }

    /** Connections that were no longer usable when they were taken. */
    long refused() {
        return refused.sum();
    }

    /** Connections that were closed while they were not in use. */
    long evicted() {
        return evicted.sum();
    }
}
