package io.onehop.cli;

import io.onehop.core.base.Limits;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A configuration file that a command line names, and its content. The file is read once.
 *
 * @param text what was read; an environment variable is still a name in it
 */
record ConfigFile(Path path, String text, Config config) {

    static ConfigFile read(Path path) throws Refusal {
        try {
            return parse(path);
        } catch (ConfigException bad) {
            throw Refusal.ofUsage(
                    path
                            + ", line "
                            + bad.line()
                            + ": "
                            + bad.reasons()
                            + " (onehop check says more)");
        } catch (IOException unreadable) {
            throw unreadable(path, unreadable);
        }
    }

    static Refusal unreadable(Path path, IOException failure) {
        return path.toString().isEmpty()
                ? Refusal.ofUsage("the name of a file is empty")
                : Refusal.ofUsage("cannot read " + path + ": " + why(failure));
    }

    /** Reads a file, but not far beyond the limit on its size. */
    static ConfigFile parse(Path path) throws IOException, ConfigException {
        try (InputStream bytes = Files.newInputStream(path)) {
            byte[] text = bytes.readNBytes(Limits.CONFIG_BYTES_MAX + 1);
            return new ConfigFile(
                    path, new String(text, StandardCharsets.UTF_8), Config.parse(text));
        }
    }

    /** Why a file cannot be read or written. */
    static String why(IOException failure) {
        if (failure instanceof NoSuchFileException) {
            return "no such file";
        }
        return failure instanceof AccessDeniedException
                ? "no permission"
                : String.valueOf(failure.getMessage());
    }

    /** The pool of this name. If no name is given, the only pool of the file. */
    ServerPool pool(@Nullable String name) throws Refusal {
        List<ServerPool> pools = config.pools();
        if (name == null && pools.size() > 1) {
            throw Refusal.ofUsage(
                    path
                            + " has "
                            + pools.size()
                            + " server pools: --pool must be one of "
                            + names());
        }
        ServerPool found = name == null ? pools.get(0) : config.pool(name);
        if (found == null) {
            throw Refusal.ofUsage(
                    "server pool \""
                            + name
                            + "\" is not in "
                            + path
                            + ": --pool must be one of "
                            + names());
        }
        if (!found.redis()) {
            throw Refusal.ofUsage(
                    "server pool " + found.name() + " speaks memcached: redis is not true");
        }
        return found;
    }

    private String names() {
        return config.pools().stream()
                .map(ServerPool::name)
                .limit(10)
                .collect(Collectors.joining(", "));
    }
}
