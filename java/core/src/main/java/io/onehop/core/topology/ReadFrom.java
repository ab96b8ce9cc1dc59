package io.onehop.core.topology;

/** Which nodes answer reads, masters or replicas: the {@code read_from} directive. spec/config. */
public enum ReadFrom {
    /** The master of the key. */
    MASTER("master"),
    /** The master, or a replica while the master cannot answer. */
    PREFER_MASTER("prefer_master"),
    /** A replica, or the master if no replica answers. */
    PREFER_REPLICA("prefer_replica"),
    /** A replica only. */
    REPLICA("replica"),
    /** The node with the lowest latency. */
    LOWEST_LATENCY("lowest_latency"),
    /** A node in the pool's zone, otherwise as PREFER_REPLICA. */
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
