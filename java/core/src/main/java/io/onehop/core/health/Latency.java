package io.onehop.core.health;

/**
 * Buckets of times, four for each power of two of microseconds, and what they tell: how long most
 * calls took.
 *
 * <p>Pure arithmetic over bucket numbers; who counts keeps the counts. Implements spec/meter,
 * section 2.
 */
public final class Latency {
    /** How many buckets there are; the last one has no end. */
    public static final int BUCKETS = 101;

    private Latency() {}

    /** The bucket of a time in microseconds, which is not negative. */
    public static int bucket(long us) {
        if (us < 4) {
            return (int) us;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(us);
        return Math.min(BUCKETS - 1, 4 * (exponent - 1) + ((int) (us >>> (exponent - 2)) & 3));
    }

    /** Where a bucket begins, in microseconds. */
    public static long beginUs(int bucket) {
        return bucket < 4 ? bucket : (4L + bucket % 4) << (bucket / 4 - 1);
    }

    /**
     * A time that so many thousandths of all calls stayed below, in microseconds: the end of a
     * bucket, and of the last one the beginning; 0 if there were no calls.
     *
     * @param counts how many calls each bucket has
     */
    public static long percentileUs(long[] counts, int thousandths) {
        long calls = 0;
        for (long count : counts) {
            calls += count;
        }
        if (calls == 0) {
            return 0;
        }
        long rank =
                Math.max(1, calls / 1000 * thousandths + (calls % 1000 * thousandths + 999) / 1000);
        int bucket = 0;
        for (long counted = counts[0];
                counted < rank && bucket < BUCKETS - 1;
                counted += counts[bucket]) {
            bucket++;
        }
        return beginUs(Math.min(bucket + 1, BUCKETS - 1));
    }
}
