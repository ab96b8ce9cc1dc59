package io.onehop.jedis.internal.snapshot;

import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.PoolBeans;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.tls.ClientTls;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/**
 * The newest snapshot of a client, and the pools that only older ones use.
 *
 * <p>Any thread may take the newest snapshot, with one volatile read. {@link #adopt} replaces it.
 */
public final class Snapshots {
    /* A monitor, not a Lock: the JVM releases it on any Error, even if no stack is left. */
    private final Object lock = new Object();
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    // Calls that began earlier may still use them.
    private final Set<Pool> retired = Collections.newSetFromMap(new WeakHashMap<>());
    private final List<Pool> emptying = new ArrayList<>(); // Retired pools that have connections.
    private final PoolBeans beans;
    private volatile Snapshot newest;
    private volatile boolean isClosed;

    public Snapshots(PoolTopology topology, ClientTls tls, PoolSettings settings) {
        this.newest = new Snapshot(topology, tls, settings);
        this.beans = new PoolBeans(settings);
        beans.are(List.of(newest.pools()));
    }

    /** The newest snapshot as it is. */
    public Snapshot newest() {
        return newest;
    }

    /**
     * The newest snapshot for a call that begins. Places keys again if a node was ejected or may
     * return.
     */
    public Snapshot current() {
        Snapshot now = newest;
        return now.isOutdated() ? placedAgain() : now;
    }

    /** Places keys again. The first thread that notices the need does it for all others. */
    private Snapshot placedAgain() {
        List<Runnable> news = new ArrayList<>();
        try {
            return placedAgain(news);
        } finally {
            // This is outside the lock, because a logger may be slow or make calls.
            news.forEach(Runnable::run);
        }
    }

    private Snapshot placedAgain(List<Runnable> news) {
        synchronized (lock) {
            if (!isClosed && newest.isOutdated()) {
                newest = newest.placedAgain(news);
                watchers.forEach(Runnable::run);
            }
            return newest;
        }
    }

    /**
     * Runs {@code watcher} at each change of the snapshot and when the client is closed, until
     * {@link #unwatch}. The watcher must neither wait nor throw.
     */
    public void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    public void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }

    /** Calls that begin from now on use this topology. False if the client is closed. */
    public boolean adopt(PoolTopology topology) {
        return adopt(before -> topology);
    }

    /**
     * Replaces the topology by what {@code change} makes of it. If {@code change} returns its
     * argument, nothing is replaced. False if the client is closed.
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
            beans.are(List.of(after.pools()));
            watchers.forEach(Runnable::run);
            return true;
        }
    }

    public boolean isClosed() {
        return isClosed;
    }

    /** Closes idle connections that are too old or not usable. */
    void evictIdle() {
        List<Pool> pools = new ArrayList<>();
        synchronized (lock) {
            emptying.removeIf(Pool::isEmpty);
            pools.addAll(emptying);
        }
        pools.addAll(Arrays.asList(newest.pools()));
        pools.forEach(Pool::evictIdle);
    }

    /** True if the client is closed and no connection is open. */
    boolean isOver() {
        synchronized (lock) {
            return isClosed
                    && emptying.stream().allMatch(Pool::isEmpty)
                    && Arrays.stream(newest.pools()).allMatch(Pool::isEmpty);
        }
    }

    /** Closes idle connections now, and leased ones when their call ends. */
    public void close() {
        synchronized (lock) {
            isClosed = true;
            beans.are(List.of());
            retired.forEach(Pool::close);
            for (Pool pool : newest.pools()) {
                pool.close();
            }
            watchers.forEach(Runnable::run);
        }
    }
}
