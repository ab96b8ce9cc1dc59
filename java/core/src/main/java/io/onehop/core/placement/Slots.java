package io.onehop.core.placement;

import java.util.Map;

/**
 * The table of a Redis Cluster: each of its 16,384 slots has a node. A slot that nobody has is
 * marked, and whoever stands in for it will be asked and say so.
 *
 * <p>spec/topology/cluster.md, section 4.
 */
public final class Slots implements Placement {
    public static final int COUNT = 16384;

    /** The mark beside the index of a node that stands in. */
    public static final int UNSERVED = 0x8000;

    private final char[] table;

    /** Takes the table as its own: an entry is the index of a node, perhaps with the mark. */
    public Slots(char[] table) {
        if (table.length != COUNT) {
            throw new IllegalArgumentException("A Redis Cluster has " + COUNT + " slots.");
        }
        this.table = table;
    }

    /** The table as long as nobody has told who has which slot: so many seeds stand in. */
    public static Slots unserved(int seeds) {
        char[] table = new char[COUNT];
        for (int slot = 0; slot < COUNT; slot++) {
            table[slot] = (char) (slot % seeds | UNSERVED);
        }
        return new Slots(table);
    }

    @Override
    public int locate(int hash) {
        return table[hash & COUNT - 1] & ~UNSERVED;
    }

    @Override
    public long point(int hash) {
        return hash & COUNT - 1;
    }

    public boolean isServed(int slot) {
        return (table[slot] & UNSERVED) == 0;
    }

    /** How many slots somebody has. */
    public int servedCount() {
        int served = 0;
        for (int slot = 0; slot < COUNT; slot++) {
            served += isServed(slot) ? 1 : 0;
        }
        return served;
    }

    /** The same table but for some slots, which have these nodes. */
    public Slots with(Map<Integer, Integer> nodes) {
        char[] changed = table.clone();
        nodes.forEach((slot, node) -> changed[slot] = (char) node.intValue());
        return new Slots(changed);
    }
}
