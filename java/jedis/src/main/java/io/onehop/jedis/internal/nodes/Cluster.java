package io.onehop.jedis.internal.nodes;

import io.onehop.core.ErrorKind;
import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.cluster.ClusterMap;
import io.onehop.core.topology.ConnectionName;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.connection.Deadline;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Failure.RefreshFailure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.snapshot.Snapshot;
import io.onehop.jedis.internal.snapshot.Snapshots;
import io.onehop.jedis.internal.tls.ClientTls;

import org.jspecify.annotations.Nullable;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The map of a Redis Cluster as this client has it, and how it is replaced by a newer one.
 *
 * <pre>
 *     seeds (configuration) ─► bootstrap ─► map ─► snapshot ─► calls that begin from then on
 *                                            ▲
 *              refresh: two nodes are asked ─┤ requested after a redirect or for a node that is
 *                                            │ down; otherwise once a minute, or once a second
 *                                            │ while the whole cluster is down
 *              a redirect that was followed ─┘ (its one slot, immediately)
 * </pre>
 *
 * <p>One daemon thread of the client asks, at most once a second. Calls wait for an answer only in
 * two cases: for the first map, and when a redirect names a node that the map lacks. Any thread.
 * Implements spec/topology/cluster.md, sections 4 and 6.
 */
public final class Cluster extends Refresher {
    private static final System.Logger LOG = System.getLogger("io.onehop");

    /* At most this many nodes of the map are asked before another cluster is believed. */
    private static final int KNOWN_MAX = 64;

    private final Snapshots snapshots;
    // The node that probably knows a newer map; null: any.
    private volatile @Nullable String preferred;
    private volatile @Nullable ClusterRefresh last;
    // The problem that was logged last; null: none since the last success.
    private @Nullable String logged;

    public Cluster(Snapshots snapshots) {
        super("onehop-cluster", Timings.REFRESH_EVERY_MS, Timings.REFRESH_ANYWAY_MS);
        this.snapshots = snapshots;
    }

    /** The newest snapshot. */
    public Snapshot snapshot() {
        return snapshots.newest();
    }

    public PoolTopology topology() {
        return snapshot().topology();
    }

    /* ---- From calls ---- */

    /**
     * Requests a refresh, because the map may be old, and does not wait for it. {@code node}
     * probably knows a newer map; {@code null}: any node may.
     */
    public void requestRefresh(@Nullable String node) {
        request(() -> preferred = node);
    }

    /**
     * Adopts new owners of slots, by node name, as the nodes themselves have reported them. Calls
     * that begin from now on use them.
     */
    public void moved(Map<Integer, String> owners) {
        snapshots.adopt(
                map -> {
                    Map<Integer, Integer> news = new HashMap<>();
                    owners.forEach(
                            (slot, name) -> {
                                Node node = map.pool().cluster() ? map.find(name) : null;
                                if (node != null
                                        && !(map.isServed(slot)
                                                && map.nodeOfSlot(slot) == node.index())) {
                                    news.put(slot, node.index());
                                }
                            });
                    return news.isEmpty() ? map : map.withSlots(news);
                });
    }

    /**
     * True if a replica may be promoted in the place of this node, at which a call has just failed.
     * Then the call may wait for the promotion.
     */
    public boolean awaitsFailover(Pool asked) {
        PoolTopology map = topology();
        Node master = map.find(asked.endpoint().name());
        return master != null
                && master.role() == Role.MASTER
                && !snapshots.isClosed()
                && asked.health().awaitsHeir(hasHeir(map, master), NodeHealth.nowMs());
    }

    private static boolean hasHeir(PoolTopology map, Node master) {
        return map.nodes().stream()
                .anyMatch(
                        node ->
                                node.role() == Role.REPLICA
                                        && node.master() == master.index()
                                        && (!node.failing() || node.loading()));
    }

    /** Waits for the first map. */
    public void bootstrap(Deadline deadline) {
        awaitRefresh(deadline);
        if (!snapshot().isMapped()) {
            throw Failure.unmapped(failure(), snapshot().pool().name());
        }
    }

    /** True if the nodes of the cluster say that it serves nothing. */
    public boolean isDown() {
        ClusterRefresh known = last;
        return known != null && known.isDown() && snapshot().pool().cluster();
    }

    /* ---- The thread ---- */

    @Override
    boolean isUnsettled() {
        return isDown();
    }

    @Override
    @Nullable RefreshFailure refresh(boolean isAwaited) throws InterruptedException {
        Snapshot snapshot = snapshot();
        ClusterRefresh next = new ClusterRefresh(snapshot.pool(), last);
        last = next;
        String first = preferred;
        preferred = null;
        return refreshed(snapshot, next, first);
    }

    @Override
    RefreshFailure soFar() {
        ClusterRefresh running = last;
        return running == null
                ? new RefreshFailure(Message.NO_ANSWER.what(), ErrorKind.NODE_DOWN)
                : running.failure();
    }

    @Override
    void tell(@Nullable RefreshFailure problem) {
        String reason = problem == null ? null : problem.reason();
        if (reason != null && !reason.equals(logged)) {
            LOG.log(
                    Level.WARNING,
                    "the map of the Redis Cluster of server pool "
                            + Shown.of(snapshot().pool().name())
                            + " cannot be refreshed: "
                            + reason);
        }
        logged = reason;
    }

    /**
     * Asks nodes of the map, then the seeds, and adopts their map. Returns {@code null}, or why
     * there is nothing to adopt.
     */
    private @Nullable RefreshFailure refreshed(
            Snapshot snapshot, ClusterRefresh refresh, @Nullable String first)
            throws InterruptedException {
        if (!snapshot.pool().cluster()) { // The configuration has changed.
            return null;
        }
        ClusterMap map =
                snapshot.isMapped()
                        ? refresh.ask(sources(snapshot, first), snapshot.topology())
                        : null;
        if (map == null) {
            map =
                    fetched(
                            PoolTopology.of(snapshot.pool()).nodes(),
                            snapshot.pool(),
                            snapshot.tls(),
                            refresh,
                            snapshot.isMapped() ? snapshot.topology() : null);
        }
        if (map == null) {
            return refresh.failure();
        }
        ClusterMap chosen = believed(map, snapshot, refresh);
        snapshots.adopt(
                before ->
                        before.pool() == snapshot.pool()
                                ? chosen.over(before, snapshot.topology())
                                : before);
        return null;
    }

    /**
     * Returns this map. But if it is foreign and a node of the current map answers, returns the map
     * of that node, because the seeds or the address of a node may belong to another cluster by
     * now.
     */
    private static ClusterMap believed(ClusterMap map, Snapshot snapshot, ClusterRefresh refresh)
            throws InterruptedException {
        if (!snapshot.isMapped() || !map.isForeign(snapshot.topology())) {
            return map;
        }
        List<Pool> known =
                snapshot.topology().nodes().stream()
                        .filter(node -> !node.failing() && node.role() != Role.GONE)
                        .limit(KNOWN_MAX)
                        .map(node -> snapshot.pools()[node.index()])
                        .toList();
        ClusterMap theirs = refresh.ask(known, snapshot.topology(), true);
        if (theirs != null) {
            return theirs;
        }
        LOG.log(
                Level.WARNING,
                "server pool "
                        + Shown.of(snapshot.pool().name())
                        + " goes over to another Redis Cluster: no node of the one before answers,"
                        + " and the nodes that do are none of its");
        return map;
    }

    /** The nodes to ask: the preferred node, if the map has it, and others in random order. */
    private static List<Pool> sources(Snapshot snapshot, @Nullable String first) {
        List<Pool> nodes = new ArrayList<>();
        for (Node node : snapshot.topology().nodes()) {
            if (!node.failing() && !node.name().equals(first)) {
                nodes.add(snapshot.pools()[node.index()]);
            }
        }
        Collections.shuffle(nodes);
        Node named = first == null ? null : snapshot.topology().find(first);
        if (named != null) {
            nodes.add(0, snapshot.pools()[named.index()]);
        }
        if (nodes.isEmpty()) {
            nodes.add(snapshot.pools()[snapshot.topology().nodes().get(0).index()]);
        }
        return nodes.subList(0, Math.min(2, nodes.size()));
    }

    /** The map of these nodes. They are asked over connections that are closed afterwards. */
    private static @Nullable ClusterMap fetched(
            List<Node> nodes,
            ServerPool pool,
            ClientTls tls,
            ClusterRefresh refresh,
            @Nullable PoolTopology current)
            throws InterruptedException {
        List<Pool> asked = NodeQuestion.pools(nodes, pool, tls, ConnectionName.of(pool));
        Collections.shuffle(asked);
        try {
            return refresh.ask(asked, current);
        } finally {
            asked.forEach(Pool::close);
        }
    }

    /**
     * The topology of a cluster that a changed configuration names. If none of its servers answers,
     * but one of them is a node of the current map, the cluster is the same, and its other nodes
     * are asked.
     *
     * @throws ConfigRefused if no node returns a map
     */
    public static PoolTopology of(ServerPool pool, ClientTls tls, PoolTopology current)
            throws InterruptedException, ConfigRefused {
        ClusterRefresh refresh = new ClusterRefresh(pool, null);
        ClusterMap map = fetched(PoolTopology.of(pool).nodes(), pool, tls, refresh, null);
        if (map == null
                && current.pool().cluster()
                && PoolTopology.of(pool).nodes().stream()
                        .anyMatch(seed -> current.find(seed.address()) != null)) {
            map = fetched(current.nodes(), pool, tls, refresh, null);
        }
        if (map == null) {
            String where = ", server pool " + Shown.of(pool.name());
            throw new ConfigRefused(Message.UNMAPPED, null, refresh.failure().reason() + where);
        }
        return map.topology(pool, current.pool().cluster() ? current : null);
    }
}
