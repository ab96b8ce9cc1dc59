package io.onehop.jedis.internal.command;

import io.onehop.core.Distribution;
import io.onehop.core.ErrorKind.Outcome;
import io.onehop.core.Node;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.command.Command;
import io.onehop.core.command.Command.Spread;
import io.onehop.core.command.KeyPositions;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.topology.PoolTopology;
import io.onehop.jedis.CrossNode;
import io.onehop.jedis.OneHopException;
import io.onehop.jedis.internal.failure.Failure;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.request.RoutedArguments.ArgumentWords;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.util.SafeEncoder;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Finds the home of a command's keys: the index of a node, or in a Redis Cluster the slot.
 *
 * <p>In: a topology, and keys at the positions that the command table or Jedis names. Out: a home,
 * or {@link CrossNode} before anything is sent. Keys with two homes are not together, even if one
 * node has both slots. Pure, except with {@code distribution: random}: there a node is drawn once
 * for each command, with its first key. Any thread.
 */
public final class Keys {
    private static final HashTag BRACES = new HashTag((byte) '{', (byte) '}');

    private final PoolTopology topology;
    private final boolean isRandom;
    private final boolean isCluster;
    // How many nodes have keys; in a Redis Cluster, how many seeds there are.
    private final int nodes;
    private final boolean hasOneNode;
    // Made when it is first needed. Threads that race make equal arrays.
    private int @Nullable [] everywhere;

    public Keys(PoolTopology topology) {
        this.topology = topology;
        this.isRandom = topology.pool().distribution() == Distribution.RANDOM;
        this.isCluster = topology.pool().cluster();
        this.nodes =
                topology.isMoving() ? topology.byIndex().size() : topology.pool().servers().size();
        this.hasOneNode = !isCluster && nodes == 1;
    }

    /** True if there is only one node. */
    boolean hasOneNode() {
        return hasOneNode;
    }

    /**
     * Whether a script without keys may run: if there is only one node, or in a Redis Cluster,
     * where nodes refuse keys of other nodes.
     */
    boolean mayBeKeyless() {
        return isCluster || hasOneNode();
    }

    /** True if every node serves every key. */
    public boolean isRandom() {
        return isRandom;
    }

    String pool() {
        return topology.pool().name();
    }

    /** The index of the node at this home, or of the node that replaces it. */
    public int nodeAt(int home) {
        return isCluster ? topology.nodeOfSlot(home) : home;
    }

    /**
     * One home for each node that takes commands without keys. In a Redis Cluster it is each
     * master's lowest slot.
     */
    public int[] everywhere() {
        int[] made = everywhere;
        if (made == null) {
            made = isCluster ? topology.firstSlots() : IntStream.range(0, nodes).toArray();
            everywhere = made;
        }
        return made;
    }

    /** The homes that SCAN visits, in this order. */
    public int[] scanned() {
        return topology.isMoving() ? topology.scanned() : everywhere();
    }

    /**
     * The home of a command whose only key is always at the same position. It allocates nothing.
     * -1: ask {@link Plan}.
     */
    public int onlyHome(Command command, CommandArguments arguments) {
        int word = command.onlyKey();
        if (word == 0 || word >= arguments.size() || command.spread() != Spread.ONE_NODE) {
            return -1;
        }
        if (hasOneNode) {
            return 0;
        }
        byte[] key = arguments.get(word).getRaw();
        if (!arguments.isKeyless()) {
            List<Object> marked = arguments.getKeys();
            if (marked.size() != 1 || marked.get(0) != key) {
                return -1;
            }
        }
        return locate(key);
    }

    /** The common home of all keys of a command. */
    int homeOf(Command command, ArgumentWords words, KeyPositions positions) {
        byte[] first = null;
        int at = -1;
        for (int i = 0; i < positions.count(); i++) {
            byte[] key = words.word(positions.position(i));
            if (positions.kind(i) == KeyPositions.Kind.PATTERN && (isCluster || nodes > 1)) {
                requireTag(command, key);
            }
            int other = first != null && isRandom ? at : locate(key);
            if (first != null && other != at) {
                throw crossNode(command.shown(), first, at, key, other);
            }
            first = first == null ? key : first;
            at = other;
        }
        return at;
    }

    /** The common home of all keys that Jedis marked. */
    int homeOf(Command command, List<Object> keys) {
        byte[] first = bytes(keys.get(0));
        int at = locate(first);
        for (int i = 1; i < keys.size() && !isRandom; i++) {
            byte[] key = bytes(keys.get(i));
            if (locate(key) != at) {
                throw crossNode(command.shown(), first, at, key, locate(key));
            }
        }
        return at;
    }

    /** The home of each key, in the caller's order. */
    int[] homesOf(ArgumentWords words, KeyPositions keys) {
        int[] homes = new int[keys.count()];
        for (int i = 0; i < homes.length; i++) {
            homes[i] = i > 0 && isRandom ? homes[0] : locate(words.word(keys.position(i)));
        }
        return homes;
    }

    int locate(byte[] key) {
        return isCluster ? Key.slot(key, 0, key.length) : topology.locateIndex(key, 0, key.length);
    }

    /**
     * In commands that this client builds, keys are bytes already. In commands that a caller built,
     * keys may be text.
     */
    static byte[] bytes(Object key) {
        return key instanceof byte[] bytes ? bytes : SafeEncoder.encode((String) key);
    }

    /**
     * Requires a hash tag that closes before the asterisk of a pattern. Only then all keys that a
     * server makes from the pattern are certainly on its node.
     */
    private void requireTag(Command command, byte[] pattern) {
        HashTag tag = topology.pool().hashTag();
        long part = tag == null ? 0 : Key.hashed(pattern, 0, pattern.length, tag);
        boolean isTagged =
                tag != null
                        && Key.offset(part) > 0
                        && Key.offset(part) + Key.length(part) < text(pattern).indexOf('*');
        if (!isTagged) {
            Message message = Message.PATTERN_ANYWHERE;
            throw Failure.ofPool(
                    message,
                    isCluster ? Message.PATTERN_IN_CLUSTER.what() : Failure.advice(message),
                    pool(),
                    Outcome.NOT_SENT,
                    Shown.of(command.shown()),
                    shown(pattern));
        }
    }

    private OneHopException crossNode(
            String command, byte[] one, int oneHome, byte[] other, int otherHome) {
        return Failure.ofPool(
                isCluster ? Message.CROSS_SLOT : Message.CROSS_NODE,
                advice(one, other),
                pool(),
                Outcome.NOT_SENT,
                Shown.of(command),
                "",
                shown(one),
                shown(oneHome),
                shown(other),
                shown(otherHome));
    }

    /** The refusal of a key that is not on the transaction's node. */
    public OneHopException bound(byte[] one, int oneHome, byte[] other, int otherHome) {
        Message place = isCluster ? Message.BOUND_SLOT : Message.BOUND_NODE;
        boolean hasTag = topology.pool().hashTag() != null;
        return Failure.ofPool(
                isCluster
                        ? Message.BOUND_IN_CLUSTER
                        : hasTag ? Message.BOUND : Message.BOUND_UNTAGGED,
                pool(),
                Outcome.NOT_SENT,
                place.what(shown(oneHome)),
                Message.BOUND_BY.what(shown(one)),
                Message.BOUND_KEY.what(shown(other), place.what(shown(otherHome))));
    }

    private String shown(int home) {
        return isCluster ? String.valueOf(home) : shown(topology.nodes().get(home));
    }

    /**
     * Names for both keys that would bring them together: the part that decides the first key's
     * home becomes the tag of both.
     */
    private String advice(byte[] one, byte[] other) {
        HashTag configured = topology.pool().hashTag();
        HashTag tag = configured == null ? BRACES : configured;
        long part = Key.hashed(one, 0, one.length, tag);
        String tagged =
                (char) (tag.open() & 0xff)
                        + text(one).substring(Key.offset(part), Key.offset(part) + Key.length(part))
                        + (char) (tag.close() & 0xff);
        String first = Key.length(part) < one.length ? text(one) : tagged;
        String second = text(other).startsWith(tagged) ? text(other) : tagged + text(other);
        return Message.TAGS.what(
                configured == null ? Message.TAGS_DIRECTIVE.what() : "",
                shown(first.getBytes(StandardCharsets.ISO_8859_1)),
                shown(second.getBytes(StandardCharsets.ISO_8859_1)),
                "");
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String shown(Node node) {
        return shown(node.name().getBytes(StandardCharsets.UTF_8));
    }

    private static String shown(byte[] bytes) {
        return Shown.of(bytes, Limits.SHOWN_BYTES_MAX);
    }
}
