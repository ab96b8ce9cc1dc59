package io.onehop.core.command;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/** The positions of a command's keys among its words, in order, each with its kind. */
public final class KeyPositions {

    /** What is at such a position. */
    public enum Kind {
        KEY,
        /** A channel, which is placed like a key, but is not a key of the database. */
        CHANNEL,
        /** A pattern from which the server makes keys: SORT's BY and GET. */
        PATTERN
    }

    private static final Kind[] NO_KINDS = {};

    /*
     * Usually the keys are one range, which needs no list: MGET may have many thousands of keys.
     */
    private int first;
    private int step;
    private Kind kind = Kind.KEY;
    private int @Nullable [] positions; // Null for a range.
    private Kind[] kinds = NO_KINDS;
    private int count;

    KeyPositions() {}

    /**
     * Adds all positions from the first to the last by this step. If there are positions already,
     * adds nothing and returns false.
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
     * Adds a position in the order of the command: a specification with options may find keys that
     * stand before those already found.
     */
    void add(int position, Kind kind) {
        int[] listed = positions == null ? list() : positions;
        if (count == listed.length) {
            listed = Arrays.copyOf(listed, count * 2);
            kinds = Arrays.copyOf(kinds, count * 2);
        }
        int at = count++;
        for (; at > 0 && listed[at - 1] > position; at--) {
            listed[at] = listed[at - 1];
            kinds[at] = kinds[at - 1];
        }
        listed[at] = position;
        kinds[at] = kind;
        positions = listed;
    }

    private int[] list() {
        int[] listed = new int[Math.max(4, count + 1)];
        kinds = new Kind[listed.length];
        for (int i = 0; i < count; i++) {
            listed[i] = position(i);
            kinds[i] = kind;
        }
        return listed;
    }

    public int count() {
        return count;
    }

    /** How many of the positions are of this kind. */
    public int count(Kind wanted) {
        int counted = 0;
        for (int i = 0; i < count; i++) {
            counted += kind(i) == wanted ? 1 : 0;
        }
        return counted;
    }

    /** The position of a key among the command's words. */
    public int position(int number) {
        return positions == null ? first + number * step : positions[number];
    }

    public Kind kind(int number) {
        return positions == null ? kind : kinds[number];
    }
}
