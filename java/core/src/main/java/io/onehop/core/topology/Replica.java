package io.onehop.core.topology;

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
