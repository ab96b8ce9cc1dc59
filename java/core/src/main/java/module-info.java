/**
 * Placement, topology, configuration and the wire guard of OneHop: everything that needs neither a
 * server nor Jedis. Programs use the part that clients expose; the rest is only for the clients.
 */
@SuppressWarnings("module") // The clients' modules are compiled later, so they are not found yet.
module io.onehop.core {
    requires org.snakeyaml.engine;

    // Only the compiler needs its annotations.
    requires static org.jspecify;

    exports io.onehop.core;
    exports io.onehop.core.base to
            io.onehop.jedis;
    exports io.onehop.core.cluster to
            io.onehop.jedis;
    exports io.onehop.core.command to
            io.onehop.jedis;
    exports io.onehop.core.config to
            io.onehop.jedis;
    exports io.onehop.core.health to
            io.onehop.jedis;
    exports io.onehop.core.key to
            io.onehop.jedis;
    exports io.onehop.core.resp to
            io.onehop.jedis;
    exports io.onehop.core.ssdb to
            io.onehop.jedis;
    exports io.onehop.core.topology to
            io.onehop.jedis;
}
