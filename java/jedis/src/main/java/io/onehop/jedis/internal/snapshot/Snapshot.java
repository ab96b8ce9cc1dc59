package io.onehop.jedis.internal.snapshot;

import io.onehop.core.Node;
import io.onehop.core.command.KeptCommands;
import io.onehop.core.health.Health;
import io.onehop.core.topology.ConnectionName;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.command.Keys;
import io.onehop.jedis.internal.connection.Endpoint;
import io.onehop.jedis.internal.connection.Handshake;
import io.onehop.jedis.internal.pool.ClientNodes;
import io.onehop.jedis.internal.pool.NodeHealth;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.pool.PoolSettings;
import io.onehop.jedis.internal.tls.ClientTls;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One server pool of one version of a configuration: its topology, and the connections of each
 * node.
 *
 * <p>In: a topology, and the previous snapshot if there is one. Out: what a call uses from its
 * beginning to its end. Immutable, except for the state of its connections. Any thread may keep a
 * snapshot for any time. Implements spec/topology.
 */
public final class Snapshot {
    /*
     * If a node is reached in the same way in the next snapshot, it keeps its connections. If it
     * is reached in another way, but has the same name and address, it keeps only its meter and
     * health. Pools that the next snapshot does not use are retired. A call that still uses this
     * snapshot may lease from them.
     */
    private static final long NOT_PLACED_YET = -1;

    private final long generation;
    private final ClientNodes nodes;
    private final long known; // The number of ejections when keys were placed.
    // When the first ejected node may return; 0: none is ejected.
    private final long dueMs;
    private final PoolTopology topology;
    private final Pool[] pools;
    private final Keys keys;
    private final boolean isMapped;
    private final ReadFromChooser readFrom;
    private final ClientTls tls;
    private final PoolSettings settings;

    /** The first snapshot of a client. */
    Snapshot(PoolTopology topology, ClientTls tls, PoolSettings settings) {
        this(1, topology, tls, settings, Map.of(), new ClientNodes(), null);
    }

    private Snapshot(
            long generation,
            PoolTopology topology,
            ClientTls tls,
            PoolSettings settings,
            Map<String, Pool> before,
            ClientNodes nodes,
            @Nullable ReadFromChooser readFrom) {
        this.generation = generation;
        this.tls = tls;
        this.settings = settings;
        this.nodes = nodes;
        this.known = before.isEmpty() ? 0 : NOT_PLACED_YET;
        this.dueMs = 0;
        this.topology = topology;
        String name = ConnectionName.of(topology.pool());
        this.pools =
                topology.byIndex().stream()
                        .map(node -> pool(node, before.get(node.name())).named(name))
                        .toArray(Pool[]::new);
        nodes.are(Arrays.stream(pools).map(pool -> pool.health().times()).toList());
        this.keys = new Keys(topology);
        this.readFrom = new ReadFromChooser(topology, pools, readFrom);
        this.isMapped =
                !topology.pool().cluster() && topology.pool().sentinels().isEmpty()
                        || topology.nodes().stream().anyMatch(node -> !node.id().isEmpty());
    }

    private Snapshot(Snapshot before, PoolTopology topology, long known, long dueMs) {
        this.generation = before.generation;
        this.tls = before.tls;
        this.settings = before.settings;
        this.nodes = before.nodes;
        this.known = known;
        this.dueMs = dueMs;
        this.topology = topology;
        this.pools = before.pools;
        this.keys = new Keys(topology);
        this.readFrom = new ReadFromChooser(topology, pools, before.readFrom);
        this.isMapped = before.isMapped;
    }

    private Pool pool(Node node, @Nullable Pool before) {
        if (before == null || !before.endpoint().isOf(node)) {
            return new Pool(node, topology.pool(), tls, settings, nodes, null);
        }
        return before.endpoint().isThatOf(node, topology.pool())
                ? before
                : new Pool(node, topology.pool(), tls, settings, nodes, before);
    }

    /** True if a provider gives each connection its user and password. */
    public boolean hasProvider() {
        return tls.credentials() != null;
    }

    /** The database of the calls over this snapshot. */
    public int database() {
        int own =
                topology.pool().database() > 0
                        ? topology.pool().database()
                        : topology.pool().redisDb();
        return settings.database() == Handshake.OWN_DATABASE ? own : settings.database();
    }

    /* ---- Ejection: spec/health, section 4 ---- */

    /** True if a node was ejected, or may return, since keys were placed. */
    boolean isOutdated() {
        return topology.pool().autoEjectHosts()
                && (nodes.ejections() != known || Health.isRebuildDue(dueMs, NodeHealth.nowMs()));
    }

    /**
     * The same snapshot with keys placed again. Ejected nodes get no keys, unless all nodes are
     * ejected. Adds log lines to news.
     */
    Snapshot placedAgain(List<Runnable> news) {
        long counted = nodes.ejections();
        long nowMs = NodeHealth.nowMs();
        long due = 0;
        Set<String> out = new HashSet<>();
        for (Pool each : pools) {
            long until = each.health().rebuilt(nowMs, news);
            if (until != 0) {
                out.add(each.endpoint().name());
                due = due == 0 ? until : Math.min(due, until);
            }
        }
        PoolTopology placed =
                out.size() == pools.length ? topology : PoolTopology.of(topology.pool(), out);
        return new Snapshot(this, placed, counted, due);
    }

    /** The next snapshot. */
    Snapshot next(PoolTopology after) {
        Map<String, Pool> byName = new HashMap<>();
        Arrays.stream(pools).forEach(pool -> byName.put(pool.endpoint().name(), pool));
        return new Snapshot(generation + 1, after, tls, settings, byName, nodes, readFrom);
    }

    /** The pools that a later snapshot does not use. */
    List<Pool> withoutThoseOf(Snapshot after) {
        Set<Pool> kept = new HashSet<>(List.of(after.pools));
        return Arrays.stream(pools).filter(pool -> !kept.contains(pool)).toList();
    }

    /**
     * True if the other topology places keys, reaches nodes and names connections in the same way.
     */
    public boolean isLike(PoolTopology other) {
        return topology.fingerprint().equals(other.fingerprint())
                && pool().reachesNodesLike(other.pool())
                && pool().asksSentinelsLike(other.pool())
                && pool().replicas().equals(other.pool().replicas())
                && pool().zone().equals(other.pool().zone())
                && ConnectionName.of(pool()).equals(ConnectionName.of(other.pool()))
                && (!pool().cluster() || addresses(pool()).equals(addresses(other.pool())));
    }

    private static List<String> addresses(ServerPool pool) {
        return pool.servers().stream().map(Server::address).toList();
    }

    /** The number of this configuration; the client's first one is 1. */
    public long generation() {
        return generation;
    }

    public PoolTopology topology() {
        return topology;
    }

    /** The directives. */
    public ServerPool pool() {
        return topology.pool();
    }

    /** The connections of each node, by its index. */
    public Pool[] pools() {
        return pools;
    }

    /**
     * The node that has taken over from {@code asked}, a node of an earlier snapshot: the master of
     * the slot {@code home}, or the node of the same name if it has another address. {@code null}
     * if there is none.
     */
    public @Nullable Pool successor(Pool asked, int home) {
        Endpoint before = asked.endpoint();
        if (before.isOfCluster() != pool().cluster() || before.isSsdb() != pool().ssdb()) {
            return null;
        }
        if (pool().cluster()) {
            Pool owner = poolAt(home);
            return owner == asked || !topology.isServed(home) ? null : owner;
        }
        Node named = topology.find(before.name());
        return named == null || named.address().equals(before.node().address())
                ? null
                : pools[named.index()];
    }

    /** True if another node may answer reads of this home now, in the place of {@code asked}. */
    public boolean hasFallback(Pool asked, int home) {
        Node node = topology.find(asked.endpoint().name());
        return node != null && readFrom.hasFallback(keys.nodeAt(home), node.index());
    }

    /**
     * The index of the node that may answer reads of this home in the place of {@code asked}; -1 if
     * there is none.
     */
    public int fallback(Pool asked, int home) {
        Node node = topology.find(asked.endpoint().name());
        return node == null ? -1 : readFrom.fallback(keys.nodeAt(home), node.index());
    }

    /** The connections of the node at this home. */
    public Pool poolAt(int home) {
        return pools[keys.nodeAt(home)];
    }

    /**
     * False for a Redis Cluster until a node has returned the map. False for masters that Sentinels
     * watch, until the Sentinels were asked.
     */
    public boolean isMapped() {
        return isMapped;
    }

    /** How connections are encrypted, for any server pool of this client. */
    public ClientTls tls() {
        return tls;
    }

    /** Chooses the nodes that answer reads. */
    public ReadFromChooser readFrom() {
        return readFrom;
    }

    public Keys keys() {
        return keys;
    }

    /** What the client's nodes have said of commands that the table does not hold. */
    public KeptCommands commands() {
        return nodes.commands();
    }
}
