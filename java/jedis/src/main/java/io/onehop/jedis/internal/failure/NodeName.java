package io.onehop.jedis.internal.failure;

import io.onehop.core.Node;
import io.onehop.core.topology.ServerPool;

/** Which node of which server pool something is about, in the words of messages and of the log. */
public record NodeName(Node node, ServerPool pool) {

    String name() {
        return node.name();
    }

    /** As messages name it. */
    @Override
    public String toString() {
        return "node "
                + Shown.of(node.name())
                + " ("
                + Shown.of(node.address())
                + "), server pool "
                + Shown.of(pool.name());
    }

    /** As the log names it. */
    public String label() {
        return "node "
                + Shown.of(node.name())
                + " ("
                + Shown.of(node.address())
                + ") of server pool "
                + Shown.of(pool.name());
    }
}
