package io.onehop.core.topology;

import io.onehop.core.Node;
import io.onehop.core.Topology;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The ring that the keys of a server pool move from, and the place of its nodes among the nodes of
 * the pool.
 *
 * <p>Servers are compared by their addresses, not by their names. Immutable. Implements
 * spec/topology/moving.md, section 1.
 */
final class OldRing {
    private final Topology ring;
    // All nodes of the pool: first those of its own ring, then those that are only in the old
    // ring.
    private final List<Node> nodes;
    private final int[] nodeOf; // For each index in the old ring, the index in the pool.
    private final int[] firstOf; // For each index in the pool, the first node of the same address.
    private final int[] scanned;

    /** {@code ring}: how it places keys; {@code servers}: the nodes of the pool's own ring. */
    OldRing(Topology ring, List<Node> servers) {
        this.ring = ring;
        Map<String, Integer> byAddress = new HashMap<>();
        List<Node> all = new ArrayList<>(servers);
        servers.forEach(node -> byAddress.putIfAbsent(node.address(), node.index()));
        for (Node old : ring.nodes()) {
            if (byAddress.putIfAbsent(old.address(), all.size()) == null) {
                all.add(Nodes.at(old, all.size(), all.size()));
            }
        }
        this.nodes = List.copyOf(all);
        this.nodeOf = indexes(ring.nodes(), byAddress);
        this.firstOf = indexes(nodes, byAddress);
        this.scanned =
                IntStream.concat(IntStream.of(nodeOf), IntStream.range(0, servers.size()))
                        .toArray();
    }

    private static int[] indexes(List<Node> nodes, Map<String, Integer> byAddress) {
        return nodes.stream().mapToInt(node -> byAddress.get(node.address())).toArray();
    }

    /** All nodes of the pool, by index. */
    List<Node> nodes() {
        return nodes;
    }

    /** The nodes in the order of SCAN: those of the old ring, then those of the pool's own ring. */
    int[] scanned() {
        return scanned;
    }

    /** True if the node is in the old ring. */
    boolean has(int node) {
        return IntStream.of(nodeOf).anyMatch(each -> each == firstOf[node]);
    }

    /**
     * The index of the old owner of a key whose owner is {@code owner}; -1: the key does not move.
     */
    int oldOwner(byte[] key, int owner) {
        int old = nodeOf[ring.locate(key).index()];
        return old == firstOf[owner] ? -1 : old;
    }

    /** True if the old ring has only one server. */
    boolean hasOneServer() {
        return nodeOf.length == 1;
    }
}
