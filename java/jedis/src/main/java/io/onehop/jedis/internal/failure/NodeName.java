package io.onehop.jedis.internal.failure;

import io.onehop.core.Node;
import io.onehop.core.topology.ServerPool;

/** Names a node and its server pool, for messages and the log. */
public record NodeName(Node node, ServerPool pool) {

    String name() {
        return node.name();
    }

    /** For messages. */
    @Override
    public String toString() {
        return place() + ", server pool " + Shown.of(pool.name());
    }

    /** For the log. */
    public String label() {
        return place() + " of server pool " + Shown.of(pool.name());
    }

    /** The name of the node, and its address if that is another text. */
    private String place() {
        String name = "node " + Shown.of(node.name());
        return node.name().equals(node.address())
                ? name
                : name + " (" + Shown.of(node.address()) + ")";
    }
}
