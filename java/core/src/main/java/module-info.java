/**
 * Placement, topology, configuration and the wire guard of OneHop: everything that needs neither a server nor Jedis.
 */
module io.onehop.core {
    requires org.snakeyaml.engine;

    exports io.onehop.core;
    exports io.onehop.core.command;
    exports io.onehop.core.wire;
}
