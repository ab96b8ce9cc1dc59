package io.onehop.core.command;

import io.onehop.core.base.Message;

/**
 * Splits a command whose keys are on several nodes or in several slots. Each part has one node's
 * keys in the caller's order, with the words that belong to them.
 *
 * <p>Implements spec/route/route.md, "Splitting"; spec/tools/reference/table.py is the reference.
 */
public final class Split {

    /**
     * The part of one node.
     *
     * @param node the number that the caller gave the node
     * @param words positions of the command's words, in the order in which they are sent
     * @param keys numbers of its keys among all keys of the command, from 0
     */
    public record Part(int node, int[] words, int[] keys) {}

    private Split() {}

    /**
     * The position of the first of that many keys. Throws if the rest cannot be divided among them.
     */
    public static int first(Command command, CommandWords words, int keys) throws Malformed {
        KeySpec spec = command.keys[0];
        int first = (int) (spec.span(words, spec.first(words)) >> 32);
        if (first + keys * spec.reach.step() * spec.reach.limit() != words.count()) {
            throw new Malformed(Message.KEYS_UNEVEN);
        }
        return first;
    }

    /** The parts, in the order of their first keys. {@code nodes} has the node of each key. */
    public static Part[] parts(Command command, CommandWords words, int[] nodes) throws Malformed {
        int first = first(command, words, nodes.length);
        int step = command.keys[0].reach.step();
        int groups = command.keys[0].reach.limit();
        int[][] keys = keysByNode(nodes);
        Part[] parts = new Part[keys.length];
        for (int i = 0; i < keys.length; i++) {
            int[] part = new int[first + keys[i].length * step * groups];
            int at = 0;
            for (; at < first; at++) {
                part[at] = at;
            }
            for (int group = 0; group < groups; group++) {
                for (int key : keys[i]) {
                    for (int word = 0; word < step; word++) {
                        part[at++] = first + (group * nodes.length + key) * step + word;
                    }
                }
            }
            parts[i] = new Part(nodes[keys[i][0]], part, keys[i]);
        }
        return parts;
    }

    /** The key numbers of each node that has any; nodes in the order of their first key. */
    private static int[][] keysByNode(int[] nodes) {
        int[] parts = new int[nodes.length];
        int[] counts = new int[nodes.length];
        int used = number(nodes, parts);
        for (int part : parts) {
            counts[part]++;
        }
        int[][] keys = new int[used][];
        for (int i = 0; i < used; i++) {
            keys[i] = new int[counts[i]];
            counts[i] = 0;
        }
        for (int key = 0; key < nodes.length; key++) {
            keys[parts[key]][counts[parts[key]]++] = key;
        }
        return keys;
    }

    /**
     * Numbers the nodes by their first key. The hash table is twice as large as the number of keys,
     * not of slots: three keys have at most three of the 16,384 slots. Returns the number of nodes.
     */
    private static int number(int[] nodes, int[] parts) {
        int mask = Math.max(2, Integer.highestOneBit(nodes.length) << 2) - 1;
        int[] table = new int[mask + 1]; // A key of that node, from 1; 0: no entry.
        int used = 0;
        for (int key = 0; key < nodes.length; key++) {
            int at = nodes[key] & mask;
            while (table[at] != 0 && nodes[table[at] - 1] != nodes[key]) {
                at = at + 1 & mask;
            }
            if (table[at] == 0) {
                table[at] = key + 1;
                parts[key] = used++;
            } else {
                parts[key] = parts[table[at] - 1];
            }
        }
        return used;
    }
}
