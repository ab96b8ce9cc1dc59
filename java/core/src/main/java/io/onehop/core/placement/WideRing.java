package io.onehop.core.placement;

import java.util.Comparator;
import java.util.List;

/**
 * A ring of points of 64 bits, each with an owner. A number belongs to the first point that is not
 * below it; after the last point the ring begins again.
 *
 * <p>As in {@link Ranges} the top bits of a number choose a bucket, which has the owner of all its
 * numbers or the position where a search begins. Numbers of 32 bits stand in the upper halves.
 * spec/placement, section 7.
 */
final class WideRing {
    private static final int BUCKETS_PER_POINT = 4;

    /** A point and its owner. */
    record Point(long value, int owner) {}

    /** Sorted, with the sign bit flipped: as unsigned numbers. */
    private final long[] values;

    /** The owner of each point. One more entry repeats the first, where the ring closes. */
    private final int[] owners;

    /** The owner, or the complement of the position of the first point in the bucket. */
    private final int[] buckets;

    private final int shift;

    /** Of equal points the first one counts. There is at least one. */
    WideRing(List<Point> points) {
        List<Point> sorted =
                points.stream()
                        .sorted(Comparator.comparingLong(point -> point.value() ^ Long.MIN_VALUE))
                        .toList();
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(points.size() * BUCKETS_PER_POINT);
        shift = Long.SIZE - bits;
        values = sorted.stream().mapToLong(point -> point.value() ^ Long.MIN_VALUE).toArray();
        owners = new int[values.length + 1];
        for (int i = 0; i < values.length; i++) {
            owners[i] = sorted.get(i).owner();
        }
        owners[values.length] = owners[0];
        buckets = new int[1 << bits];
        int position = 0;
        for (int bucket = 0; bucket < buckets.length; bucket++) {
            int first = position;
            while (position < values.length && bucketOf(position) == bucket) {
                position++;
            }
            buckets[bucket] = hasOneOwner(first, position) ? owners[first] : ~first;
        }
    }

    private int bucketOf(int position) {
        return (int) ((values[position] ^ Long.MIN_VALUE) >>> shift);
    }

    /** True if the points from one position to another, both included, belong to one owner. */
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

    /** The point that a number belongs to. */
    long point(long number) {
        int position = search(number ^ Long.MIN_VALUE, 0);
        return values[position < values.length ? position : 0] ^ Long.MIN_VALUE;
    }

    /** The position of the first point, from a position on, that is not below a flipped number. */
    private int search(long flipped, int from) {
        int low = from;
        int high = from;
        for (int step = 1; high < values.length && values[high] < flipped; step *= 2) {
            low = high + 1;
            high = Math.min(values.length, high + step);
        }
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (values[middle] < flipped) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
