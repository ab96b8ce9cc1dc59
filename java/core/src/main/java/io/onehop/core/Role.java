package io.onehop.core;

/** What a node is to a Redis Cluster. spec/topology/cluster.md. */
public enum Role {
    /** Nothing: it is a server of a file, or a seed before the first map. */
    NONE,
    /** It has slots. */
    MASTER,
    /** It follows a master. */
    REPLICA,
    /**
     * A master without slots: known, so that a redirect to it can be followed; asked nothing else.
     */
    SPARE,
    /**
     * No longer a node: it keeps the place, and so the index of everybody behind it, until another
     * comes.
     */
    GONE
}
