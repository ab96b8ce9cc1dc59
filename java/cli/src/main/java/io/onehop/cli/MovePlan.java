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
    /* What MIGRATE has taken on usual machines: for each key, and for the bytes of large keys. */
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

    /** Counts a key that was seen. */
    void saw(SeenKey key) {
        all += key.count();
    }

    /** Counts a key that was seen and that moves. */
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

    /** How many keys the old nodes have. */
    double all() {
        return all;
    }

    /** The largest keys that move, the largest first. */
    List<SeenKey> largest() {
        return List.copyOf(largest);
    }

    /** How long MIGRATE of one key with so many bytes blocks both nodes. */
    static double blockedMs(double bytes) {
        return 1000 * (SECONDS_PER_KEY + bytes / BYTES_PER_SECOND);
    }

    /**
     * How long an old node takes to send this: as long as the rate asks for, or longer if MIGRATE
     * is slower.
     */
    double seconds(Moves.Sum sum) {
        double least = sum.keys() * SECONDS_PER_KEY + sum.bytes() / BYTES_PER_SECOND;
        return Math.max(least, sum.bytes() / bytesPerSecond);
    }

    /** How long these old nodes take, which work in parallel: the time of the slowest. */
    double seconds(List<Node> nodes) {
        return nodes.stream()
                .mapToDouble(node -> seconds(moves.from(node.index())))
                .max()
                .orElse(0);
    }
}
