package io.onehop.jedis;

import io.onehop.core.Node;
import io.onehop.core.ServerPool;
import io.onehop.core.Topology;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One server pool of one version of a configuration: its topology, and the connections of each node.
 *
 * <p>In: a topology, and the snapshot before, if there was one. Out: what a call goes by from its first look to its
 * end. Never changed once it is made; any thread may hold one, and for as long as it likes. Implements spec/topology.
 */
final class Snapshot {
    /*
     * From one snapshot to the next a node keeps its connections if nothing changed about how it is reached. Pools that
     * the next one has no use for are retired (Pool): who still holds the snapshot leases from them as before.
     */
    private final long generation;
    private final Topology topology;
    private final Pool[] pools;
    private final Keys keys;

    /** The first snapshot of a client. */
    Snapshot(Topology topology) {
        this(1, topology, Map.of());
    }

    private Snapshot(long generation, Topology topology, Map<String, Pool> before) {
        this.generation = generation;
        this.topology = topology;
        this.pools = topology.nodes().stream().map(node -> pool(node, topology.pool(), before.get(node.name())))
                .toArray(Pool[]::new);
        this.keys = new Keys(topology);
    }

    private static Pool pool(Node node, ServerPool pool, Pool before) {
        return before != null && before.endpoint().isThatOf(node, pool) ? before : new Pool(node, pool);
    }

    /** The snapshot that comes after this one. */
    Snapshot next(Topology after) {
        Map<String, Pool> byName = new HashMap<>();
        Arrays.stream(pools).forEach(pool -> byName.put(pool.endpoint().name(), pool));
        return new Snapshot(generation + 1, after, byName);
    }

    /** The pools that a later snapshot has no use for. */
    List<Pool> withoutThoseOf(Snapshot after) {
        Set<Pool> kept = new HashSet<>(List.of(after.pools));
        return Arrays.stream(pools).filter(pool -> !kept.contains(pool)).toList();
    }

    /** Whether that topology has keys where they are, and reaches nodes as they are reached. */
    boolean isLike(Topology other) {
        return topology.fingerprint().equals(other.fingerprint()) && pool().reachesNodesLike(other.pool());
    }

    /** How many configurations the client has had, with this one. */
    long generation() {
        return generation;
    }

    Topology topology() {
        return topology;
    }

    /** The directives. */
    ServerPool pool() {
        return topology.pool();
    }

    /** The connections of each node, by its index. */
    Pool[] pools() {
        return pools;
    }

    Keys keys() {
        return keys;
    }
}
