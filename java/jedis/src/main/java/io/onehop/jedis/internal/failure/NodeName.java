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
        return "node "
                + Shown.of(node.name())
                + " ("
                + Shown.of(node.address())
                + "), server pool "
                + Shown.of(pool.name());
    }

    /** For the log. */
    public String label() {
        return "node "
                + Shown.of(node.name())
                + " ("
                + Shown.of(node.address())
                + ") of server pool "
                + Shown.of(pool.name());
    }
}
