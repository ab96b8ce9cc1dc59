package io.onehop.core.cluster;

import io.onehop.core.base.Limits;

/**
 * Chooses the node that answers fastest among those that have a key ({@code read_from:
 * lowest_latency}).
 *
 * <p>The caller keeps one number for each node: a moving average of its read latencies, in which a
 * new value has the weight one eighth. The number is 0 as long as there was no read. Pure
 * arithmetic. Implements spec/topology/cluster.md, section 7.
 */
public final class Fastest {
    private Fastest() {}

    /** The average after one more read, in nanoseconds. */
    public static long smooth(long smoothedNs, long tookNs) {
        return Math.max(1, smoothedNs == 0 ? tookNs : smoothedNs - smoothedNs / 8 + tookNs / 8);
    }

    /**
     * The index of the node that is to answer a read.
     *
     * @param nodes the indexes of the nodes, at least one and ascending
     * @param smoothedNs the average of each, in nanoseconds
     * @param reads for how many reads a node was chosen before
     * @param last the node that was chosen for the previous read
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
