package io.onehop.core;

/**
 * The role of a node. In every server pool that has replicas, these are {@link #REPLICA}. {@link
 * #MASTER} occurs in a Redis Cluster and with Sentinels, {@link #SPARE} and {@link #GONE} only in a
 * Redis Cluster. spec/topology/cluster.md, spec/topology/sentinel.md.
 */
public enum Role {
    /**
     * The role is not known. A server of a file has this role; in a Redis Cluster only until the
     * first map has come, and with Sentinels only until they were asked.
     */
    NONE,
    /** The node has slots, or Sentinels watch it. */
    MASTER,
    /** The node follows a master. */
    REPLICA,
    /** A master without slots. It is in the map only so that a redirect to it can be followed. */
    SPARE,
    /**
     * It is no longer a node. Its entry stays until a new node takes the entry, so that the other
     * nodes keep their indexes.
     */
    GONE
}
