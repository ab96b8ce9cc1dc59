package io.onehop.core.health;

import io.onehop.core.base.Timings;

/**
 * How long a master of a Redis Cluster has been gone, and whether a replica may take its place.
 * This decides whether calls wait for the replica.
 *
 * <p>In: failed calls, each with what the newest map says. Any thread. Implements
 * spec/topology/cluster.md, section 6.
 */
public final class Absence {
    private static final long NEVER = 0;

    private long beganMs = NEVER; // The first failure after the last answer.
    private long lostMs = NEVER; // The instant since which no replica may be promoted.
    private boolean hadHeir; // At the last failed call, there was a replica that may be promoted.

    /**
     * Notes that a call has failed. {@code heardMs}: when the node last answered. True if calls
     * wait.
     */
    public synchronized boolean awaitsHeir(boolean hasHeir, long heardMs, long nowMs) {
        if (beganMs == NEVER || heardMs >= beganMs) {
            beganMs = nowMs;
            lostMs = NEVER;
            hadHeir = false;
        }
        // One server may call a healthy replica failed, or all of them for a moment.
        lostMs = hasHeir ? NEVER : hadHeir ? nowMs : lostMs;
        hadHeir = hasHeir;
        boolean hopes = hasHeir || lostMs != NEVER && nowMs - lostMs < Timings.FAILOVER_DOUBT_MS;
        return hopes && nowMs - beganMs < Timings.FAILOVER_MS_MAX;
    }
}
