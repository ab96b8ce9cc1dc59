package io.onehop.core;

/**
 * How a hash value chooses a node (spec/placement). The names are those of nutcracker's {@code
 * distribution} directive.
 */
public enum Distribution {
    /** Consistent hashing: the node of the first ring point at or after the hash. */
    KETAMA("ketama"),
    /** The hash modulo the sum of the weights. */
    MODULA("modula"),
    /** Any live node, whatever the key; not reproducible and not meant to be. */
    RANDOM("random"),
    /**
     * The table of a Redis Cluster, which says of each of 16,384 slots who has it. No file names
     * it.
     */
    SLOTS("slots");

    private final String label;

    Distribution(String label) {
        this.label = label;
    }

    /** The name used in configuration files. */
    public String label() {
        return label;
    }
}
