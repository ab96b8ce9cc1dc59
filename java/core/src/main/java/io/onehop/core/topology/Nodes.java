package io.onehop.core.topology;

import io.onehop.core.Node;
import io.onehop.core.Role;
import io.onehop.core.topology.Server.Replica;

/** Makes and changes nodes. Users see only {@link Node} itself. */
public final class Nodes {

    private Nodes() {}

    /** The node of a server in a file. The node is near if it is in that zone. */
    public static Node of(int index, Server server, Zone zone) {
        return watched(index, server, "", zone);
    }

    /**
     * The node of a server whose address Sentinels name, with an id that changes with the address.
     * As long as the Sentinels have not been asked, the id is empty and the node has no role.
     */
    public static Node watched(int index, Server server, String id, Zone zone) {
        return new Node(
                index,
                server.name(),
                server.host(),
                server.port(),
                server.path(),
                server.weight(),
                id,
                id.isEmpty() ? Role.NONE : Role.MASTER,
                index,
                false,
                false,
                zone.has(server.host()));
    }

    /** The node of a replica that follows the server of that index. */
    public static Node of(int index, Replica replica, int master, Zone zone) {
        return new Node(
                index,
                replica.name(),
                replica.host(),
                replica.port(),
                null,
                1,
                "",
                Role.REPLICA,
                master,
                false,
                false,
                zone.has(replica.host()));
    }

    /** The same node with another index, following a master with another index. */
    public static Node at(Node node, int index, int master) {
        return of(node, index, node.role(), master);
    }

    /** The same node with another role, following that master. */
    public static Node as(Node node, Role role, int master) {
        return of(node, node.index(), role, master);
    }

    private static Node of(Node node, int index, Role role, int master) {
        return new Node(
                index,
                node.name(),
                node.host(),
                node.port(),
                node.path(),
                node.weight(),
                node.id(),
                role,
                master,
                node.failing(),
                node.loading(),
                node.near());
    }

    /** The entry of a node that has left the cluster. */
    public static Node gone(Node node, int index) {
        return new Node(
                index,
                node.name(),
                node.host(),
                node.port(),
                node.path(),
                1,
                "",
                Role.GONE,
                index,
                false,
                false,
                false);
    }

    public static boolean isThere(Node node) {
        return node.role() != Role.GONE;
    }
}
