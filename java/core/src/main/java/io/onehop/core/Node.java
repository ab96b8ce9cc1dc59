package io.onehop.core;

/**
 * One node of a topology.
 *
 * @param index position in the topology's sorted order, from 0
 * @param name what sorting, duplicates and ring points use: the name given in the file, or else
 *     derived from the address
 * @param host host name or address as spelled, never resolved here; {@code null} for a unix socket
 * @param port 1..65535; 0 for a unix socket
 * @param path path of the unix socket, otherwise {@code null}
 * @param weight share of the keys relative to the other nodes, at least 1
 * @param id what a Redis Cluster knows it by, whatever its address; empty elsewhere
 * @param role what it is to a Redis Cluster; elsewhere {@link Role#NONE}
 * @param master of a replica, the index of the node it follows; otherwise its own
 * @param failing the cluster says so, or that it is still loading
 * @param near it is of the pool's zone
 */
public record Node(
        int index,
        String name,
        String host,
        int port,
        String path,
        int weight,
        String id,
        Role role,
        int master,
        boolean failing,
        boolean near) {

    /**
     * Where the node listens: {@code host:port} with a decimal port, or the path of its unix
     * socket.
     */
    public String address() {
        return path != null ? path : host + ":" + port;
    }
}
