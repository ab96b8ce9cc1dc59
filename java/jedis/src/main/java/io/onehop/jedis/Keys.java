package io.onehop.jedis;

import io.onehop.core.Distribution;
import io.onehop.core.HashTag;
import io.onehop.core.Key;
import io.onehop.core.Limits;
import io.onehop.core.Node;
import io.onehop.core.Topology;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.util.SafeEncoder;

/**
 * From a command's keys to its node.
 *
 * <p>In: the keys as Jedis collected them ({@code getKeys()}, which knows those of EVAL and of sample keys, too) and a
 * topology. Out: a node index, or {@link CrossNode} before anything is sent. Pure but for {@code random}, where a
 * command is placed once, by its first key.
 */
final class Keys {
    /* Where ZRANGESTORE and GEOSEARCHSTORE have their source: destination, source, ... */
    private static final int FORGOTTEN = 2;

    private static final HashTag BRACES = new HashTag((byte) '{', (byte) '}');

    private final Topology topology;
    private final boolean isRandom;

    Keys(Topology topology) {
        this.topology = topology;
        this.isRandom = topology.pool().distribution() == Distribution.RANDOM;
    }

    /** Every key of a command: those Jedis collected, and the one it forgets in two commands. */
    static List<Object> of(CommandArguments arguments, Commands.Traits traits) {
        List<Object> keys = arguments.getKeys();
        if (!traits.hasForgottenKey() || arguments.size() <= FORGOTTEN) {
            return keys;
        }
        List<Object> all = new ArrayList<>(keys);
        all.add(arguments.get(FORGOTTEN).getRaw());
        return all;
    }

    /** The one node of all keys. */
    int node(CommandArguments arguments, Commands.Traits traits) {
        List<Object> keys = of(arguments, traits);
        int node = locate(keys.get(0));
        for (int i = 1; i < keys.size() && !isRandom; i++) {
            int other = locate(keys.get(i));
            if (other != node) {
                throw crossNode(traits.name(), bytes(keys.get(0)), node, bytes(keys.get(i)), other);
            }
        }
        return node;
    }

    /** The one node of all keys, with the first of them. */
    Binding binding(CommandArguments arguments, Commands.Traits traits, Pool[] pools) {
        int node = node(arguments, traits);
        return new Binding(pools[node], node, bytes(of(arguments, traits).get(0)));
    }

    /** Whether any node is as good as another for any key. */
    boolean isRandom() {
        return isRandom;
    }

    /** The node of each key, in the caller's order. */
    int[] nodes(CommandArguments arguments) {
        List<Object> keys = arguments.getKeys();
        int[] nodes = new int[keys.size()];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = locate(keys.get(i));
        }
        return nodes;
    }

    private int locate(Object key) {
        byte[] bytes = bytes(key);
        return topology.locateIndex(bytes, 0, bytes.length);
    }

    /** Commands of this client carry their keys encoded; those that a user built may carry text. */
    private static byte[] bytes(Object key) {
        return key instanceof byte[] bytes ? bytes : SafeEncoder.encode((String) key);
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
