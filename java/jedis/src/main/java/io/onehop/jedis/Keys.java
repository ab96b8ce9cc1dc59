package io.onehop.jedis;

import io.onehop.core.Distribution;
import io.onehop.core.HashTag;
import io.onehop.core.Key;
import io.onehop.core.Limits;
import io.onehop.core.Node;
import io.onehop.core.Topology;
import io.onehop.core.command.Command;
import io.onehop.core.command.KeyPlaces;
import io.onehop.core.command.Spread;
import java.nio.charset.StandardCharsets;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.util.SafeEncoder;

/**
 * From a command's keys to its node.
 *
 * <p>In: keys, where the command table or Jedis says they are, and a topology. Out: a node index, or {@link CrossNode}
 * before anything is sent. Pure but for {@code random}, where a command is placed once, by its first key.
 */
final class Keys {
    private static final HashTag BRACES = new HashTag((byte) '{', (byte) '}');

    private final Topology topology;
    private final boolean isRandom;

    Keys(Topology topology) {
        this.topology = topology;
        this.isRandom = topology.pool().distribution() == Distribution.RANDOM;
    }

    /** Whether any node is as good as another for any key. */
    boolean isRandom() {
        return isRandom;
    }

    String pool() {
        return topology.pool().name();
    }

    int nodesCount() {
        return topology.nodes().size();
    }

    /**
     * The node of a command whose only key is always at the same place, found without making anything; -1: ask {@link
     * Plan}.
     */
    int onlyNode(Command command, CommandArguments arguments) {
        int place = command.onlyKey();
        if (place == 0 || place >= arguments.size() || command.spread() != Spread.ONE_NODE) {
            return -1;
        }
        byte[] key = arguments.get(place).getRaw();
        if (!arguments.isKeyless()) {
            List<Object> marked = arguments.getKeys();
            if (marked.size() != 1 || marked.get(0) != key) {
                return -1;
            }
        }
        return topology.locateIndex(key, 0, key.length);
    }

    /** The one node of all keys of a command. */
    int nodeOf(Command command, ArgumentWords words, KeyPlaces places) {
        byte[] first = null;
        int node = -1;
        for (int i = 0; i < places.count(); i++) {
            byte[] key = words.word(places.place(i));
            if (places.kind(i) == KeyPlaces.Kind.PATTERN && nodesCount() > 1) {
                requireTag(command, key);
            }
            int other = first != null && isRandom ? node : locate(key);
            if (first != null && other != node) {
                throw crossNode(command.shown(), first, node, key, other);
            }
            first = first == null ? key : first;
            node = other;
        }
        return node;
    }

    /** The one node of all keys that Jedis marked. */
    int nodeOf(Command command, List<Object> keys) {
        byte[] first = bytes(keys.get(0));
        int node = locate(first);
        for (int i = 1; i < keys.size() && !isRandom; i++) {
            byte[] key = bytes(keys.get(i));
            if (locate(key) != node) {
                throw crossNode(command.shown(), first, node, key, locate(key));
            }
        }
        return node;
    }

    /** The node of each key, in the caller's order. */
    int[] nodesOf(ArgumentWords words, KeyPlaces places) {
        int[] nodes = new int[places.count()];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = i > 0 && isRandom ? nodes[0] : locate(words.word(places.place(i)));
        }
        return nodes;
    }

    private int locate(byte[] key) {
        return topology.locateIndex(key, 0, key.length);
    }

    /** Commands of this client carry their keys encoded; those that a user built may carry text. */
    static byte[] bytes(Object key) {
        return key instanceof byte[] bytes ? bytes : SafeEncoder.encode((String) key);
    }

    /**
     * The keys a server makes from a pattern lie on the pattern's node for sure only if a hash tag closes before the
     * asterisk.
     */
    private void requireTag(Command command, byte[] pattern) {
        HashTag tag = topology.pool().hashTag();
        long part = tag == null ? 0 : Key.hashed(pattern, 0, pattern.length, tag);
        boolean isTagged = tag != null && Key.offset(part) > 0
                && Key.offset(part) + Key.length(part) < text(pattern).indexOf('*');
        if (!isTagged) {
            throw new CrossNode(Failure.shown(command.shown()) + " would read keys made from the pattern \""
                    + shown(pattern) + "\", which may be on other nodes, server pool " + Failure.shown(pool())
                    + ": the command was not sent; " + (tag == null ? "set hash_tag: \"{}\" in the server pool and "
                            : "") + "give the pattern the hash tag of the sorted key, in front of the asterisk");
        }
    }

    CrossNode crossNode(String command, byte[] one, int oneNode, byte[] other, int otherNode) {
        return new CrossNode(Failure.shown(command) + " needs all its keys on one node: key \"" + shown(one)
                + "\" is on node " + shown(topology.nodes().get(oneNode)) + ", key \"" + shown(other) + "\" on node "
                + shown(topology.nodes().get(otherNode)) + ", server pool " + Failure.shown(topology.pool().name())
                + ": the command was not sent; " + advice(one, other));
    }

    /**
     * Names for both keys that would bring them together: what decides the place of the first one becomes the tag of
     * both.
     */
    private String advice(byte[] one, byte[] other) {
        HashTag configured = topology.pool().hashTag();
        HashTag tag = configured == null ? BRACES : configured;
        long part = Key.hashed(one, 0, one.length, tag);
        String tagged = (char) (tag.open() & 0xff)
                + text(one).substring(Key.offset(part), Key.offset(part) + Key.length(part))
                + (char) (tag.close() & 0xff);
        String first = Key.length(part) < one.length ? text(one) : tagged;
        return (configured == null ? "set hash_tag: \"{}\" in the server pool and " : "")
                + "give both keys one hash tag, such as \"" + shown(first.getBytes(StandardCharsets.ISO_8859_1))
                + "\" and \"" + shown((tagged + text(other)).getBytes(StandardCharsets.ISO_8859_1)) + "\"";
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String shown(Node node) {
        return shown(node.name().getBytes(StandardCharsets.UTF_8));
    }

    private static String shown(byte[] bytes) {
        return Failure.shown(bytes, Limits.SHOWN_BYTES_MAX);
    }
}
