package io.onehop.jedis.internal.pool;

import io.onehop.jedis.internal.connection.NodeConnection;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.function.Predicate;

/**
 * The connections of one node, each on its own seat, and the holder of each seat. Any thread may
 * take one; the holder gives it back.
 */
final class Seats {
    /*
     * A thread may end in an Error anywhere. After a StackOverflowError it cannot even call a method that
     * tidies up. So there are only two words, each written in one step: a seat has its holder, and a holder
     * has whether it is over. No other bookkeeping could be left half done. A seat is free if it has no
     * holder, or if its holder is over. In the second case nobody knows what state the connection is in, so
     * it is closed.
     *
     *     holder   connection
     *     none     none          not opened yet, or closed
     *     none     open          idle
     *     one      any           leased; nobody else may touch it
     *     over     any           left by a call that ended in an Error; the next holder closes the connection
     *
     * The first seats are taken first, so that the last ones idle, and are closed. A thread that finds no
     * free seat waits on a monitor: the JVM releases a monitor on any Error, but not a Lock. Nobody notifies
     * it when a holder is over, so it looks every 100 ms.
     */
    private static final int NONE = -1;
    private static final long WAIT_MAX_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final AtomicReferenceArray<Holder> holders;
    // Only the holder uses one; others see if there is one.
    private final NodeConnection[] connections;
    private final IntFunction<NodeConnection> maker;
    private final Object monitor = new Object();
    private volatile int waiting;

    /** {@code maker}: a connection, not open yet, for a seat. */
    Seats(int count, IntFunction<NodeConnection> maker) {
        this.holders = new AtomicReferenceArray<>(count);
        this.connections = new NodeConnection[count];
        this.maker = maker;
    }

    /* ---- Taking ---- */

    /** A connection, perhaps not open yet, for this holder; {@code null}: all are held. */
    NodeConnection take(Holder holder) {
        int seat = claim(holder);
        return seat == NONE ? null : usable(seat);
    }

    /** The same, after waiting so long at most; less if it is worth looking again. */
    NodeConnection await(Holder holder, long maxNs) throws InterruptedException {
        int seat;
        synchronized (monitor) {
            waiting++;
            try {
                // A seat given back earlier did not notify us; later ones will.
                seat = claim(holder);
                if (seat == NONE && maxNs > 0) {
                    long ms = TimeUnit.NANOSECONDS.toMillis(Math.min(maxNs, WAIT_MAX_NS));
                    monitor.wait(Math.max(1, ms));
                    seat = claim(holder);
                }
            } catch (InterruptedException interrupted) {
                monitor.notify(); // Perhaps there was a seat for us.
                throw interrupted;
            } finally {
                waiting--;
            }
        }
        return seat == NONE ? null : usable(seat);
    }

    /**
     * The seat that is this holder's from now on: one with a connection rather than one without.
     */
    private int claim(Holder holder) {
        int empty = NONE;
        for (int seat = 0; seat < connections.length; seat++) {
            Holder before = holders.get(seat);
            if (isLeft(before, seat)) {
                if (holders.compareAndSet(seat, before, holder)) {
                    return claimed(seat, before);
                }
            } else if (before == null && empty == NONE) {
                empty = seat;
            }
        }
        for (int seat = empty; seat != NONE && seat < connections.length; seat++) {
            if (holders.get(seat) == null && holders.compareAndSet(seat, null, holder)) {
                return seat;
            }
        }
        return NONE;
    }

    /** Whether there is a connection that nobody uses. */
    private boolean isLeft(Holder holder, int seat) {
        return holder == null ? connections[seat] != null : holder.isOver();
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
        }
        if (connections[seat] == null) {
            connections[seat] = maker.apply(seat);
        }
        return connections[seat];
    }

    /** Closed first: if that ends in an Error, the next holder closes it again. */
    private void drop(int seat) {
        if (connections[seat] != null) {
            connections[seat].disconnect();
            connections[seat] = null;
        }
    }

    /* ---- Giving back ---- */

    /** The seat is free, with its connection or without. */
    void give(int seat, boolean isKept) {
        if (!isKept) {
            drop(seat);
        }
        holders.set(seat, null);
        if (waiting > 0) {
            synchronized (monitor) {
                monitor.notify();
            }
        }
    }

    /**
     * Closes connections that nobody uses: those that an over holder left, and idle ones not to be
     * kept.
     */
    void evictUnless(Predicate<NodeConnection> isKept) {
        Holder evictor = new Holder();
        try {
            for (int seat = 0; seat < connections.length; seat++) {
                Holder before = holders.get(seat);
                if (isLeft(before, seat) && holders.compareAndSet(seat, before, evictor)) {
                    claimed(seat, before);
                    give(seat, connections[seat] != null && isKept.test(connections[seat]));
                }
            }
        } finally {
            evictor.isOver = true;
        }
    }

    /** Makes all waiting threads look again. */
    void wakeAll() {
        synchronized (monitor) {
            monitor.notifyAll();
        }
    }

    /* ---- How many ---- */

    int leased() {
        int count = 0;
        for (int seat = 0; seat < connections.length; seat++) {
            Holder holder = holders.get(seat);
            count += holder != null && !holder.isOver() ? 1 : 0;
        }
        return count;
    }

    int idle() {
        int count = 0;
        for (int seat = 0; seat < connections.length; seat++) {
            count += holders.get(seat) == null && connections[seat] != null ? 1 : 0;
        }
        return count;
    }

    /** Whether no seat has a holder or a connection. */
    boolean isEmpty() {
        for (int seat = 0; seat < connections.length; seat++) {
            if (holders.get(seat) != null || connections[seat] != null) {
                return false;
            }
        }
        return true;
    }
}
