package io.onehop.core;

/**
 * The role of a node. Every server pool that has replicas has {@link #REPLICA}. {@link #MASTER}
 * occurs in a Redis Cluster and with Sentinels, {@link #SPARE} and {@link #GONE} only in a Redis
 * Cluster. spec/topology/cluster.md, spec/topology/sentinel.md.
 */
public enum Role {
    /**
     * It is not known: for a server of a file, until its Redis Cluster has returned the first map
     * or its Sentinels were asked, if it has either.
     */
    NONE,
    /** It has slots, or Sentinels watch it. */
    MASTER,
    /** It follows a master. */
    REPLICA,
    /** A master without slots. It is known only so that a redirect to it can be followed. */
    SPARE,
    /**
     * It is no longer a node. Its entry stays, so that the others keep their indexes, until a new
     * node takes the entry.
     */
    GONE
}
