package io.onehop.core.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.Random;

/** The buckets find the owner that a walk over all ranges finds. */
class RangesTest {

    @Test
    void everyNumberHasTheOwnerOfTheFirstEndNotBelowIt() {
        Random random = new Random(1);
        for (int count = 1; count < 300; count++) {
            check(random.ints(count).toArray(), random);
        }
    }

    @Test
    void crowdedRangesAreFoundAsWell() {
        Random random = new Random(2);
        for (int range = 0; range < 32; range++) {
            int shift = range;
            check(random.ints(200).map(number -> number >>> shift).toArray(), random);
            check(random.ints(200).map(number -> ~(number >>> shift)).toArray(), random);
        }
    }

    @Test
    void theEndsOfTheRingBelongToIt() {
        check(new int[] {0}, new Random(3));
        check(new int[] {-1}, new Random(3));
        check(new int[] {0, -1}, new Random(3));
        check(new int[] {0, 0, 7, 7, Integer.MIN_VALUE, -1, -1}, new Random(3));
    }

    /** With as many owners as ranges, with a few, and with one. */
    private static void check(int[] numbers, Random random) {
        int[] ends =
                Arrays.stream(numbers)
                        .boxed()
                        .sorted(Integer::compareUnsigned)
                        .mapToInt(end -> end)
                        .toArray();
        for (int ownersCount : new int[] {Integer.MAX_VALUE, 3, 1}) {
            int[] owners = random.ints(ends.length, 0, ownersCount).toArray();
            checkAll(new Ranges(ends, owners, -1), ends, owners, random, -1);
            int largest = ends[ends.length - 1];
            checkAll(new Ranges(ends, owners, largest), ends, owners, random, largest);
        }
    }

    private static void checkAll(
            Ranges ranges, int[] ends, int[] owners, Random random, int largest) {
        checkOne(ranges, ends, owners, 0);
        checkOne(ranges, ends, owners, largest);
        for (int end : ends) {
            for (int number : new int[] {end - 1, end, end + 1, random.nextInt()}) {
                if (Integer.compareUnsigned(number, largest) <= 0) {
                    checkOne(ranges, ends, owners, number);
                }
            }
        }
    }

    private static void checkOne(Ranges ranges, int[] ends, int[] owners, int number) {
        int position = 0;
        while (position < ends.length && Integer.compareUnsigned(ends[position], number) < 0) {
            position++;
        }
        int expected = position % ends.length;
        assertEquals(
                owners[expected],
                ranges.owner(number),
                () -> number + " in " + Arrays.toString(ends));
        assertEquals(Integer.toUnsignedLong(ends[expected]), ranges.end(number));
    }
}
