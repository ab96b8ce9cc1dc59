package io.onehop.jedis;

import java.util.ArrayList;
import java.util.List;

/** The lanes of one batch, one for each node that has something to do, in node order. */
final class Lanes {
    private final Pool[] pools;
    private final Lane[] lanes;
    private long waitMs;

    Lanes(Pool[] pools) {
        this.pools = pools;
        this.lanes = new Lane[pools.length];
    }

    /** How many nodes there are. */
    int size() {
        return lanes.length;
    }

    /** One of the commands waits so long by its own wish; those of one node wait one after another. */
    void waits(long ms) {
        waitMs = waitMs + ms < 0 ? Deadline.FOR_EVER_MS : waitMs + ms;
    }

    long waitMs() {
        return waitMs;
    }

    Lane of(int node) {
        if (lanes[node] == null) {
            lanes[node] = new Lane(pools[node]);
        }
        return lanes[node];
    }

    List<Lane> used() {
        List<Lane> used = new ArrayList<>(lanes.length);
        for (Lane lane : lanes) {
            if (lane != null && lane.hasWork()) {
                used.add(lane);
            }
        }
        return used;
    }
}
