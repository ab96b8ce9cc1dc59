package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * A configuration. In: the text of a nutcracker.yml, and environment variables. Out: its server
 * pools, or all its errors, each with its line and reason.
 *
 * <p>It accepts what nutcracker accepts, with the same meaning, and OneHop's own directives. A pool
 * with one of OneHop's directives is a OneHop pool: it may leave out what only a proxy needs, and
 * its values may name environment variables. Host names are not resolved. The form of directives
 * for listening is checked, but they have no effect. A text is accepted as a whole or not at all.
 * Whatever the bytes are, the result is a configuration or a {@link ConfigException}, within the
 * bounds of {@link Limits}. Immutable, for any thread.
 *
 * <p>The topology ({@code PoolTopology}) and the clients' pools are made from it. Implements
 * spec/config.
 */
public final class Config {
    private final Map<String, ServerPool> pools;

    private Config(Map<String, ServerPool> pools) {
        this.pools = pools;
    }

    /** Reads the bytes of a configuration, with the variables of the process's environment. */
    public static Config parse(byte[] text) throws ConfigException {
        return parse(text, System::getenv);
    }

    /**
     * Reads the bytes of a configuration. {@code environment} returns the value of a variable, or
     * {@code null} if it is not set.
     */
    public static Config parse(byte[] text, Function<String, @Nullable String> environment)
            throws ConfigException {
        return new Config(ConfigReader.read(ConfigEvents.of(ConfigText.of(text)), environment));
    }

    /** Reads a file once, and at most one byte more than a configuration may have. */
    public static Config read(Path file) throws IOException, ConfigException {
        try (InputStream bytes = Files.newInputStream(file)) {
            return parse(bytes.readNBytes(Limits.CONFIG_BYTES_MAX + 1));
        }
    }

    /** The pools in the order of the file; at least one. */
    public List<ServerPool> pools() {
        return List.copyOf(pools.values());
    }

    /** The pool of that name, or {@code null}. */
    public @Nullable ServerPool pool(String name) {
        return pools.get(name);
    }
}
