package io.onehop.core.cluster;

/**
 * Why an answer of a Redis Cluster about itself is not believed, or not taken.
 * spec/topology/cluster.md.
 */
public final class ClusterException extends Exception {
    private static final long serialVersionUID = 1;

    ClusterException(String reason) {
        super(reason);
    }

    /** One line, as worded in the specification. */
    public String reason() {
        return getMessage();
    }
}
