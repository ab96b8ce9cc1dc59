package io.onehop.jedis;

import io.onehop.core.Topology;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * The route over the newest snapshot. A call, a batch, a transaction or a subscription takes it once, when it begins,
 * and ends on it, whatever is adopted meanwhile.
 *
 * <p>Any thread may take it, by one read; whoever has something newer calls {@link #adopt}.
 */
final class CurrentRoute implements CommandExecutor {
    /* A monitor, not a Lock: the JVM releases it on any Error, even if no stack is left. */
    private final Object lock = new Object();
    private final Set<Runnable> watchers = ConcurrentHashMap.newKeySet();
    private final Set<Pool> retired = Collections.newSetFromMap(new WeakHashMap<>()); // Somebody may hold them still.
    private final List<Pool> emptying = new ArrayList<>(); // Those of them that have connections.
    private final Cluster cluster = new Cluster(this);
    private volatile Route route;
    private volatile boolean isClosed;

    CurrentRoute(Topology topology) {
        this.route = new Route(new Snapshot(topology), cluster);
    }

    /** The route of a call that begins. The first one to a Redis Cluster waits until a node has told what it looks like. */
    Route take() {
        Route now = route;
        if (!now.snapshot().isMapped()) {
            cluster.contact();
            return route;
        }
        return now.snapshot().isOutdated() ? placedAnew() : now;
    }

    /** A node was ejected, or may return: whoever notices first places anew, for everybody. */
    private Route placedAnew() {
        List<Runnable> news = new ArrayList<>();
        try {
            return placedAnew(news);
        } finally {
            news.forEach(Runnable::run); // Outside the lock: a logger may be slow, or make calls.
        }
    }

    private Route placedAnew(List<Runnable> news) {
        synchronized (lock) {
            if (!isClosed && route.snapshot().isOutdated()) {
                route = route.over(route.snapshot().placedAnew(news));
                watchers.forEach(Runnable::run);
            }
            return route;
        }
    }

    /** The newest snapshot, for whoever only looks. */
    Snapshot current() {
        return route.snapshot();
    }

    @Override
    public <T> T executeCommand(CommandObject<T> command) {
        return take().executeCommand(command);
    }

    /**
     * Runs this at each change of the route and when the client is closed, until {@link #unwatch}. It must
     * neither wait nor throw.
     */
    void watch(Runnable watcher) {
        watchers.add(watcher);
    }

    void unwatch(Runnable watcher) {
        watchers.remove(watcher);
    }

    /** From now on calls go by this topology; false if the client is closed. */
    boolean adopt(Topology topology) {
        return adopt(before -> topology);
    }

    /** From now on calls go by what is made of the topology that there is, unless that is it itself. */
    boolean adopt(UnaryOperator<Topology> change) {
        synchronized (lock) {
            if (isClosed) {
                return false;
            }
            Snapshot before = route.snapshot();
            Topology topology = change.apply(before.topology());
            if (topology == before.topology()) {
                return true;
            }
            Snapshot after = before.next(topology);
            route = route.over(after);
            for (Pool dropped : before.withoutThoseOf(after)) {
                retired.add(dropped);
                emptying.add(dropped);
                dropped.retire();
            }
            watchers.forEach(Runnable::run);
            return true;
        }
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Looks at the connections that nobody uses. */
    void look() {
        List<Pool> pools = new ArrayList<>();
        synchronized (lock) {
            emptying.removeIf(Pool::isEmpty);
            pools.addAll(emptying);
        }
        pools.addAll(Arrays.asList(route.pools()));
        pools.forEach(Pool::look);
    }

    /** Whether it is closed, and no connection is open. */
    boolean isOver() {
        synchronized (lock) {
            return isClosed && emptying.stream().allMatch(Pool::isEmpty)
                    && Arrays.stream(route.pools()).allMatch(Pool::isEmpty);
        }
    }

    /** Closes every connection: the idle ones now, those in use when their call is over. */
    @Override
    public void close() {
        synchronized (lock) {
            isClosed = true;
            cluster.close();
            retired.forEach(Pool::close);
            for (Pool pool : route.pools()) {
                pool.close();
            }
            watchers.forEach(Runnable::run);
        }
    }
}
