package io.onehop.core.placement;

/**
 * From a hash to a node, pure and immutable.
 *
 * <p>A placement is built once from the live nodes in sorted order, and then asked for every key.
 * Asking allocates nothing and takes no lock. Any thread. Implements spec/placement.
 */
public interface Placement {

    /** The index (in the whole topology) of the node that owns a hash. */
    int locate(int hash);

    /**
     * How many of 65,536 evenly spread hashes each node of the whole topology owns. spec/meter,
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
     * What the hash was compared with: the value of a ring point, or the number of a slot; 0 if
     * there is neither.
     */
    long point(int hash);
}
