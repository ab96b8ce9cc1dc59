package io.onehop.core.cluster;

/**
 * Which of the nodes that have a key answers it soonest, as it was measured ({@code read_from:
 * lowest_latency}).
 *
 * <p>Of each node one number is remembered: a mean of how long reads took that weighs a new one
 * with an eighth, 0 while there is none. Pure arithmetic; who measures keeps the numbers.
 * Implements spec/topology/cluster.md, section 7.
 */
public final class Fastest {
    /** Of one master so many nodes are looked at. */
    public static final int NODES_MAX = 64;

    /* Now and then another node is asked: otherwise nobody would notice that it has become faster. */
    private static final int OTHERS_EVERY = 64;

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
        if (nodes.length > 1 && reads % OTHERS_EVERY == OTHERS_EVERY - 1) {
            int other = (int) (reads / OTHERS_EVERY % (nodes.length - 1));
            best = other < best ? other : other + 1;
        }
        return nodes[best];
    }
}
