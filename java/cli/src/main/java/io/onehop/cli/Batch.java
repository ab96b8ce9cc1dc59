package io.onehop.cli;

import java.util.ArrayList;
import java.util.List;

/** Keys of one pair of nodes that are brought together, and their bytes. */
record Batch(List<byte[]> keys, double bytes) {

    /** The first keys that may go together. They are taken from the list. */
    static Batch of(List<SeenKey> waiting, BatchLimit limit) {
        List<byte[]> keys = new ArrayList<>();
        double bytes = 0;
        for (SeenKey each : waiting) {
            boolean isAlone = limit.isLarge(each.bytes());
            if (!keys.isEmpty() && (isAlone || limit.isFull(keys.size(), bytes, each.bytes()))) {
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
}
