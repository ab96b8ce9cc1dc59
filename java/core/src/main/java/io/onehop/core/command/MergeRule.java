package io.onehop.core.command;

/** How the replies of several nodes become one. Implements spec/route/route.md, section 6. */
public enum MergeRule {
    /** One node answers, there is nothing to merge. */
    NONE,
    /** Each element back to its key's place. */
    IN_ORDER,
    SUM,
    MIN,
    MAX,
    AND,
    /** The first, if no node failed. */
    ALL_OK,
    /** The first that is no error. */
    ONE_OK,
    /** The reply, if all are equal. */
    EQUAL,
    /** One after another. */
    CONCAT,
    /** One after another, without what was there before. */
    UNION,
    FIRST_NOT_NIL,
    /** Stream and entries, in the caller's order of streams. */
    STREAMS,
    /** By the name of the node. */
    PER_NODE,
    /** Field by field, see {@link Info}. */
    INFO,
    /** A conversation: node after node, by a cursor. */
    SCAN,
    /** A conversation: messages. */
    SUBSCRIPTION
}
