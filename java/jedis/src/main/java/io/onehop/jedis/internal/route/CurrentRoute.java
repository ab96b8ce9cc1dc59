package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.command.OwnName;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.nodes.Cluster;
import io.onehop.jedis.internal.nodes.Sentinels;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandObject;
import redis.clients.jedis.executors.CommandExecutor;

/**
 * The route over the newest snapshot. A call, batch, transaction or subscription takes the route
 * once, when it begins, and keeps it to its end, even if a newer snapshot is adopted.
 *
 * <p>Any thread may take the route, which costs two volatile reads.
 */
public final class CurrentRoute implements CommandExecutor {
    private final Snapshots snapshots;
    private final Cluster cluster;
    private final Sentinels sentinels;
    private final OwnName ownName = new OwnName();
    private volatile Route route;

    /** {@code observer} sees all calls; {@code null}: there is none. */
    public CurrentRoute(Snapshots snapshots, @Nullable CallObserver observer) {
        this.snapshots = snapshots;
        this.cluster = new Cluster(snapshots);
        this.sentinels = new Sentinels(snapshots);
        Snapshot first = snapshots.newest();
        this.route = over(new Route(first, new ClientState(cluster, sentinels, observer)), first);
    }

    /**
     * The route of a call that begins. The first call waits for the map of a Redis Cluster, or
     * until Sentinels have named the masters.
     */
    public Route take() {
        Snapshot now = snapshots.current();
        if (!now.isMapped()) {
            bootstrap(Deadline.in(now.pool().timeoutMs()));
            now = snapshots.newest();
        }
        Route known = route;
        return known.snapshot() == now ? known : over(now);
    }

    private void bootstrap(Deadline deadline) {
        boolean isCluster = snapshots.newest().pool().cluster();
        Runnable wait = isCluster ? () -> cluster.bootstrap(deadline) : sentinels::bootstrap;
        route.observed(
                isCluster ? "CLUSTER SHARDS" : "SENTINEL MASTER",
                1,
                () -> {
                    wait.run();
                    return null;
                });
    }

    /**
     * The route over a snapshot. Threads that race make one route each. All that this may lose is
     * what one of these routes has seen of scripts.
     */
    private Route over(Snapshot snapshot) {
        Route next = over(route, snapshot);
        route = next;
        return next;
    }

    /**
     * The kind of route that a snapshot needs. Only a {@link MovingRoute} deals with keys that
     * move.
     */
    private static Route over(Route route, Snapshot snapshot) {
        return snapshot.topology().isMoving()
                ? new MovingRoute(route, snapshot, null)
                : route.over(snapshot);
    }

    /** True if this is a Redis Cluster, and its nodes say that it serves nothing. */
    public boolean isClusterDown() {
        return cluster.isDown();
    }

    public Snapshots snapshots() {
        return snapshots;
    }

    @Override
    public <T> @Nullable T executeCommand(CommandObject<T> command) {
        OwnName.Answer own = ownName.to(command.getArguments());
        if (own != null) {
            return command.getBuilder().build(own.reply());
        }
        Snapshot now = snapshots.newest();
        if (now.isMapped()) {
            return take().executeCommand(command);
        }
        // The wait of the first call counts, too.
        Deadline deadline = Deadline.in(now.pool().timeoutMs());
        bootstrap(deadline);
        return over(snapshots.newest()).by(deadline).executeCommand(command);
    }

    /** Closes idle connections now, and leased ones when their call ends. */
    @Override
    public void close() {
        snapshots.close();
        cluster.close();
        sentinels.close();
    }
}
