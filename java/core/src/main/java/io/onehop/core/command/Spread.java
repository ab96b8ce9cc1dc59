package io.onehop.core.command;

/** Where a command goes. Implements spec/route/route.md, section 4. */
public enum Spread {
    /** Nowhere by itself: a container without its subcommand. */
    NONE,
    /** To the node of its first key, which has all its keys. */
    ONE_NODE,
    /** To the nodes of its keys, each with its own. */
    SPLIT,
    /** To every node, as it is. */
    ALL_NODES,
    /** To any one node. */
    ANY_NODE,
    /** To the node of the caller's transaction. */
    BOUND,
    /** Nowhere; the entry says why. */
    REFUSED
}
