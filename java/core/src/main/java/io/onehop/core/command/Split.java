package io.onehop.core.command;

import io.onehop.core.base.Message;
import io.onehop.core.command.CommandWords.Malformed;

import org.jspecify.annotations.Nullable;

/**
 * Splits a command whose keys are on several nodes or in several slots. Each part has the keys of
 * one node in the caller's order, with the words that belong to these keys.
 *
 * <p>Implements spec/route/route.md, "Splitting"; spec/tools/reference/table.py is the reference.
 */
public final class Split {

    /**
     * The part of one node.
     *
     * @param node the number that the caller gave the node
     * @param first how many words come before the first key, the same in every part
     * @param order numbers of all keys of the command, from 0, in the order of the parts; the
     *     part's own keys are those from {@code from} on. An MGET in a Redis Cluster has nearly as
     *     many parts as keys, so the parts share an array
     * @param count how many keys it has
     * @param rest positions of the words after the first {@code first} words; {@code null} if they
     *     are only the keys
     * @param keynum the position of the word that is the number of keys, and that each part has for
     *     itself; 0 if there is no such word
     */
    public record Part(
            int node,
            int first,
            int[] order,
            int from,
            int count,
            int @Nullable [] rest,
            int keynum) {
        /** A part that is the whole command. */
        public static Part whole(int node) {
            return new Part(node, 0, NONE, 0, 0, null, 0);
        }

        public boolean isWhole() {
            return first == 0;
        }

        /** The same part for another node. */
        public Part at(int other) {
            return new Part(other, first, order, from, count, rest, keynum);
        }

        /** The number of keys of the whole command. */
        public int all() {
            return order.length;
        }

        /** The number of one of its keys among all keys of the command. */
        public int key(int number) {
            return order[from + number];
        }

        /** How many words the part has. */
        public int words() {
            return first + (rest == null ? count : rest.length);
        }

        /** True if this word is the part's own number of keys, and not a word of the command. */
        public boolean isKeynum(int number) {
            return number == keynum && number > 0;
        }

        /** The position in the command of one word of the part. Words are sent in this order. */
        public int word(int number) {
            int after = number - first;
            return after < 0 ? number : rest == null ? first + key(after) : rest[after];
        }
    }

    private static final int[] NONE = {};

    private Split() {}

    /**
     * The position of the first of that many keys. Throws if the rest cannot be divided among them.
     */
    public static int first(Command command, CommandWords words, int keys) throws Malformed {
        KeySpec spec = command.keys[0];
        int first = (int) (spec.span(words, spec.first(words)) >> 32);
        int beyond = beyond(spec.reach, first, keys);
        boolean isCounted = spec.reach.keynum() >= 0;
        if (isCounted ? beyond > words.count() : beyond != words.count() + 1 + spec.reach.last()) {
            throw new Malformed(Message.KEYS_UNEVEN);
        }
        return first;
    }

    /** The position after the keys and what belongs to them. */
    private static int beyond(KeySpec.Reach reach, int first, int keys) {
        return first + keys * reach.step() * reach.limit();
    }

    /** True if a word after the keys, or after the name, asks for all keys on one node. */
    public static boolean isWhole(Command command, CommandWords words, int keys) throws Malformed {
        if (command.wholeWith.length > 0) {
            int at =
                    keys == 0
                            ? 1
                            : beyond(command.keys[0].reach, first(command, words, keys), keys);
            for (; at < words.count(); at++) {
                if (isAmong(command.wholeWith, words.word(at))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isAmong(byte[][] list, byte[] word) {
        for (byte[] listed : list) {
            if (KeySpec.isWord(word, listed)) {
                return true;
            }
        }
        return false;
    }

    /** The parts, in the order of their first keys. {@code nodes} has the node of each key. */
    public static Part[] parts(Command command, CommandWords words, int[] nodes) throws Malformed {
        int first = first(command, words, nodes.length);
        KeySpec.Reach reach = command.keys[0].reach;
        int keynum = reach.keynum() < 0 ? 0 : first - reach.first() + reach.keynum();
        int[] numbers = new int[nodes.length]; // The number of each key's part.
        int used = number(nodes, numbers);
        int[] ends = ends(numbers, used);
        int[] order = order(numbers, ends);
        Part[] parts = new Part[ends.length];
        for (int i = 0; i < parts.length; i++) {
            int from = i == 0 ? 0 : ends[i - 1];
            int count = ends[i] - from;
            int[] rest = rest(reach, words.count(), first, order, from, count);
            parts[i] = new Part(nodes[order[from]], first, order, from, count, rest, keynum);
        }
        return parts;
    }

    private static int @Nullable [] rest(
            KeySpec.Reach reach, int words, int first, int[] order, int from, int count) {
        int step = reach.step();
        int beyond = beyond(reach, first, order.length);
        if (step * reach.limit() == 1 && beyond == words) {
            return null;
        }
        int[] rest = new int[count * step * reach.limit() + words - beyond];
        int at = 0;
        for (int group = 0; group < reach.limit(); group++) {
            for (int i = from; i < from + count; i++) {
                for (int word = 0; word < step; word++) {
                    rest[at++] = first + (group * order.length + order[i]) * step + word;
                }
            }
        }
        for (int word = beyond; word < words; word++) {
            rest[at++] = word;
        }
        return rest;
    }

    /** Where the keys of each part end in the order of the parts. */
    private static int[] ends(int[] numbers, int parts) {
        int[] ends = new int[parts];
        for (int number : numbers) {
            ends[number]++;
        }
        for (int i = 1; i < parts; i++) {
            ends[i] += ends[i - 1];
        }
        return ends;
    }

    /** The keys in the order of the parts, and within a part in the caller's order. */
    private static int[] order(int[] numbers, int[] ends) {
        int[] order = new int[numbers.length];
        int[] next = ends.clone();
        for (int key = numbers.length - 1; key >= 0; key--) {
            order[--next[numbers[key]]] = key;
        }
        return order;
    }

    /**
     * Numbers the nodes by their first key. The size of the hash table depends on the number of
     * keys, not of slots: three keys have at most three of the 16,384 slots. Returns the number of
     * nodes.
     */
    private static int number(int[] nodes, int[] parts) {
        int mask = Math.max(2, Integer.highestOneBit(nodes.length) << 2) - 1;
        int[] table = new int[mask + 1]; // The number of a key of the node, from 1; 0: no entry.
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
