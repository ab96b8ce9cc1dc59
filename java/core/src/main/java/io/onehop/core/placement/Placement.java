package io.onehop.core.placement;

/**
 * From a hash to a node: the heart of the road, pure and immutable.
 *
 * <p>Built once from the live nodes in sorted order, asked for every key after that; it allocates
 * nothing, takes no lock and may be asked by any thread. Before it on the road: hash; after it: the
 * node's pool.
 *
 * <p>Implements spec/placement.
 */
public interface Placement {

    /** The index (of the whole topology) of the node that owns a hash. */
    int locate(int hash);

    /**
     * How many of 65,536 hashes, evenly spread, each node of the whole topology owns. spec/meter,
     * section 3.
     */
    default int[] owned(int nodes) {
        int[] owned = new int[nodes];
        for (int i = 0; i < 1 << 16; i++) {
            owned[locate(i * ((1 << 16) + 1))]++;
        }
        return owned;
    }

    /**
     * What the hash met on its way: the value of a ring point, the number of a slot; 0 where there
     * is none.
     */
    long point(int hash);
}
