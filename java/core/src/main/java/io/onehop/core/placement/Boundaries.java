package io.onehop.core.placement;

/**
 * A sorted list of unsigned numbers that answers "which is the first one not below x" in a few nanoseconds.
 *
 * <p>A binary search over the 1,280 points of eight nodes costs four times the hash of a short key: it is eleven
 * branches nobody can predict. So the top bits of x choose a bucket, and for each bucket is written down how many
 * numbers lie below it. With four to eight buckets per number, about five buckets in six hold none, and the answer is
 * already there:
 *
 * <pre>
 *     numbers     .    3   5        .         17 .        .        .   29
 *     buckets     |0 . . . . . . . |8 . . . . . . . |16  . . . . . |24 . . . . . .
 *     below[]     0                2                2              3              4
 * </pre>
 *
 * <p>In the others a binary search over that bucket alone finds it, so that even a list that is crowded in one place
 * stays fast. spec/placement.
 */
final class Boundaries {
    private static final int BUCKETS_PER_NUMBER = 4;

    /** Sorted; the sign bit is flipped so that Java's signed comparison sorts them as unsigned numbers. */
    private final int[] numbers;
    /** For each bucket, how many numbers lie below it; one entry more closes the last bucket. */
    private final int[] below;
    private final int shift;

    /** Takes over an array that is sorted as unsigned numbers and not empty. */
    Boundaries(int[] sorted) {
        int last = sorted[sorted.length - 1];
        int significant = Integer.SIZE - Integer.numberOfLeadingZeros(last);
        int wanted = Integer.SIZE - Integer.numberOfLeadingZeros(sorted.length * BUCKETS_PER_NUMBER - 1);
        shift = Math.max(0, significant - wanted);
        below = new int[(last >>> shift) + 2];
        numbers = sorted;
        for (int i = 0; i < sorted.length; i++) {
            below[(sorted[i] >>> shift) + 1] = i + 1;
            numbers[i] = sorted[i] ^ Integer.MIN_VALUE;
        }
        for (int i = 1; i < below.length; i++) {
            below[i] = Math.max(below[i], below[i - 1]);
        }
    }

    /** The position of the first number that is not below {@code wanted}; the number of numbers if there is none. */
    int find(int wanted) {
        int bucket = wanted >>> shift;
        if (Integer.compareUnsigned(bucket, below.length - 1) >= 0) {
            return numbers.length;
        }
        int low = below[bucket];
        int high = below[bucket + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (numbers[middle] < (wanted ^ Integer.MIN_VALUE)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How many numbers there are. */
    int count() {
        return numbers.length;
    }

    /** The number at a position, as an unsigned value. */
    long number(int position) {
        return (numbers[position] ^ Integer.MIN_VALUE) & 0xffffffffL;
    }
}
