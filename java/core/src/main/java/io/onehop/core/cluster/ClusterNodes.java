package io.onehop.core.cluster;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.placement.Slots;
import io.onehop.core.topology.Nodes;
import io.onehop.core.topology.Zone;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Collects nodes and slots into a map. A node has only one entry, even if it is named several
 * times. At the end every slot has a node.
 *
 * <p>Implements spec/topology/cluster.md, sections 2 and 3.
 */
final class ClusterNodes {
    static final int NOBODY = 0xffff;

    private final String asked; // The host of the node that was asked.
    private final Zone zone;
    private final List<Node> nodes = new ArrayList<>();
    private final Map<String, Integer> ids = new HashMap<>();
    private final char[] slots = new char[Slots.COUNT];

    ClusterNodes(String asked, Zone zone) {
        this.asked = asked;
        this.zone = zone;
        Arrays.fill(slots, (char) NOBODY);
    }

    List<Node> nodes() {
        return nodes;
    }

    char[] slots() {
        return slots;
    }

    /**
     * Adds a node, or finds it if it is known. Returns its index, or NOBODY if it has no address.
     */
    int add(ToldNode entry) throws ClusterException {
        if (entry.port == 0) {
            return NOBODY;
        }
        String host =
                host(entry.hasEndpoint ? entry.endpoint : entry.address, entry.address, asked);
        require(entry.port > 0 && entry.port <= Limits.PORT_MAX, () -> Message.MAP_PORT.what());
        require(isPlain(host, Limits.SERVER_ADDRESS_BYTES_MAX), () -> Message.MAP_HOST.what());
        require(
                entry.id.isEmpty() || isPlain(entry.id, Limits.NODE_ID_BYTES_MAX),
                () -> Message.MAP_ID.what());
        String name = host + ":" + entry.port;
        String id = entry.id.isEmpty() ? name : entry.id;
        int known = ids.getOrDefault(id, nodes.size());
        if (known == nodes.size()) {
            require(
                    nodes.size() < Limits.POOL_SERVERS_MAX,
                    () -> Message.MAP_NODES.what(Limits.POOL_SERVERS_MAX));
            ids.put(id, known);
            nodes.add(
                    new Node(
                            known,
                            name,
                            host,
                            (int) entry.port,
                            null,
                            1,
                            id,
                            Role.SPARE,
                            known,
                            entry.isFailing,
                            entry.isLoading,
                            zone.isAnnounced(entry.zone) || zone.has(host)));
        }
        require(nodes.get(known).name().equals(name), () -> Message.MAP_ADDRESSES.what(shown(id)));
        return known;
    }

    /** The host of an endpoint. If the answer leaves it open, the host is {@code open}. */
    static String host(String endpoint, String address, String open) {
        String host = endpoint.equals("?") ? address : endpoint;
        if (host.isEmpty() || host.equals("?")) {
            return open;
        }
        boolean isBracketed = host.length() > 2 && host.startsWith("[") && host.endsWith("]");
        return isBracketed ? host.substring(1, host.length() - 1) : host;
    }

    /**
     * True if a text may be part of a message and of a file of metrics: visible ASCII without
     * quotes and the like.
     */
    static boolean isPlain(String text, int lengthMax) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c > '~' || c == '"' || c == '\'' || c == '\\' || c == '/') {
                return false;
            }
        }
        return !text.isEmpty() && text.length() <= lengthMax;
    }

    private static String shown(String text) {
        return text.substring(0, Math.min(text.length(), Limits.SHOWN_BYTES_MAX));
    }

    /** The reason is built only if it is needed: a large map has thousands of checks. */
    private static void require(boolean isRight, Supplier<String> otherwise)
            throws ClusterException {
        if (!isRight) {
            throw new ClusterException(otherwise.get());
        }
    }

    /** Notes that a node follows another, if both are known. */
    void follow(int index, int master) {
        if (index != NOBODY && master != NOBODY) {
            nodes.set(index, Nodes.as(nodes.get(index), Role.REPLICA, master));
        }
    }

    /** Gives the slots from first to last to a node, or to none. */
    void claim(long first, long last, int owner) throws ClusterException {
        require(
                first >= 0 && last >= first && last < Slots.COUNT,
                () -> Message.MAP_RANGE.what(first, last));
        for (int slot = (int) first; slot <= last; slot++) {
            int claimed = slot;
            require(slots[slot] == NOBODY, () -> Message.MAP_CLAIMED.what(claimed));
            slots[slot] = (char) owner;
        }
    }

    /**
     * Settles the roles, drops duplicate nodes, and gives slots without an owner to their
     * neighbours.
     */
    void close() throws ClusterException {
        closeUp(doubles());
        standIn();
    }

    /**
     * Marks the old nodes of addresses that appear twice. If a node was replaced by a node with the
     * same address, an answer may name both, the old node as failing.
     */
    private boolean[] doubles() throws ClusterException {
        boolean[] isDropped = new boolean[nodes.size()];
        Map<String, Integer> names = new HashMap<>();
        for (Node node : nodes) {
            Integer other = names.putIfAbsent(node.name(), node.index());
            if (other == null) {
                continue;
            }
            require(
                    node.failing() || nodes.get(other).failing(),
                    () -> Message.MAP_TWICE.what(shown(node.name())));
            isDropped[node.failing() ? node.index() : other] = true;
            if (!node.failing()) {
                names.put(node.name(), node.index());
            }
        }
        return isDropped;
    }

    private void closeUp(boolean[] isDropped) {
        int[] to = new int[nodes.size()];
        List<Node> kept = new ArrayList<>();
        for (Node node : nodes) {
            to[node.index()] = isDropped[node.index()] ? NOBODY : kept.size();
            if (!isDropped[node.index()]) {
                kept.add(node);
            }
        }
        nodes.clear();
        for (Node node : kept) {
            int index = nodes.size();
            int master = to[node.master()];
            nodes.add(
                    master == NOBODY
                            ? Nodes.as(Nodes.at(node, index, index), Role.SPARE, index)
                            : Nodes.at(node, index, master));
        }
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            slots[slot] = slots[slot] == NOBODY ? slots[slot] : (char) to[slots[slot]];
        }
    }

    /**
     * Gives a slot without an owner to the owner of the nearest slot before it; before slot 0 comes
     * the last slot.
     */
    private void standIn() {
        int last = 0;
        for (char owner : slots) {
            last = owner != NOBODY ? owner : last;
        }
        for (int slot = 0; slot < Slots.COUNT; slot++) {
            if (slots[slot] == NOBODY) {
                slots[slot] = (char) (last | Slots.UNSERVED);
            } else if (slots[slot] != last || nodes.get(last).role() != Role.MASTER) {
                last = slots[slot];
                nodes.set(last, Nodes.as(nodes.get(last), Role.MASTER, last));
            }
        }
    }

    /** One node as the answer of a Redis Cluster describes it. Missing texts are empty. */
    static final class ToldNode {
        String id = "";
        String endpoint = "";
        String address = "";
        String zone = "";
        boolean hasEndpoint;
        long port;
        boolean isMaster;
        boolean isFailing;
        boolean isLoading;
    }
}
