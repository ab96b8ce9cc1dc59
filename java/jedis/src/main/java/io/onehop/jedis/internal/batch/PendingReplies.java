package io.onehop.jedis.internal.batch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The commands of one exchange, in order: the size of each in bytes, the sink of its reply, and its
 * slot.
 */
final class PendingReplies {
    /** The slot of a command that belongs to its node, wherever keys are. */
    static final int NO_SLOT = Character.MAX_VALUE;

    private final List<ReplySink> sinks = new ArrayList<>();
    private int[] sizes = new int[16];
    private char[] slots; // Null if the nodes do not redirect.
    private long announced; // The bytes of the commands that have begun to be written.
    private int begun; // The number of those commands.

    PendingReplies(boolean hasSlots) {
        this.slots = hasSlots ? new char[sizes.length] : null;
    }

    void add(int size, int slot, ReplySink sink) {
        if (sinks.size() == sizes.length) {
            sizes = Arrays.copyOf(sizes, sizes.length * 2);
            slots = slots == null ? null : Arrays.copyOf(slots, sizes.length);
        }
        sizes[sinks.size()] = size;
        if (slots != null) {
            slots[sinks.size()] = (char) slot;
        }
        sinks.add(sink);
    }

    /** How many commands begin before this byte and were not announced yet. */
    int beginBefore(long end) {
        int from = begun;
        while (begun < sinks.size() && announced < end) {
            announced += sizes[begun];
            begun++;
        }
        return begun - from;
    }

    /** The next command to be announced is this one again. It begins at this byte. */
    void beginAgain(int number, long at) {
        begun = number;
        announced = at;
    }

    int count() {
        return sinks.size();
    }

    int size(int number) {
        return sizes[number];
    }

    ReplySink sink(int number) {
        return sinks.get(number);
    }

    /** The command's slot, or {@link #NO_SLOT}. */
    int slot(int number) {
        return slots == null ? NO_SLOT : slots[number];
    }
}
