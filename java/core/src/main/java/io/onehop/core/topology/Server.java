package io.onehop.core.topology;

/**
 * One element of a pool's {@code servers}, in the order of the file (spec/config).
 *
 * @param name the name given, or else derived from the address
 * @param host host name or address as spelled; {@code null} for a unix socket
 * @param port 1..65535; 0 for a unix socket
 * @param path path of the unix socket, otherwise {@code null}
 * @param weight at least 1
 * @param line the line of the file it stands on, from 1
 */
public record Server(String name, String host, int port, String path, int weight, int line) {

    /**
     * Where the server listens: {@code host:port} with a decimal port, or the path of its unix
     * socket.
     */
    public String address() {
        return path != null ? path : host + ":" + port;
    }
}
