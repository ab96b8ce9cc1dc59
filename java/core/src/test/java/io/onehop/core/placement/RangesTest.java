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

    /** Checks these ranges with as many owners as ranges, with a few owners, and with one. */
    private static void check(int[] numbers, Random random) {
        long[] ends = Arrays.stream(numbers).mapToLong(Integer::toUnsignedLong).sorted().toArray();
        long[] wide = Arrays.stream(ends).map(end -> end << Integer.SIZE | end).toArray();
        for (int ownersCount : new int[] {Integer.MAX_VALUE, 3, 1}) {
            int[] owners = random.ints(ends.length, 0, ownersCount).toArray();
            checkAll(new Ranges(ends, owners, 0xffffffffL), ends, owners, random, 0xffffffffL);
            checkAll(new Ranges(wide, owners, -1), wide, owners, random, -1);
            long largest = ends[ends.length - 1];
            checkAll(new Ranges(ends, owners, largest), ends, owners, random, largest);
        }
    }

    private static void checkAll(
            Ranges ranges, long[] ends, int[] owners, Random random, long largest) {
        checkOne(ranges, ends, owners, 0);
        checkOne(ranges, ends, owners, largest);
        int zeros = Long.numberOfLeadingZeros(largest);
        for (long end : ends) {
            long any = random.nextLong() >>> Math.min(zeros, Long.SIZE - 1);
            for (long number : new long[] {end - 1, end, end + 1, any}) {
                if (Long.compareUnsigned(number, largest) <= 0) {
                    checkOne(ranges, ends, owners, number);
                }
            }
        }
    }

    private static void checkOne(Ranges ranges, long[] ends, int[] owners, long number) {
        int position = 0;
        while (position < ends.length && Long.compareUnsigned(ends[position], number) < 0) {
            position++;
        }
        int expected = position % ends.length;
        assertEquals(
                owners[expected],
                ranges.owner(number),
                () -> number + " in " + Arrays.toString(ends));
        assertEquals(ends[expected], ranges.end(number));
    }
}
