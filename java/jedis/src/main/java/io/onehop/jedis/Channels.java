package io.onehop.jedis;

import io.onehop.core.Distribution;
import io.onehop.core.Role;
import io.onehop.core.command.Notification;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.Confirmations.Kind;
import io.onehop.jedis.internal.pool.Pool;
import io.onehop.jedis.internal.route.Route;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the caller of a subscription wants to hear, and the nodes on which each channel or pattern
 * is subscribed.
 *
 * <p>A channel is subscribed on its own node, to which PUBLISH also goes. A pattern is subscribed
 * on every node; in a Redis Cluster on one node, which passes on the messages of all nodes.
 * Notifications of keys are subscribed on every node ({@link Notification}). For one thread.
 * Implements spec/route, section 6.
 */
final class Channels {
    /** A channel, a pattern or a sharded channel. */
    record Channel(Kind kind, ByteBuffer name) {
        static Channel of(Kind kind, byte[] name) {
            return new Channel(kind, ByteBuffer.wrap(name));
        }

        byte[] bytes() {
            return name.array();
        }

        @Override
        public String toString() {
            return new String(name.array(), StandardCharsets.UTF_8);
        }

        /**
         * True if every node may publish messages for this channel that no other node passes on.
         */
        private boolean isOfEveryNode() {
            return kind == Kind.PATTERN && Notification.mayMatch(bytes())
                    || kind == Kind.CHANNEL && Notification.isChannel(bytes());
        }
    }

    private final Map<Channel, Set<Pool>> wanted = new LinkedHashMap<>();

    /** What the caller is subscribed to, or will be after all confirmations. */
    List<byte[]> of(Kind kind) {
        return all().stream().filter(channel -> channel.kind == kind).map(Channel::bytes).toList();
    }

    List<Channel> all() {
        return List.copyOf(wanted.keySet());
    }

    /**
     * The nodes on which the channel is subscribed. If several of them deliver the same message,
     * the caller gets it from the first.
     */
    Set<Pool> nodes(Channel channel) {
        return wanted.getOrDefault(channel, Set.of());
    }

    void enter(Channel channel, Set<Pool> nodes) {
        wanted.computeIfAbsent(channel, first -> new LinkedHashSet<>()).addAll(nodes);
    }

    void leave(Channel channel) {
        wanted.remove(channel);
    }

    /** Notes that the channel is no longer subscribed on this node. */
    void leave(Channel channel, Pool node) {
        nodes(channel).remove(node);
    }

    /** Removes all subscriptions of this node, and returns them. */
    List<Channel> leave(Pool node) {
        List<Channel> left = new ArrayList<>();
        wanted.forEach(
                (channel, nodes) -> {
                    if (nodes.remove(node)) {
                        left.add(channel);
                    }
                });
        return left;
    }

    /**
     * True if the caller wants no channel, or if at least one wanted channel is subscribed on a
     * node.
     */
    boolean areHeard() {
        return wanted.isEmpty() || wanted.values().stream().anyMatch(nodes -> !nodes.isEmpty());
    }

    /** True if something is subscribed on this node. */
    boolean uses(Pool node) {
        return wanted.values().stream().anyMatch(nodes -> nodes.contains(node));
    }

    /**
     * True if the caller gets this message of a node of a Redis Cluster. A message that a program
     * publishes arrives from every node on which the channel is subscribed, and the caller gets it
     * only from the first of these nodes. A notification arrives only from the node that has the
     * key.
     */
    boolean counts(Pool node, Kind kind, List<?> message) {
        Set<Pool> nodes = nodes(Channel.of(kind, (byte[]) message.get(1)));
        boolean isNotification =
                message.get(kind == Kind.PATTERN ? 2 : 1) instanceof byte[] published
                        && Notification.isChannel(published);
        return nodes.isEmpty()
                || nodes.iterator().next() == node
                || isNotification && nodes.contains(node);
    }

    /* ---- Where they belong ---- */

    /**
     * True if the channel is not subscribed on this node, where it belongs. If any node will do:
     * true if it is subscribed nowhere.
     */
    boolean lacks(Route route, Channel channel, Pool node) {
        Set<Pool> heard = nodes(channel);
        return isOfAnyNode(route, channel)
                ? heard.isEmpty()
                : !heard.contains(node) && homes(route, channel).contains(node);
    }

    /** True if each node of a Redis Cluster delivers everything for the channel. */
    static boolean isOfAnyNode(Route route, Channel channel) {
        return route.snapshot().pool().cluster()
                && channel.kind != Kind.SHARDED
                && !channel.isOfEveryNode();
    }

    /** The nodes on which this route publishes the channel's messages. */
    static Set<Pool> homes(Route route, Channel channel) {
        ServerPool pool = route.snapshot().pool();
        Set<Pool> homes = new LinkedHashSet<>();
        boolean isOfEveryNode =
                channel.isOfEveryNode()
                        || !pool.cluster()
                                && (channel.kind == Kind.PATTERN
                                        || pool.distribution() == Distribution.RANDOM);
        if (!isOfEveryNode || pool.cluster()) {
            byte[] name = channel.bytes();
            int owner = route.topology().locateIndex(name, 0, name.length);
            homes.add(route.pools()[owner]);
            // Some clients may still publish there.
            int old = route.topology().oldOwner(name, owner);
            if (old >= 0) {
                homes.add(route.pools()[old]);
            }
        }
        if (isOfEveryNode) {
            homes.addAll(masters(route));
        }
        return homes;
    }

    /** The nodes that have keys. */
    static List<Pool> masters(Route route) {
        ServerPool pool = route.snapshot().pool();
        return pool.cluster()
                ? route.topology().nodes().stream()
                        .filter(node -> node.role() == Role.MASTER)
                        .map(node -> route.pools()[node.index()])
                        .toList()
                : Arrays.stream(route.snapshot().keys().everywhere())
                        .mapToObj(home -> route.pools()[home])
                        .toList();
    }
}
