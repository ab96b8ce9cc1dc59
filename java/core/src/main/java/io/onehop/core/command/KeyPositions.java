package io.onehop.core.command;

import java.util.Arrays;

/**
 * Where a command's keys are: positions in its words, in their order, each with what stands there.
 */
public final class KeyPositions {

    /** What stands at the position of a key. */
    public enum Kind {
        KEY,
        /** Placed like a key, but no key of the database. */
        CHANNEL,
        /** A pattern by which the server makes keys of its own: SORT's BY and GET. */
        PATTERN
    }

    /* Nearly always they are one range, for which no lists are made: MGET may have many thousands. */
    private int first;
    private int step;
    private Kind kind;
    private int[] positions; // Null: they are a range.
    private Kind[] kinds;
    private int count;

    KeyPositions() {}

    /**
     * All positions from the first to the last by this step, if there is none yet; tells whether
     * that was so.
     */
    boolean addRange(int from, int last, int by, Kind all) {
        if (count > 0) {
            return false;
        }
        first = from;
        step = by;
        kind = all;
        count = last < from ? 0 : (last - from) / by + 1;
        return true;
    }

    /**
     * Keeps the order of the command: a specification with options may find keys before those
     * already found.
     */
    void add(int position, Kind kind) {
        if (positions == null) {
            list();
        }
        if (count == positions.length) {
            positions = Arrays.copyOf(positions, count * 2);
            kinds = Arrays.copyOf(kinds, count * 2);
        }
        int at = count++;
        for (; at > 0 && positions[at - 1] > position; at--) {
            positions[at] = positions[at - 1];
            kinds[at] = kinds[at - 1];
        }
        positions[at] = position;
        kinds[at] = kind;
    }

    private void list() {
        int[] listed = new int[Math.max(4, count + 1)];
        kinds = new Kind[listed.length];
        for (int i = 0; i < count; i++) {
            listed[i] = position(i);
            kinds[i] = kind;
        }
        positions = listed;
    }

    public int count() {
        return count;
    }

    /** The position of a key among the command's words. */
    public int position(int number) {
        return positions == null ? first + number * step : positions[number];
    }

    public Kind kind(int number) {
        return positions == null ? kind : kinds[number];
    }
}
