package io.onehop.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * How much one MIGRATE may carry, so that it blocks its nodes no longer than the limit. The time
 * that a batch takes decides how large the next batch may be. For one thread.
 *
 * <p>What a batch costs depends on the number of its keys and on their bytes. Each key costs about
 * as much as 4 KiB of a value: some microseconds.
 */
final class BatchLimit {
    private static final double KEY = 4096;
    private static final double MOST = 4096 * KEY; // 16 MiB.

    /* The part of the limit that a batch may take, because batches of one size differ. */
    private static final double AIM = 0.7;

    private final double limitMs;
    private double most = 16 * KEY; // The highest cost of the next batch.

    BatchLimit(double limitMs) {
        this.limitMs = limitMs;
    }

    /** Keys that are brought together from one node to one other node, and their bytes. */
    record Batch(List<byte[]> keys, double bytes) {}

    /** Takes from the list the first keys that may go together. */
    Batch take(List<SeenKey> waiting) {
        List<byte[]> keys = new ArrayList<>();
        double bytes = 0;
        for (SeenKey each : waiting) {
            boolean isAlone = isLarge(each.bytes());
            if (!keys.isEmpty() && (isAlone || isFull(keys.size(), bytes, each.bytes()))) {
                break;
            }
            keys.add(each.key());
            bytes += each.bytes();
            if (isAlone) {
                break;
            }
        }
        waiting.subList(0, keys.size()).clear();
        return new Batch(keys, bytes);
    }

    /**
     * True if a batch with so many keys and bytes has no room for a further key of {@code more}
     * bytes.
     */
    boolean isFull(int keys, double bytes, double more) {
        return keys > 0 && cost(keys + 1, bytes + more) > most;
    }

    /** True if a key of this size goes alone, so that its own time is known. */
    boolean isLarge(double bytes) {
        return cost(1, bytes) > most / 2;
    }

    private static double cost(int keys, double bytes) {
        return keys * KEY + bytes;
    }

    /** Notes how long a batch took. */
    void took(int keys, double bytes, double ms) {
        double cost = cost(keys, bytes);
        double next = cost * AIM * limitMs / Math.max(ms, 0.01);
        if (next < most || cost > most / 2) { // A small batch says little about a large one.
            most = Math.max(KEY, Math.min(MOST, Math.max(most / 4, Math.min(most * 2, next))));
        }
    }
}
