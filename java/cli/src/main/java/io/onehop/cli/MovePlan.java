package io.onehop.cli;

import io.onehop.core.Node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What a move will take, estimated from keys that were seen at their old places. Pure; for one
 * thread.
 */
final class MovePlan {
    /* What one MIGRATE of many small keys, or of a large one, has taken on usual machines. */
    private static final double SECONDS_PER_KEY = 12e-6;
    private static final double BYTES_PER_SECOND = 100 << 20;

    private static final int LARGEST = 5;

    private final double bytesPerSecond;
    private final Moves moves = new Moves();
    private final List<SeenKey> largest = new ArrayList<>();
    private double all;

    MovePlan(double bytesPerSecond) {
        this.bytesPerSecond = bytesPerSecond;
    }

    /** A key that was seen. */
    void saw(SeenKey key) {
        all += key.count();
    }

    /** A key that was seen and moves. */
    void moves(SeenKey key, Node from, Node to) {
        moves.add(from.index(), to.index(), key.count(), key.count() * key.bytes());
        largest.add(key);
        largest.sort(Comparator.comparingDouble(SeenKey::bytes).reversed());
        if (largest.size() > LARGEST) {
            largest.remove(LARGEST);
        }
    }

    Moves moves() {
        return moves;
    }

    /** All keys of the old nodes. */
    double all() {
        return all;
    }

    /** The largest keys that move, the largest first. */
    List<SeenKey> largest() {
        return List.copyOf(largest);
    }

    /** How long one key of so many bytes blocks both of its nodes. */
    static double blockedMs(double bytes) {
        return 1000 * (SECONDS_PER_KEY + bytes / BYTES_PER_SECOND);
    }

    /** How long an old node takes for this: as the rate says, or longer if it is not that fast. */
    double seconds(Moves.Sum sum) {
        double least = sum.keys() * SECONDS_PER_KEY + sum.bytes() / BYTES_PER_SECOND;
        return Math.max(least, sum.bytes() / bytesPerSecond);
    }

    /** How long all take: the old nodes work in parallel. */
    double seconds(List<Node> nodes) {
        return nodes.stream()
                .mapToDouble(node -> seconds(moves.from(node.index())))
                .max()
                .orElse(0);
    }
}
