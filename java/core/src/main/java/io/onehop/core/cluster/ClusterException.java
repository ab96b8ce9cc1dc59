package io.onehop.core.cluster;

/** Says why the map that a node returned is malformed or not adopted. spec/topology/cluster.md. */
public final class ClusterException extends Exception {
    private static final long serialVersionUID = 1;

    private final String reason;

    ClusterException(String reason) {
        super(reason);
        this.reason = reason;
    }

    /** One line, as worded in the specification. */
    public String reason() {
        return reason;
    }
}
