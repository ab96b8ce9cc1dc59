package io.onehop.cli;

import io.onehop.cli.BatchLimit.Batch;
import io.onehop.core.Node;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a move has done, and what stands in its way. Any thread may add. */
final class MoveTally {
    private static final int SHOWN_MAX = 10;

    /** A large key whose batch has blocked the node for longer than the limit. */
    record Large(Node node, byte[] key, double bytes, double ms) {}

    private final Moves moved = new Moves();
    private final List<Large> large = new ArrayList<>();
    private final Map<Node, BatchBringer.Lost> lost = new LinkedHashMap<>();
    private final List<String> refused = new ArrayList<>();
    private long refusedCount;
    private long found; // Keys that this pass has found at their old place.
    private final Map<Node, Long> others = new LinkedHashMap<>(); // Of this pass.
    private long byHand;
    private double longestMs; // Of batches that are not in `large`.

    /** Begins another pass over all nodes, and forgets what the pass before has found. */
    synchronized void beginPass() {
        found = 0;
        others.clear();
        refused.clear();
        refusedCount = 0;
    }

    synchronized void found(long count) {
        found += count;
    }

    /**
     * Notes keys that stay on a node, because neither ring of this server pool places them there.
     */
    synchronized void leave(Node node, long count) {
        others.merge(node, count, Long::sum);
    }

    synchronized void brought(Node from, Node to, Batch batch, BatchBringer.Result result) {
        double part = (double) result.refused().size() / batch.keys().size();
        if (result.lost() == null) {
            moved.add(
                    from.index(),
                    to.index(),
                    (double) batch.keys().size() - result.refused().size(),
                    batch.bytes() * (1 - part));
        } else {
            lost.putIfAbsent(result.lost().node(), result.lost());
        }
        byHand += result.byHand();
        refusedCount += result.refused().size();
        result.refused().stream()
                .limit(Math.max(0, SHOWN_MAX - refused.size()))
                .map(each -> from.name() + ": " + each)
                .forEach(refused::add);
    }

    synchronized void lost(Node node, String why) {
        lost.putIfAbsent(node, new BatchBringer.Lost(node, why));
    }

    /** Notes how long a batch took. */
    synchronized void took(double ms) {
        longestMs = Math.max(longestMs, ms);
    }

    /** Notes how long the batch of this large key took. */
    synchronized void large(Node node, byte[] key, double bytes, double ms) {
        large.add(new Large(node, key, bytes, ms));
        large.sort(Comparator.comparingDouble(Large::ms).reversed());
        if (large.size() > SHOWN_MAX) {
            large.remove(SHOWN_MAX);
        }
    }

    Moves moved() {
        return moved;
    }

    synchronized long foundCount() {
        return found;
    }

    synchronized long refusedCount() {
        return refusedCount;
    }

    synchronized List<String> refused() {
        return List.copyOf(refused);
    }

    synchronized List<BatchBringer.Lost> lost() {
        return List.copyOf(lost.values());
    }

    synchronized boolean isLost(Node node) {
        return lost.containsKey(node);
    }

    synchronized List<Large> large() {
        return List.copyOf(large);
    }

    synchronized long others(Node node) {
        return others.getOrDefault(node, 0L);
    }

    synchronized long byHand() {
        return byHand;
    }

    synchronized double longestMs() {
        return longestMs;
    }
}
