package io.onehop.jedis.internal.batch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The commands of a exchange, in order: how many bytes each has, who waits for its reply, and of
 * which slot it is.
 */
final class PendingReplies {
    /** No slot: of a command that is of its node, wherever keys are. */
    static final int NO_SLOT = Character.MAX_VALUE;

    private final List<ReplySink> sinks = new ArrayList<>();
    private int[] sizes = new int[16];
    private char[] slots; // Null: nobody asks for them.
    private long announced; // How many bytes the commands have that began to be written,
    private int begun; // and how many they are.

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

    /** How many commands begin before this byte that were not announced yet. */
    int beginBefore(long end) {
        int from = begun;
        while (begun < sinks.size() && announced < end) {
            announced += sizes[begun];
            begun++;
        }
        return begun - from;
    }

    /** This one, which begins at this byte, is the next to be announced once more. */
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

    /** Its slot, or {@link #NO_SLOT}. */
    int slot(int number) {
        return slots == null ? NO_SLOT : slots[number];
    }
}
