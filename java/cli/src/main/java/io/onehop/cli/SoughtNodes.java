package io.onehop.cli;

import io.onehop.core.Distribution;
import io.onehop.core.Node;
import io.onehop.core.key.Key;
import io.onehop.core.placement.Slots;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;

/** On which node clients seek a key. In: a topology and keys. Out: indexes of nodes. Pure. */
final class SoughtNodes {
    /** The result if the slot of the key has no node. */
    static final int NOWHERE = -1;

    private final PoolTopology topology;
    private final int unserved;

    SoughtNodes(PoolTopology topology) {
        this.topology = topology;
        this.unserved = topology.pool().cluster() ? Slots.COUNT - topology.servedCount() : 0;
    }

    /** The node of a key, or {@link #NOWHERE}. */
    int of(byte[] key) {
        boolean isNowhere = unserved > 0 && !topology.isServed(Key.slot(key, 0, key.length));
        return isNowhere ? NOWHERE : topology.locateIndex(key, 0, key.length);
    }

    /**
     * The node of a seen key. If clients write keys to any node, the node on which the key was
     * found.
     */
    int of(SeenKey seen) {
        Node holder = seen.holder();
        return isAnywhere() && holder != null ? holder.index() : of(seen.key());
    }

    /** True if clients write each key to any node. */
    boolean isAnywhere() {
        return topology.pool().distribution() == Distribution.RANDOM;
    }

    /**
     * True if a key was found on a node where no client seeks it. Always false with {@code random}
     * and with {@code auto_eject_hosts}, where a key may be on any node. Also false in a Redis
     * Cluster: its nodes keep only keys of their slots, and slots may move while we look.
     */
    boolean isStray(SeenKey seen) {
        Node holder = seen.holder();
        ServerPool pool = topology.pool();
        if (holder == null || isAnywhere() || pool.autoEjectHosts() || pool.cluster()) {
            return false;
        }
        int node = of(seen.key());
        // A key on its old owner is no stray: it has yet to move.
        return holder.index() != node && topology.oldOwner(seen.key(), node) != holder.index();
    }

    /** How many slots have no node. */
    int unserved() {
        return unserved;
    }

    /** For each node of a Redis Cluster, its part of the slots that have a node. */
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
