package io.onehop.core.topology;

import org.jspecify.annotations.Nullable;

import java.util.BitSet;

/**
 * One element of a pool's {@code servers}, in the order of the file (spec/config).
 *
 * @param name the name in the file, or a name made from the address
 * @param host host name or address as in the file; {@code null} for a unix socket
 * @param port 1..65535; 0 for a unix socket
 * @param path path of the unix socket, otherwise {@code null}
 * @param weight at least 1
 * @param line its line in the file, from 1
 * @param isNamed the file gives the name
 * @param slots the slots that it has, under a distribution with slots; otherwise none
 */
public record Server(
        String name,
        @Nullable String host,
        int port,
        @Nullable String path,
        int weight,
        int line,
        boolean isNamed,
        BitSet slots) {

    /** A server of a distribution without slots. */
    public Server(
            String name,
            @Nullable String host,
            int port,
            @Nullable String path,
            int weight,
            int line,
            boolean isNamed) {
        this(name, host, port, path, weight, line, isNamed, new BitSet());
    }

    /** The address: {@code host:port} with a decimal port, or the path of the unix socket. */
    public String address() {
        return path != null ? path : host + ":" + port;
    }

    /**
     * A replica of a server: it answers reads, and placement does not know it (spec/config).
     *
     * @param host host name or address, never resolved here
     * @param port 1..65535
     * @param master the name of the server that it follows
     */
    public record Replica(String host, int port, String master) {

        /** Its name, which is its address: {@code host:port}. */
        public String name() {
            return host + ":" + port;
        }
    }
}
