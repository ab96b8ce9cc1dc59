package io.onehop.core.command;

import java.util.Arrays;

/**
 * A command whose keys are on several nodes, in parts: one for each node, with that node's keys in the caller's order
 * and what belongs to them.
 *
 * <p>Implements spec/route/route.md, "Splitting"; spec/route/table.py is the reference.
 */
public final class Split {

    /**
     * What one node is sent.
     *
     * @param node the number the caller gave the node
     * @param words places of the command's words, in the order in which they are sent
     * @param keys numbers of its keys among all keys of the command, from 0
     */
    public record Part(int node, int[] words, int[] keys) {
    }

    private Split() {
    }

    /** The parts, in the order of their first keys; {@code nodes} has the node of each key. */
    public static Part[] parts(Command command, Words words, int[] nodes) throws Malformed {
        KeySpec spec = command.keys[0];
        int first = (int) (spec.span(words, spec.first(words)) >> 32);
        int step = spec.reach.step();
        int lanes = spec.reach.limit();
        int beyond = first + nodes.length * step * lanes;
        if (beyond != words.count()) {
            throw new Malformed("its keys and what belongs to them do not come out even");
        }
        int[][] keys = keysByNode(nodes);
        Part[] parts = new Part[keys.length];
        for (int i = 0; i < keys.length; i++) {
            int[] part = new int[first + keys[i].length * step * lanes];
            int at = 0;
            for (; at < first; at++) {
                part[at] = at;
            }
            for (int lane = 0; lane < lanes; lane++) {
                for (int key : keys[i]) {
                    for (int word = 0; word < step; word++) {
                        part[at++] = first + (lane * nodes.length + key) * step + word;
                    }
                }
            }
            parts[i] = new Part(nodes[keys[i][0]], part, keys[i]);
        }
        return parts;
    }

    /** Key numbers of each node that has any, nodes in the order of their first key. */
    private static int[][] keysByNode(int[] nodes) {
        int[] counts = new int[Arrays.stream(nodes).max().orElse(-1) + 1];
        int[] order = new int[counts.length];
        int used = 0;
        for (int node : nodes) {
            if (counts[node]++ == 0) {
                order[node] = used++;
            }
        }
        int[][] keys = new int[used][];
        for (int number = 0; number < nodes.length; number++) {
            int node = nodes[number];
            if (keys[order[node]] == null) {
                keys[order[node]] = new int[counts[node]];
                counts[node] = 0;
            }
            keys[order[node]][counts[node]++] = number;
        }
        return keys;
    }
}
