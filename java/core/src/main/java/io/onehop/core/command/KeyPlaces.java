package io.onehop.core.command;

import java.util.Arrays;

/** Where a command's keys are: places in its words, in their order, each with what stands there. */
public final class KeyPlaces {

    /** What stands at the place of a key. */
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
    private int[] places; // Null: they are a range.
    private Kind[] kinds;
    private int count;

    KeyPlaces() {}

    /**
     * All places from the first to the last by this step, if there is none yet; tells whether that
     * was so.
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
    void add(int place, Kind kind) {
        if (places == null) {
            list();
        }
        if (count == places.length) {
            places = Arrays.copyOf(places, count * 2);
            kinds = Arrays.copyOf(kinds, count * 2);
        }
        int at = count++;
        for (; at > 0 && places[at - 1] > place; at--) {
            places[at] = places[at - 1];
            kinds[at] = kinds[at - 1];
        }
        places[at] = place;
        kinds[at] = kind;
    }

    private void list() {
        int[] listed = new int[Math.max(4, count + 1)];
        kinds = new Kind[listed.length];
        for (int i = 0; i < count; i++) {
            listed[i] = place(i);
            kinds[i] = kind;
        }
        places = listed;
    }

    public int count() {
        return count;
    }

    /** The place of a key among the command's words. */
    public int place(int number) {
        return places == null ? first + number * step : places[number];
    }

    public Kind kind(int number) {
        return places == null ? kind : kinds[number];
    }
}
