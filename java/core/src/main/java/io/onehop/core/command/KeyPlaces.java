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

    private int[] places = new int[4];
    private Kind[] kinds = new Kind[4];
    private int count;

    KeyPlaces() {
    }

    /** Keeps the order of the command: a specification with options may find keys before those already found. */
    void add(int place, Kind kind) {
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

    public int count() {
        return count;
    }

    /** The place of a key among the command's words. */
    public int place(int number) {
        return places[number];
    }

    public Kind kind(int number) {
        return kinds[number];
    }
}
