package io.onehop.core.placement;

import io.onehop.core.Node;

import java.util.List;

/**
 * The hash modulo the sum of the weights. Each node, in sorted order, has as many consecutive slots
 * as its weight.
 *
 * <p>Only the last slot of each node is stored, so a weight of two billion costs no more than 1.
 *
 * <p>spec/placement, modula.
 */
public final class Modula implements Placement {
    private final Ranges slots;
    private final int slotsCount;

    private Modula(long[] lastSlots, int[] owners) {
        slotsCount = (int) lastSlots[lastSlots.length - 1] + 1;
        slots = new Ranges(lastSlots, owners, slotsCount - 1);
    }

    /**
     * The slots of the live nodes, which are in sorted order. Their weights add up to less than
     * 2^31.
     */
    public static Modula of(List<Node> live) {
        long[] lastSlots = new long[live.size()];
        int[] owners = new int[live.size()];
        long slots = 0;
        for (int i = 0; i < owners.length; i++) {
            slots += live.get(i).weight();
            lastSlots[i] = slots - 1;
            owners[i] = live.get(i).index();
        }
        return new Modula(lastSlots, owners);
    }

    @Override
    public int locate(int hash) {
        return slots.owner(Integer.remainderUnsigned(hash, slotsCount));
    }

    @Override
    public long point(int hash) {
        return Integer.remainderUnsigned(hash, slotsCount);
    }
}
