package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.ServerPool;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A configuration: the text of a nutcracker.yml in, its server pools out, or the first fault with
 * its line and reason.
 *
 * <p>Accepted is what nutcracker accepts, with the same meaning, and OneHop's own directives beside
 * it. Nothing is resolved or looked up. Listen-side directives are checked for their form and play
 * no part. A text is taken whole or not at all: on any bytes whatever the outcome is a
 * configuration or a {@link ConfigException}, within the bounds of {@link Limits}. Immutable; any
 * thread may use it.
 *
 * <p>Before it on the road: the file; after it: {@code PoolTopology} (where keys live) and the
 * clients' pools (how nodes are reached). Implements spec/config.
 */
public final class Config {
    private final Map<String, ServerPool> pools;

    private Config(Map<String, ServerPool> pools) {
        this.pools = pools;
    }

    /** Reads the bytes of a configuration. */
    public static Config parse(byte[] text) throws ConfigException {
        return new Config(ConfigReader.read(ConfigEvents.of(ConfigText.of(text))));
    }

    /** Reads a file once, and never more of it than the limit on its size. */
    public static Config read(Path file) throws IOException, ConfigException {
        try (InputStream bytes = Files.newInputStream(file)) {
            return parse(bytes.readNBytes(Limits.CONFIG_BYTES_MAX + 1));
        }
    }

    /** The pools in the order of the file; at least one. */
    public List<ServerPool> pools() {
        return List.copyOf(pools.values());
    }

    /** The pool of that name, or {@code null} if there is none. */
    public ServerPool pool(String name) {
        return pools.get(name);
    }
}
