package io.onehop.core.placement;

import java.util.List;

/**
 * A ring of points of 64 bits, each with an owner. A number belongs to the first point that is not
 * below it; after the last point the ring begins again.
 *
 * <p>Numbers of 32 bits stand in the upper halves. spec/placement, section 7.
 */
final class WideRing {

    /** A point and its owner. */
    record Point(long value, int owner) {}

    private final Ranges ranges;

    /** If points are equal, the first one counts. There is at least one point. */
    WideRing(List<Point> points) {
        List<Point> sorted =
                points.stream()
                        .sorted((one, other) -> Long.compareUnsigned(one.value(), other.value()))
                        .toList();
        ranges =
                new Ranges(
                        sorted.stream().mapToLong(Point::value).toArray(),
                        sorted.stream().mapToInt(Point::owner).toArray(),
                        -1);
    }

    /** The owner of a number. */
    int owner(long number) {
        return ranges.owner(number);
    }

    /** The point that a number belongs to. */
    long point(long number) {
        return ranges.end(number);
    }
}
