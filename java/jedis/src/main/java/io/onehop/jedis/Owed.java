package io.onehop.jedis;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The commands of a lane, in order: how many bytes each has, who waits for its reply, and of which slot it is. */
final class Owed {
    /** No slot: of a command that is of its node, wherever keys are. */
    static final int NOWHERE = Character.MAX_VALUE;

    private final List<Taker> takers = new ArrayList<>();
    private int[] sizes = new int[16];
    private char[] places; // Null: nobody asks for them.

    Owed(boolean hasPlaces) {
        this.places = hasPlaces ? new char[sizes.length] : null;
    }

    void add(int size, int place, Taker taker) {
        if (takers.size() == sizes.length) {
            sizes = Arrays.copyOf(sizes, sizes.length * 2);
            places = places == null ? null : Arrays.copyOf(places, sizes.length);
        }
        sizes[takers.size()] = size;
        if (places != null) {
            places[takers.size()] = (char) place;
        }
        takers.add(taker);
    }

    int count() {
        return takers.size();
    }

    int size(int number) {
        return sizes[number];
    }

    Taker taker(int number) {
        return takers.get(number);
    }

    /** Its slot, or {@link #NOWHERE}. */
    int place(int number) {
        return places == null ? NOWHERE : places[number];
    }
}
