package io.onehop.core.placement;

import io.onehop.core.Node;

import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * {@code random}: any live node, whatever the key and the weights. Not reproducible on purpose.
 *
 * <p>spec/placement, random.
 */
public final class AnyNode implements Placement {
    private final int[] nodes;

    private AnyNode(int[] nodes) {
        this.nodes = nodes;
    }

    public static AnyNode of(List<Node> live) {
        return new AnyNode(live.stream().mapToInt(Node::index).toArray());
    }

    @Override
    public int locate(int hash) {
        return nodes[ThreadLocalRandom.current().nextInt(nodes.length)];
    }

    @Override
    public int[] owned(int all) {
        int[] owned = new int[all];
        for (int node : nodes) {
            owned[node] = (1 << 16) / nodes.length;
        }
        return owned;
    }

    @Override
    public long point(int hash) {
        return 0;
    }
}
