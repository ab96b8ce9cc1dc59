package io.onehop.core.health;

/**
 * A histogram of durations, with four buckets for each power of two of microseconds, and its
 * percentiles.
 *
 * <p>Pure arithmetic over bucket numbers; the caller keeps the counts. Implements spec/meter,
 * section 2.
 */
public final class Latency {
    /** The number of buckets. The last one has no end. */
    public static final int BUCKETS = 101;

    private Latency() {}

    /** The bucket of a duration in microseconds, which is not negative. */
    public static int bucket(long us) {
        if (us < 4) {
            return (int) us;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(us);
        return Math.min(BUCKETS - 1, 4 * (exponent - 1) + ((int) (us >>> (exponent - 2)) & 3));
    }

    /** The beginning of a bucket, in microseconds. */
    public static long beginUs(int bucket) {
        return bucket < 4 ? bucket : (4L + bucket % 4) << (bucket / 4 - 1);
    }

    /**
     * The percentile in microseconds: that many thousandths of all calls took less. The result is
     * the end of a bucket, or the beginning of the last bucket; 0 if there were no calls.
     *
     * @param counts the number of calls in each bucket
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
