package io.onehop.core;

import org.jspecify.annotations.Nullable;

/**
 * One node of a topology. Immutable.
 *
 * @param index position in the topology's sorted order, from 0
 * @param name the name by which nodes are sorted, told apart and placed on the ring: the name in
 *     the file, or a name made from the address
 * @param host host name or address as in the file, not resolved; {@code null} for a unix socket
 * @param port 1..65535; 0 for a unix socket
 * @param path path of the unix socket, otherwise {@code null}
 * @param weight share of the keys relative to the other nodes, at least 1
 * @param id in a Redis Cluster the node's id, which does not depend on its address; if Sentinels
 *     watch the node, an id that changes with its address; otherwise empty
 * @param role its role in a Redis Cluster or for its Sentinels; {@link Role#REPLICA} for every
 *     replica; otherwise {@link Role#NONE}
 * @param master for a replica the index of its master, otherwise its own index
 * @param failing true if the cluster reports that the node is failing or still loading
 * @param loading true if the cluster reports that the node is loading
 * @param near true if the node is in the pool's zone
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public record Node(
        int index,
        String name,
        @Nullable String host,
        int port,
        @Nullable String path,
        int weight,
        String id,
        Role role,
        int master,
        boolean failing,
        boolean loading,
        boolean near) {

    /**
     * The address to connect to.
     *
     * @return {@code host:port} with a decimal port, or the path of the unix socket
     */
    public String address() {
        return path != null ? path : host + ":" + port;
    }
}
