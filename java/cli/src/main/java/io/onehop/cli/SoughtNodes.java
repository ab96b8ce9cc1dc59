package io.onehop.cli;

import io.onehop.core.key.Key;
import io.onehop.core.placement.Slots;
import io.onehop.core.topology.PoolTopology;

/** On which node clients seek a key. In: a topology and keys. Out: indexes of nodes. Pure. */
final class SoughtNodes {
    /** The slot of the key has no node. */
    static final int NOWHERE = -1;

    private final PoolTopology topology;
    private final int unserved;

    SoughtNodes(PoolTopology topology) {
        this.topology = topology;
        this.unserved = topology.pool().cluster() ? Slots.COUNT - topology.servedCount() : 0;
    }

    int of(byte[] key) {
        boolean isNowhere = unserved > 0 && !topology.isServed(Key.slot(key, 0, key.length));
        return isNowhere ? NOWHERE : topology.locateIndex(key, 0, key.length);
    }

    /** How many slots have no node. */
    int unserved() {
        return unserved;
    }

    /** The part of the slots of a Redis Cluster that each node has, of those that have one. */
    double[] parts() {
        double[] parts = new double[topology.byIndex().size()];
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            if (topology.isServed(slot)) {
                parts[topology.nodeOfSlot(slot)] += 1.0 / (Slots.COUNT - unserved);
            }
        }
        return parts;
    }

    /** What a person should see if slots have no node. */
    String warning() {
        return Screen.count(unserved)
                + " of 16,384 slots have no node, so keys in them cannot be read or written";
    }
}
