package io.onehop.jedis.internal.batch;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The commands of one exchange, in order: the size of each in bytes, the sink of its reply, and its
 * slot.
 */
final class PendingReplies {
    /** The slot of a command that goes to a certain node, wherever keys are. */
    static final int NO_SLOT = Character.MAX_VALUE;

    /*
     * Room for ten commands, because most batches are small. When the arrays are full, their size
     * doubles.
     */
    private static final int FEW = 10;

    private ReplySink[] sinks = new ReplySink[FEW];
    private int[] sizes = new int[FEW];
    private char @Nullable [] slots; // Null if the nodes do not redirect.
    private int count;
    private long announced; // The bytes of the commands that have begun to be written.
    private int begun; // The number of those commands.

    PendingReplies(boolean hasSlots) {
        this.slots = hasSlots ? new char[sizes.length] : null;
    }

    void add(int size, int slot, ReplySink sink) {
        if (count == sinks.length) {
            sizes = Arrays.copyOf(sizes, count * 2);
            slots = slots == null ? null : Arrays.copyOf(slots, count * 2);
            sinks = Arrays.copyOf(sinks, count * 2); // Last, so an Error leaves no array too short.
        }
        sizes[count] = size;
        if (slots != null) {
            slots[count] = (char) slot;
        }
        sinks[count] = sink;
        count++;
    }

    /**
     * Announces the commands that begin before this byte and were not announced yet. Returns how
     * many they are.
     */
    int beginBefore(long end) {
        int from = begun;
        while (begun < count && announced < end) {
            announced += sizes[begun];
            begun++;
        }
        return begun - from;
    }

    /** Goes back to this command, which begins at this byte: it is the next one to be announced. */
    void beginAgain(int number, long at) {
        begun = number;
        announced = at;
    }

    int count() {
        return count;
    }

    int size(int number) {
        return sizes[number];
    }

    ReplySink sink(int number) {
        return sinks[number];
    }

    /** The command's slot, or {@link #NO_SLOT}. */
    int slot(int number) {
        return slots == null ? NO_SLOT : slots[number];
    }
}
