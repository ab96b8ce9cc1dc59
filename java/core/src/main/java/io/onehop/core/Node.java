package io.onehop.core;

import org.jspecify.annotations.Nullable;

/**
 * One node of a topology. Immutable.
 *
 * @param index position in the topology's sorted order, from 0
 * @param name what sorting, duplicates and ring points use: the name in the file, or one derived
 *     from the address
 * @param host host name or address as in the file, never resolved here; {@code null} for a unix
 *     socket
 * @param port 1..65535; 0 for a unix socket
 * @param path path of the unix socket, otherwise {@code null}
 * @param weight share of the keys relative to the other nodes, at least 1
 * @param id the node's id in a Redis Cluster, whatever its address; where Sentinels watch it, an id
 *     that changes with its address; elsewhere empty
 * @param role its role in a Redis Cluster or for its Sentinels; {@link Role#REPLICA} for every
 *     replica; elsewhere {@link Role#NONE}
 * @param master for a replica the index of its master, otherwise its own index
 * @param failing true if the cluster reports it as failing or still loading
 * @param loading true if it reports it as loading
 * @param near true if it is in the pool's zone
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
