package io.onehop.core.placement;

import java.util.Map;

/**
 * The slot table of a Redis Cluster: each of its 16,384 slots has a node. A slot without an owner
 * is marked. A command for such a slot goes to a substitute node, which answers with an error.
 *
 * <p>spec/topology/cluster.md, section 4.
 */
public final class Slots implements Placement {
    public static final int COUNT = 16384;

    /** The mark beside the index of a substitute. */
    public static final int UNSERVED = 0x8000;

    private final char[] table;

    /**
     * Keeps the table without copying it. An entry is the index of a node, with or without the
     * mark.
     */
    public Slots(char[] table) {
        if (table.length != COUNT) {
            throw new IllegalArgumentException("A Redis Cluster has " + COUNT + " slots.");
        }
        this.table = table;
    }

    /** The table before the first map: the seeds are the substitutes. */
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

    /** How many slots have an owner. */
    public int servedCount() {
        int served = 0;
        for (int slot = 0; slot < COUNT; slot++) {
            served += isServed(slot) ? 1 : 0;
        }
        return served;
    }

    /** The same table with other nodes for some slots. */
    public Slots with(Map<Integer, Integer> nodes) {
        char[] changed = table.clone();
        nodes.forEach((slot, node) -> changed[slot] = (char) node.intValue());
        return new Slots(changed);
    }
}
