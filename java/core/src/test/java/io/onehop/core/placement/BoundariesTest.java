package io.onehop.core.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The index over the ring finds what a walk over the whole ring finds. */
class BoundariesTest {

    @Test
    void theFirstNumberNotBelowIsFoundInListsOfAllSizes() {
        Random random = new Random(1);
        for (int size = 1; size < 300; size++) {
            int[] numbers = random.ints(size).toArray();
            check(numbers, random);
        }
    }

    @Test
    void crowdedListsAreSearchedJustAsWell() {
        Random random = new Random(2);
        for (int range = 0; range < 32; range++) {
            int shift = range;
            check(random.ints(200).map(number -> number >>> shift).toArray(), random);
            check(random.ints(200).map(number -> ~(number >>> shift)).toArray(), random);
        }
    }

    @Test
    void theEndsOfTheRangeAreInside() {
        check(new int[] {0}, new Random(3));
        check(new int[] {-1}, new Random(3));
        check(new int[] {0, -1}, new Random(3));
        check(new int[] {0, 0, 7, 7, Integer.MIN_VALUE, -1, -1}, new Random(3));
    }

    private static void check(int[] numbers, Random random) {
        int[] sorted = Arrays.stream(numbers).mapToObj(number -> number).sorted(Integer::compareUnsigned)
                .mapToInt(number -> number).toArray();
        Boundaries boundaries = new Boundaries(sorted.clone());
        checkOne(boundaries, sorted, 0);
        checkOne(boundaries, sorted, -1);
        for (int number : sorted) {
            checkOne(boundaries, sorted, number - 1);
            checkOne(boundaries, sorted, number);
            checkOne(boundaries, sorted, number + 1);
            checkOne(boundaries, sorted, random.nextInt());
        }
    }

    private static void checkOne(Boundaries boundaries, int[] sorted, int wanted) {
        int expected = 0;
        while (expected < sorted.length && Integer.compareUnsigned(sorted[expected], wanted) < 0) {
            expected++;
        }
        int found = boundaries.find(wanted);
        assertEquals(expected, found, () -> Integer.toUnsignedString(wanted) + " in " + Arrays.toString(sorted));
        if (found < sorted.length) {
            assertEquals(Integer.toUnsignedLong(sorted[found]), boundaries.number(found));
        }
    }
}
