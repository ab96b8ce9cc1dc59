package io.onehop.core;

/** The role of a node in a Redis Cluster. spec/topology/cluster.md. */
public enum Role {
    /** No cluster: a server of a file, or a seed before the first map. */
    NONE,
    /** It has slots. */
    MASTER,
    /** It follows a master. */
    REPLICA,
    /** A master without slots. It is known only so that a redirect to it can be followed. */
    SPARE,
    /** No longer a node. Its entry keeps the indexes of the others until a new node takes it. */
    GONE
}
