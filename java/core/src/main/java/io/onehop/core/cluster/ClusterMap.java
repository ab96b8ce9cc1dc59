package io.onehop.core.cluster;

import io.onehop.core.Node;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.placement.Slots;
import io.onehop.core.topology.Nodes;
import io.onehop.core.topology.PoolTopology;
import io.onehop.core.topology.ServerPool;
import io.onehop.core.topology.Zone;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The map of a Redis Cluster as one node returned it: all its nodes and slots, which are read,
 * checked and made a topology.
 *
 * <p>A refresh makes a map, and drops it when a {@link PoolTopology} was made of it. Nothing is
 * trusted without a check. A bad answer gives a reason, and never replaces the current map.
 * Immutable. Implements spec/topology/cluster.md.
 */
public final class ClusterMap {
    private static final String EPOCH = "cluster_current_epoch:";
    private static final String DOWN = "cluster_state:fail";

    private final List<Node> nodes;
    private final char[] table;
    private final int served;
    private final long epoch;
    private final boolean isDown;

    private ClusterMap(ClusterNodes collected, List<String> info) {
        this.nodes = collected.nodes();
        this.table = collected.slots();
        this.served = new Slots(table.clone()).servedCount();
        this.epoch = epoch(info);
        this.isDown = info.stream().anyMatch(line -> line.startsWith(DOWN));
    }

    /**
     * Reads the answer of one node.
     *
     * @param reply the reply to CLUSTER SHARDS or CLUSTER SLOTS: the bytes of one whole value
     * @param info the reply to CLUSTER INFO: the bytes of one whole value; may be empty
     * @param host the host of this node, which takes the place of every endpoint that the answer
     *     leaves open
     * @param zone the zone of the server pool
     */
    public static ClusterMap read(byte[] reply, byte[] info, String host, Zone zone)
            throws ClusterException {
        if (reply.length > Limits.CLUSTER_REPLY_BYTES_MAX) {
            throw new ClusterException(Message.MAP_TOO_LONG.what(Limits.CLUSTER_REPLY_BYTES_MAX));
        }
        ClusterNodes nodes = new ClusterNodes(host, zone);
        ClusterReply.read(reply, nodes);
        nodes.close();
        return new ClusterMap(nodes, lines(info));
    }

    /** The lines of CLUSTER INFO; none if the reply is not a text. */
    private static List<String> lines(byte[] info) {
        ClusterValues values = new ClusterValues(info);
        boolean isText = values.take() && values.kind == ClusterValues.Kind.TEXT;
        return isText ? List.of(values.text.split("\n")) : List.of();
    }

    /** cluster_current_epoch; 0 if it is missing. */
    private static long epoch(List<String> info) {
        for (String line : info) {
            if (line.startsWith(EPOCH)) {
                long epoch = 0;
                for (int i = EPOCH.length();
                        i < line.length()
                                && Character.digit(line.charAt(i), 10) >= 0
                                && epoch < Long.MAX_VALUE / 16;
                        i++) {
                    epoch = epoch * 10 + line.charAt(i) - '0';
                }
                return epoch;
            }
        }
        return 0;
    }

    /** The highest epoch that the node knows; 0 if it did not say. */
    public long epoch() {
        return epoch;
    }

    /** True if the node says that the cluster serves nothing. */
    public boolean isDown() {
        return isDown;
    }

    /** How many slots have an owner. */
    public int servedCount() {
        return served;
    }

    /** The nodes, in the order of the answer. */
    public List<Node> nodes() {
        return List.copyOf(nodes);
    }

    /**
     * Chooses the map that is to replace {@code current} ({@code null}: there is none yet). Each of
     * the two new maps may be {@code null}.
     *
     * @throws ClusterException if no map is fit
     */
    public static ClusterMap choose(
            @Nullable PoolTopology current, @Nullable ClusterMap first, @Nullable ClusterMap second)
            throws ClusterException {
        String notFirst = unfit(current, first);
        String notSecond = unfit(current, second);
        if (notFirst != null && notSecond != null) {
            throw new ClusterException(second != null ? notSecond : notFirst);
        }
        if (first == null || notFirst != null) {
            // If both were null, both would have had a reason.
            return Objects.requireNonNull(second);
        }
        if (second == null || notSecond != null) {
            return first;
        }
        if (first.isForeign(current) != second.isForeign(current)) {
            return first.isForeign(current) ? second : first;
        }
        if (first.epoch != second.epoch) {
            return first.epoch > second.epoch ? first : second;
        }
        return first.served >= second.served ? first : second;
    }

    /** Why a map may not be adopted, or {@code null}. */
    private static @Nullable String unfit(
            @Nullable PoolTopology current, @Nullable ClusterMap map) {
        if (map == null) {
            return Message.NO_ANSWER.what();
        }
        if (map.served == 0) {
            return Message.MAP_EMPTY.what();
        }
        if (current == null || !map.hasNodeOf(current)) {
            return null;
        }
        if (map.epoch > 0 && map.epoch < current.epoch()) {
            return Message.MAP_OLDER.what(map.epoch, current.epoch());
        }
        int before = current.servedCount();
        return map.served < (before + 1) / 2 ? Message.MAP_PARTIAL.what(map.served, before) : null;
    }

    /**
     * True if this map has no node of the current map: it is the map of another cluster, or of a
     * new one.
     */
    public boolean isForeign(@Nullable PoolTopology current) {
        return current != null && !hasNodeOf(current);
    }

    /**
     * True if both maps are of the same cluster. Epochs of another cluster, or of a cluster that
     * was created again, cannot be compared.
     */
    private boolean hasNodeOf(PoolTopology current) {
        Set<String> ids = new HashSet<>();
        nodes.forEach(node -> ids.add(node.id()));
        return current.nodes().stream()
                .anyMatch(node -> !node.id().isEmpty() && ids.contains(node.id()));
    }

    /**
     * The topology of this map for a pool. A node whose name {@code current} has keeps its index.
     * New nodes get free indexes. {@code current} may be {@code null}.
     */
    public PoolTopology topology(ServerPool pool, @Nullable PoolTopology current) {
        int[] to = new int[nodes.size()];
        Node[] placed = indexed(current == null ? List.of() : current.byIndex(), to);
        char[] slots = new char[Slots.COUNT];
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            int mark = table[slot] & Slots.UNSERVED;
            slots[slot] = (char) (to[table[slot] ^ mark] | mark);
        }
        return PoolTopology.of(pool, Arrays.asList(placed), new Slots(slots), epoch);
    }

    /**
     * The topology that is to replace {@code current}, or {@code current} itself if nothing would
     * change. Slots that moved after the nodes were asked stay moved; {@code asked} is the topology
     * of that moment.
     */
    public PoolTopology over(PoolTopology current, PoolTopology asked) {
        PoolTopology after =
                current.servedCount() == 0
                        ? topology(current.pool(), null)
                        : keepMoved(topology(current.pool(), current), current, asked);
        return after.epoch() == current.epoch()
                        && after.byIndex().equals(current.byIndex())
                        && after.fingerprint().equals(current.fingerprint())
                ? current
                : after;
    }

    private static PoolTopology keepMoved(
            PoolTopology fetched, PoolTopology current, PoolTopology asked) {
        if (current == asked || asked.servedCount() == 0) {
            return fetched;
        }
        Map<Integer, Integer> moved = new HashMap<>();
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            boolean isAsBefore =
                    asked.isServed(slot) && asked.nodeOfSlot(slot) == current.nodeOfSlot(slot);
            Node node =
                    isAsBefore || !current.isServed(slot)
                            ? null
                            : fetched.find(current.byIndex().get(current.nodeOfSlot(slot)).name());
            if (node != null && !node.failing()) {
                moved.put(slot, node.index());
            }
        }
        return moved.isEmpty() ? fetched : fetched.withSlots(moved);
    }

    private Node[] indexed(List<Node> before, int[] to) {
        Map<String, Node> byName = new HashMap<>();
        nodes.forEach(node -> byName.put(node.name(), node));
        List<Node> byIndex = new ArrayList<>();
        for (Node old : before) {
            byIndex.add(byName.remove(old.name()));
        }
        int free = 0;
        for (Node node : nodes) {
            if (!byName.containsKey(node.name())) {
                continue;
            }
            while (free < byIndex.size() && byIndex.get(free) != null) {
                free++;
            }
            if (free < byIndex.size()) {
                byIndex.set(free, node);
            } else {
                byIndex.add(node);
            }
        }
        while (byIndex.get(byIndex.size() - 1) == null) {
            byIndex.remove(byIndex.size() - 1);
        }
        for (int index = 0; index < byIndex.size(); index++) {
            if (byIndex.get(index) != null) {
                to[byIndex.get(index).index()] = index;
            }
        }
        Node[] placed = new Node[byIndex.size()];
        for (int index = 0; index < placed.length; index++) {
            Node node = byIndex.get(index);
            placed[index] =
                    node != null
                            ? Nodes.at(node, index, to[node.master()])
                            : Nodes.gone(before.get(index), index);
        }
        return placed;
    }
}
