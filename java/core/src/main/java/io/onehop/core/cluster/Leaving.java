package io.onehop.core.cluster;

/**
 * Whether a call that waits for its node leaves it, because another node can answer sooner.
 *
 * <p>Pure. Implements spec/wire, section 5, "While a call waits", and spec/topology/cluster.md,
 * section 7, "The fallback".
 */
public enum Leaving {
    STAY,
    SUCCESSOR,
    FALLBACK;

    /**
     * A request that waits. {@code isSent}: a byte of it was sent. {@code isHeard}: a byte of an
     * answer has come. {@code isReadOnly}: the whole request may be sent again. {@code isBound}: it
     * needs this node.
     */
    public record Request(
            boolean isSent,
            boolean isHeard,
            boolean isReadOnly,
            boolean isBlocking,
            boolean isBound) {}

    private static boolean mayLeave(Request request) {
        return !request.isBound()
                && (!request.isSent()
                        || request.isReadOnly() && !request.isHeard() && !request.isBlocking());
    }

    /**
     * {@code hasSuccessor}: another node has taken over. {@code isHalfOver}: the node has a
     * fallback, and half of the timeout has passed.
     */
    public static Leaving of(Request request, boolean hasSuccessor, boolean isHalfOver) {
        if (!mayLeave(request)) {
            return STAY;
        }
        return hasSuccessor ? SUCCESSOR : isHalfOver && request.isReadOnly() ? FALLBACK : STAY;
    }

    /** True if half of a timeout has passed. */
    public static boolean isHalfOver(long leftMs, int timeoutMs) {
        return timeoutMs > 0 && leftMs * 2 <= timeoutMs;
    }
}
