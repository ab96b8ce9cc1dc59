package io.onehop.jedis.internal.snapshot;

import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.pool.Pool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * The newest snapshot of a client, and the pools that older ones have left.
 *
 * <p>Any thread may take it, by one read; whoever has something newer calls {@link #adopt}.
 */
public final class Snapshots {
    /* A monitor, not a Lock: the JVM releases it on any Error, even if no stack is left. */
    private final Object lock = new Object();
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    // Somebody may hold them still.
    private final Set<Pool> retired = Collections.newSetFromMap(new WeakHashMap<>());
    private final List<Pool> emptying = new ArrayList<>(); // Those of them that have connections.
    private volatile Snapshot newest;
    private volatile boolean isClosed;

    public Snapshots(PoolTopology topology) {
        this.newest = new Snapshot(topology);
    }

    /** The newest one, for whoever only looks. */
    public Snapshot newest() {
        return newest;
    }

    /** That of a call that begins: a node may have been ejected, or may return. */
    public Snapshot current() {
        Snapshot now = newest;
        return now.isOutdated() ? placedAnew() : now;
    }

    /** Whoever notices that keys are to be placed anew does it first, for everybody. */
    private Snapshot placedAnew() {
        List<Runnable> news = new ArrayList<>();
        try {
            return placedAnew(news);
        } finally {
            news.forEach(Runnable::run); // Outside the lock: a logger may be slow, or make calls.
        }
    }

    private Snapshot placedAnew(List<Runnable> news) {
        synchronized (lock) {
            if (!isClosed && newest.isOutdated()) {
                newest = newest.placedAnew(news);
                watchers.forEach(Runnable::run);
            }
            return newest;
        }
    }

    /**
     * Runs this at each change of the snapshot and when the client is closed, until {@link
     * #unwatch}. It must neither wait nor throw.
     */
    public void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    public void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }

    /** From now on calls go by this topology; false if the client is closed. */
    public boolean adopt(PoolTopology topology) {
        return adopt(before -> topology);
    }

    /**
     * From now on calls go by what is made of the topology that there is, unless that is it itself.
     */
    public boolean adopt(UnaryOperator<PoolTopology> change) {
        synchronized (lock) {
            if (isClosed) {
                return false;
            }
            Snapshot before = newest;
            PoolTopology topology = change.apply(before.topology());
            if (topology == before.topology()) {
                return true;
            }
            Snapshot after = before.next(topology);
            newest = after;
            for (Pool dropped : before.withoutThoseOf(after)) {
                retired.add(dropped);
                emptying.add(dropped);
                dropped.retire();
            }
            watchers.forEach(Runnable::run);
            return true;
        }
    }

    public boolean isClosed() {
        return isClosed;
    }

    /** Looks at the connections that nobody uses. */
    void evictIdle() {
        List<Pool> pools = new ArrayList<>();
        synchronized (lock) {
            emptying.removeIf(Pool::isEmpty);
            pools.addAll(emptying);
        }
        pools.addAll(Arrays.asList(newest.pools()));
        pools.forEach(Pool::evictIdle);
    }

    /** Whether it is closed, and no connection is open. */
    boolean isOver() {
        synchronized (lock) {
            return isClosed
                    && emptying.stream().allMatch(Pool::isEmpty)
                    && Arrays.stream(newest.pools()).allMatch(Pool::isEmpty);
        }
    }

    /** Closes every connection: the idle ones now, those in use when their call is over. */
    public void close() {
        synchronized (lock) {
            isClosed = true;
            retired.forEach(Pool::close);
            for (Pool pool : newest.pools()) {
                pool.close();
            }
            watchers.forEach(Runnable::run);
        }
    }
}
