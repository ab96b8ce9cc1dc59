package io.onehop.jedis;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.failure.Shown;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where a server pool is configured: in a file, or in a text that replaces the file.
 *
 * <p>In: a file or a text, and the name of the pool. Out: its bytes, and the server pool in them;
 * or a {@link ConfigRefused} that says what is wrong. The kernel follows links at each reading. It
 * remembers nothing; {@link ConfigWatcher} detects changes. Any thread. Implements spec/topology,
 * "A configuration that changes".
 */
final class ConfigSource {

    /* A message names this many server pools. */
    private static final int NAMES_MAX = 10;

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final Path file; // Null for a text.
    private final byte[] text;
    private final String pool;

    ConfigSource(Path file, String pool) {
        this.file = file;
        this.text = null;
        this.pool = pool;
    }

    ConfigSource(String text, String pool) {
        this.file = null;
        this.text = text.getBytes(StandardCharsets.UTF_8);
        this.pool = pool;
    }

    /** True for a file. */
    boolean mayChange() {
        return file != null;
    }

    /** The current bytes. Reads at most one byte more of a file than a configuration may have. */
    byte[] bytes() throws ConfigRefused {
        if (file == null) {
            return text;
        }
        try {
            // Reading a FIFO would block.
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                Message reason = Files.isDirectory(file) ? Message.DIRECTORY : Message.NOT_A_FILE;
                throw unreadable(reason.what(), null);
            }
            try (InputStream bytes = Files.newInputStream(file)) {
                return bytes.readNBytes(Limits.CONFIG_BYTES_MAX + 1);
            }
        } catch (IOException unreadable) {
            throw unreadable(Shown.of(why(unreadable)), unreadable);
        }
    }

    /** The server pool in these bytes. */
    ServerPool pool(byte[] bytes) throws ConfigRefused {
        Config config;
        try {
            config = Config.parse(bytes);
        } catch (ConfigException bad) {
            String in = file == null ? Message.TEXT.what() : path();
            throw new ConfigRefused(Message.FILE_REFUSED, bad, in, bad.line(), bad.reason());
        }
        ServerPool found = config.pool(pool);
        if (found == null) {
            String names =
                    config.pools().stream()
                            .map(each -> Shown.of(each.name()))
                            .limit(NAMES_MAX)
                            .collect(Collectors.joining(", "));
            String in = file == null ? Message.IN_TEXT.what() : path();
            throw new ConfigRefused(Message.NO_SERVER_POOL, null, Shown.of(pool), in, names);
        }
        if (!found.redis()) {
            throw new ConfigRefused(Message.MEMCACHED, null, Shown.of(pool));
        }
        return found;
    }

    private static String why(IOException unreadable) {
        return unreadable instanceof NoSuchFileException
                ? Message.NO_SUCH_FILE.what()
                : unreadable instanceof AccessDeniedException
                        ? Message.NO_PERMISSION.what()
                        : unreadable.toString();
    }

    /** Logs one line if every user of the machine can read or change a password in the file. */
    void warnIfExposed(ServerPool pool) {
        if (file == null || pool.redisAuth() == null) {
            return;
        }
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
            boolean isRead = rights.contains(PosixFilePermission.OTHERS_READ);
            boolean isWritten = rights.contains(PosixFilePermission.OTHERS_WRITE);
            if (isRead || isWritten) {
                LOG.log(
                        Level.WARNING,
                        this
                                + " holds a password, and every user of this machine may "
                                + (!isWritten ? "read" : isRead ? "read and write" : "write")
                                + " it: take these rights away (chmod o=)");
            }
        } catch (IOException | UnsupportedOperationException untold) {
            // The file is gone again, or its file system has no such rights.
        }
    }

    private ConfigRefused unreadable(String reason, Throwable cause) {
        return new ConfigRefused(Message.FILE_UNREADABLE, cause, path(), reason);
    }

    private String path() {
        return Shown.of(file.toString());
    }

    /** For the log. */
    @Override
    public String toString() {
        return file == null ? "the configuration text" : "configuration file " + path();
    }
}
