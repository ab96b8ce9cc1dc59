package io.onehop.core.topology;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What a connection is called in a node's CLIENT LIST. It tells operators which server pool uses
 * the connection, and by which version of its configuration. The name does not depend on the nodes
 * that Sentinels or a Redis Cluster name. Implements spec/wire, section 8.
 */
public final class ConnectionName {
    private static final int DIGITS = 8; // How many digits of the fingerprint it has.

    private ConnectionName() {}

    /** The name for the connections of a server pool, and for those to its Sentinels. */
    public static String of(ServerPool pool) {
        String first = Objects.requireNonNullElse(pool.text(Directive.CLIENT_NAME), "onehop");
        StringBuilder name = new StringBuilder(first).append(':');
        for (byte each : pool.name().getBytes(StandardCharsets.UTF_8)) {
            name.append(each < '!' || each > '~' ? '_' : (char) each);
        }
        ServerPool configured = pool.configured();
        String fingerprint =
                Fingerprint.of(
                        configured,
                        PoolTopology.sorted(configured),
                        PoolTopology.oldSorted(configured));
        return name.append(':').append(fingerprint, 0, DIGITS).toString();
    }
}
