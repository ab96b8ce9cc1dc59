package io.onehop.core.command;

/** How the replies of several nodes become one. Implements spec/route/route.md, section 6. */
public enum MergeRule {
    /** One node answers; there is nothing to merge. */
    NONE,
    /** Each element where its key was. */
    IN_ORDER,
    SUM,
    MIN,
    MAX,
    AND,
    /** The first, if no node failed. */
    ALL_OK,
    /** The first that is not an error. */
    ONE_OK,
    /** The reply, if all are equal. */
    EQUAL,
    /** One after another. */
    CONCAT,
    /** One after another, without duplicates. */
    UNION,
    FIRST_NOT_NIL,
    /** Streams and their entries, in the caller's order of streams. */
    STREAMS,
    /** By the name of the node. */
    PER_NODE,
    /** Field by field, see {@link Info}. */
    INFO,
    /** No single reply: node after node, by a cursor. */
    SCAN,
    /** No single reply: messages. */
    SUBSCRIPTION
}
