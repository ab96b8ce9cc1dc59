package io.onehop.core.cluster;

import io.onehop.core.base.Limits;

/**
 * Which of the nodes that have a key answers it soonest, as it was measured ({@code read_from:
 * lowest_latency}).
 *
 * <p>Of each node one number is remembered: a mean of how long reads took that weighs a new one
 * with an eighth, 0 while there is none. Pure arithmetic; who measures keeps the numbers.
 * Implements spec/topology/cluster.md, section 7.
 */
public final class Fastest {
    private Fastest() {}

    /** The mean after one more read, in nanoseconds. */
    public static long smooth(long smoothedNs, long tookNs) {
        return Math.max(1, smoothedNs == 0 ? tookNs : smoothedNs - smoothedNs / 8 + tookNs / 8);
    }

    /**
     * Which node is to answer a read.
     *
     * @param nodes the indexes of the nodes, at least one and ascending
     * @param smoothedNs the mean of each
     * @param reads how many were given a node before
     * @param last the node that was given last
     */
    public static int choose(int[] nodes, long[] smoothedNs, long reads, int last) {
        int best = 0;
        for (int i = 0; i < nodes.length; i++) {
            if (smoothedNs[i] == 0) {
                return nodes[i];
            }
            if (smoothedNs[i] < smoothedNs[best]
                    || smoothedNs[i] == smoothedNs[best] && nodes[i] == last) {
                best = i;
            }
        }
        if (nodes.length > 1
                && reads % Limits.FASTEST_OTHERS_EVERY == Limits.FASTEST_OTHERS_EVERY - 1) {
            int other = (int) (reads / Limits.FASTEST_OTHERS_EVERY % (nodes.length - 1));
            best = other < best ? other : other + 1;
        }
        return nodes[best];
    }
}
