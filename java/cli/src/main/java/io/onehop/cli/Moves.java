package io.onehop.cli;

import io.onehop.core.Node;
import io.onehop.core.topology.PoolTopology;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Counts the keys that move from one node to another, for each pair of nodes. Any thread may add.
 */
final class Moves {

    /** How many keys, and how many bytes they have. */
    record Sum(double keys, double bytes) {
        static final Sum NONE = new Sum(0, 0);

        Sum and(Sum other) {
            return new Sum(keys + other.keys, bytes + other.bytes);
        }
    }

    /** Two nodes, by their indexes. */
    record Pair(int from, int to) implements Comparable<Pair> {
        @Override
        public int compareTo(Pair other) {
            return from != other.from
                    ? Integer.compare(from, other.from)
                    : Integer.compare(to, other.to);
        }
    }

    private final Map<Pair, Sum> sums = new TreeMap<>();
    private Sum all = Sum.NONE;

    synchronized void add(int from, int to, double keys, double bytes) {
        Sum more = new Sum(keys, bytes);
        sums.merge(new Pair(from, to), more, Sum::and);
        all = all.and(more);
    }

    synchronized boolean isEmpty() {
        return sums.isEmpty();
    }

    synchronized boolean has(int from, int to) {
        return sums.containsKey(new Pair(from, to));
    }

    synchronized Sum all() {
        return all;
    }

    synchronized void forEach(BiConsumer<Pair, Sum> taker) {
        sums.forEach(taker);
    }

    /** How much a node sends. */
    Sum from(int node) {
        Sum[] sum = {Sum.NONE};
        forEach((pair, each) -> sum[0] = pair.from == node ? sum[0].and(each) : sum[0]);
        return sum[0];
    }

    /** How much a node gets. */
    Sum to(int node) {
        Sum[] sum = {Sum.NONE};
        forEach((pair, each) -> sum[0] = pair.to == node ? sum[0].and(each) : sum[0]);
        return sum[0];
    }

    /**
     * Prints a row for each pair of nodes: from a node of {@code before} to a node of {@code
     * after}.
     */
    void print(Screen screen, PoolTopology before, PoolTopology after, boolean hasBytes) {
        if (isEmpty()) {
            return;
        }
        Table table = new Table("from", "keys", "bytes", "to");
        forEach(
                (pair, sum) ->
                        table.row(
                                shown(before, pair.from),
                                Screen.count(sum.keys),
                                hasBytes ? Screen.bytes(sum.bytes) : "",
                                shown(after, pair.to)));
        table.print(screen);
    }

    static String shown(PoolTopology topology, int index) {
        Node node = topology.byIndex().get(index);
        boolean isNamed = !node.name().equals(node.address());
        return Screen.plain(isNamed ? node.name() + " (" + node.address() + ")" : node.name());
    }

    List<Map<String, Object>> json(PoolTopology before, PoolTopology after, boolean hasBytes) {
        List<Map<String, Object>> pairs = new ArrayList<>();
        forEach(
                (pair, sum) -> {
                    Map<String, Object> fields = new LinkedHashMap<>();
                    fields.put("from", before.byIndex().get(pair.from).name());
                    fields.put("to", after.byIndex().get(pair.to).name());
                    fields.put("keys", Math.round(sum.keys));
                    fields.put("bytes", hasBytes ? Math.round(sum.bytes) : null);
                    pairs.add(fields);
                });
        return pairs;
    }
}
