package io.onehop.jedis.internal.batch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The commands of a lane, in order: how many bytes each has, who waits for its reply, and of which
 * slot it is.
 */
final class Owed {
    /** No slot: of a command that is of its node, wherever keys are. */
    static final int NOWHERE = Character.MAX_VALUE;

    private final List<Taker> takers = new ArrayList<>();
    private int[] sizes = new int[16];
    private char[] places; // Null: nobody asks for them.
    private long announced; // How many bytes the commands have that began to be written,
    private int begun; // and how many they are.

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

    /** How many commands begin before this byte that were not announced yet. */
    int beginBefore(long end) {
        int from = begun;
        while (begun < takers.size() && announced < end) {
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
