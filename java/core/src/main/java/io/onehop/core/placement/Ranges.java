package io.onehop.core.placement;

/**
 * Ranges of unsigned numbers, each with an owner, that answer "who owns x" in a few nanoseconds.
 *
 * <p>A range is stored as its last number, its end. The numbers form a ring: those after the last
 * end belong to the owner of the first range.
 *
 * <p>A binary search over the 1,280 points of eight nodes costs four times the hash of a short key,
 * because its eleven branches cannot be predicted. So the top bits of x choose a bucket. There are
 * four to eight buckets for each range. Of these, about five in six lie within the ranges of one
 * owner, and such a bucket has that owner. The other buckets have the position where the search
 * begins:
 *
 * <pre>
 *     ends        .    3   5        .         17 .        .        .   29
 *     owners          (a) (b)                (a)                      (c)
 *     buckets     |0              |8              |16             |24
 *                  search from 0   a               search from 2   search from 3
 * </pre>
 *
 * <p>The search takes growing steps, so it stays fast where many ends are close together.
 * spec/placement.
 */
final class Ranges {
    private static final int BUCKETS_PER_RANGE = 4;

    /**
     * Sorted, with the sign bit flipped: then Java's signed comparison sorts them as unsigned
     * numbers.
     */
    private final long[] ends;

    /** The owner of each range. One more entry repeats the first, where the ring closes. */
    private final int[] owners;

    /** The owner, or the complement of the position of the first end in the bucket. */
    private final int[] buckets;

    private final int shift;

    /**
     * {@code ends} are not empty and sorted as unsigned numbers. {@code owners} are not negative.
     * No number above {@code largest} will be asked for.
     */
    Ranges(long[] ends, int[] owners, long largest) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(ends.length * BUCKETS_PER_RANGE - 1);
        int significant = Long.SIZE - Long.numberOfLeadingZeros(largest);
        shift = Math.max(0, significant - bits);
        this.ends = new long[ends.length];
        this.owners = new int[ends.length + 1];
        for (int i = 0; i < ends.length; i++) {
            this.ends[i] = ends[i] ^ Long.MIN_VALUE;
            this.owners[i] = owners[i];
        }
        this.owners[ends.length] = owners[0];
        buckets = new int[(int) (largest >>> shift) + 1];
        int position = 0;
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            int first = position;
            while (position < ends.length && ends[position] >>> shift == bucket) {
                position++;
            }
            buckets[bucket] = hasOneOwner(first, position) ? this.owners[first] : ~first;
        }
    }

    /** True if the ranges from one position to another, both included, belong to one owner. */
    private boolean hasOneOwner(int first, int last) {
        for (int i = first + 1; i <= last; i++) {
            if (owners[i] != owners[first]) {
                return false;
            }
        }
        return true;
    }

    /** The owner of a number. */
    int owner(long number) {
        int bucket = buckets[(int) (number >>> shift)];
        return bucket >= 0 ? bucket : owners[search(number ^ Long.MIN_VALUE, ~bucket)];
    }

    /** The end of the range that contains a number. */
    long end(long number) {
        int position = search(number ^ Long.MIN_VALUE, 0);
        return endAt(position < ends.length ? position : 0);
    }

    /** The position of the first end, from a position on, that is not below a flipped number. */
    private int search(long flipped, int from) {
        int low = from;
        int high = from;
        for (int step = 1; high < ends.length && ends[high] < flipped; step *= 2) {
            low = high + 1;
            high = Math.min(ends.length, high + step);
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (ends[middle] < flipped) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The number of ranges. */
    int count() {
        return ends.length;
    }

    /** The end of the range at a position. */
    long endAt(int position) {
        return ends[position] ^ Long.MIN_VALUE;
    }

    /** The owner of the range at a position. */
    int ownerAt(int position) {
        return owners[position];
    }
}
