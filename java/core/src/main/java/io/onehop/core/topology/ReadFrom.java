package io.onehop.core.topology;

/** Who answers the reads of a Redis Cluster: the {@code read_from} directive. spec/config. */
public enum ReadFrom {
    /** The master of the key. */
    MASTER("master"),
    /** A replica, or the master if there is none that answers. */
    PREFER_REPLICA("prefer_replica"),
    /** A replica only. */
    REPLICA("replica"),
    /** Whoever answers fastest. */
    LOWEST_LATENCY("lowest_latency"),
    /** A node of the pool's zone, otherwise as PREFER_REPLICA. */
    SAME_ZONE("same_zone");

    private final String label;

    ReadFrom(String label) {
        this.label = label;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }
}
