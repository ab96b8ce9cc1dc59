/**
 * Placement, topology, configuration and the wire guard of OneHop: everything that needs neither a server nor Jedis.
 * Programs see what clients show of it; the rest is for the clients alone.
 */
@SuppressWarnings("module") // The clients are compiled later, so their modules are not found yet.
module io.onehop.core {
    requires org.snakeyaml.engine;

    exports io.onehop.core;
    exports io.onehop.core.command to io.onehop.jedis;
    exports io.onehop.core.wire to io.onehop.jedis;
}
