package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.cluster.Cluster;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * The route over the newest snapshot. A call, a batch, a transaction or a subscription takes it
 * once, when it begins, and ends on it, whatever is adopted meanwhile.
 *
 * <p>Any thread may take it, by two reads: the snapshot's and its own.
 */
public final class CurrentRoute implements CommandExecutor {
    private final Snapshots snapshots;
    private final Cluster cluster;
    private volatile Route route;

    public CurrentRoute(Snapshots snapshots) {
        this.snapshots = snapshots;
        this.cluster = new Cluster(snapshots);
        this.route = new Route(snapshots.newest(), cluster);
    }

    /**
     * The route of a call that begins. The first one to a Redis Cluster waits until a node has told
     * what it looks like.
     */
    public Route take() {
        Snapshot now = snapshots.current();
        if (!now.isMapped()) {
            cluster.bootstrap();
            now = snapshots.newest();
        }
        Route known = route;
        return known.snapshot() == now ? known : over(now);
    }

    /** Who races for it makes another one: nothing that matters for long is lost. */
    private Route over(Snapshot snapshot) {
        Route next = route.over(snapshot);
        route = next;
        return next;
    }

    public Snapshots snapshots() {
        return snapshots;
    }

    @Override
    public <T> T executeCommand(CommandObject<T> command) {
        return take().executeCommand(command);
    }

    /** Closes every connection: the idle ones now, those in use when their call is over. */
    @Override
    public void close() {
        snapshots.close();
        cluster.close();
    }
}
