package io.onehop.jedis;

import io.onehop.core.base.Limits;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;
import io.onehop.core.config.Config;
import io.onehop.core.config.ConfigException;
import io.onehop.core.config.PasswordFile;
import io.onehop.core.topology.DirectiveValue.Fault;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.ConfigRefused;
import io.onehop.jedis.internal.failure.Shown;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Where a server pool is configured: in a file, or in a text that replaces the file. Its password
 * may be in a file of its own.
 *
 * <p>In: a file or a text, and the name of the pool. Out: its bytes, and the server pool in them;
 * or a {@link ConfigRefused} that says what is wrong. The kernel follows links at each reading. A
 * source remembers nothing; {@link ConfigWatcher} detects changes. Any thread. Implements
 * spec/topology, "A configuration that changes".
 */
final class ConfigSource {

    /* A message names this many server pools. */
    private static final int NAMES_MAX = 10;

    /* A variable as a shell spells it. */
    private static final Pattern LIKE_VARIABLE = Pattern.compile("\\$[A-Za-z_][A-Za-z0-9_]*");

    private static final System.Logger LOG = System.getLogger("io.onehop");

    private final @Nullable Path file; // Null for a text.
    private final byte[] text; // Empty for a file.
    private final String pool;
    private final int poolSize; // For a pool without pool_size; 0: the default of pool_size.

    ConfigSource(Path file, String pool, int poolSize) {
        this.file = file;
        this.text = new byte[0];
        this.pool = pool;
        this.poolSize = poolSize;
    }

    ConfigSource(String text, String pool, int poolSize) {
        this.file = null;
        this.text = text.getBytes(StandardCharsets.UTF_8);
        this.pool = pool;
        this.poolSize = poolSize;
    }

    /** True if the configuration, or the password of this pool, is in a file. */
    boolean mayChange(ServerPool pool) {
        return file != null || pool.redisAuthFile() != null;
    }

    /** The current bytes. Reads at most one byte more than a configuration may have. */
    byte[] bytes() throws ConfigRefused {
        if (file == null) {
            return text;
        }
        return read(file, Limits.CONFIG_BYTES_MAX, Message.FILE_UNREADABLE);
    }

    /** The bytes of a file. Reads at most one byte more than {@code most}. */
    private static byte[] read(Path file, int most, Message refusal) throws ConfigRefused {
        String path = Shown.path(file.toString());
        try {
            // Reading a FIFO would block.
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                Message reason = Files.isDirectory(file) ? Message.DIRECTORY : Message.NOT_A_FILE;
                throw new ConfigRefused(refusal, null, path, reason.what());
            }
            try (InputStream bytes = Files.newInputStream(file)) {
                return bytes.readNBytes(most + 1);
            }
        } catch (IOException unreadable) {
            // The text of such an exception would only repeat the path.
            Throwable cause = unreadable instanceof FileSystemException ? null : unreadable;
            throw new ConfigRefused(refusal, cause, path, Shown.of(why(unreadable)));
        }
    }

    /** The server pool in these bytes. */
    ServerPool pool(byte[] bytes) throws ConfigRefused {
        Config config;
        try {
            config = Config.parse(bytes);
        } catch (ConfigException bad) {
            String in = Message.TEXT.what() + (file == null ? "" : " " + path());
            throw new ConfigRefused(Message.FILE_REFUSED, bad, in, bad.line(), bad.reasons());
        }
        ServerPool found = config.pool(pool);
        if (found == null) {
            String names =
                    config.pools().stream()
                            .map(each -> Shown.of(each.name()))
                            .limit(NAMES_MAX)
                            .collect(Collectors.joining(", "));
            String in = file == null ? Message.IN_TEXT.what() : path();
            throw new ConfigRefused(Message.NO_SERVER_POOL, null, Shown.path(pool), in, names);
        }
        if (!found.redis()) {
            throw new ConfigRefused(Message.MEMCACHED, null, Shown.of(pool));
        }
        ServerPool sized = poolSize == 0 ? found : found.withPoolSize(poolSize);
        String password = passwordOf(sized);
        return password == null ? sized : sized.withPassword(password);
    }

    /**
     * The password in the pool's password file as it is now; {@code null} if the pool has no
     * password file.
     */
    @Nullable String passwordOf(ServerPool pool) throws ConfigRefused {
        String path = pool.redisAuthFile();
        if (path == null) {
            return null;
        }
        byte[] content = read(Path.of(path), Limits.PASSWORD_FILE_BYTES_MAX, Message.PASSWORD_FILE);
        try {
            return PasswordFile.passwordIn(content);
        } catch (Fault fault) {
            throw new ConfigRefused(Message.PASSWORD_FILE, null, Shown.of(path), fault.reason());
        } finally {
            Arrays.fill(content, (byte) 0);
        }
    }

    private static @Nullable String why(IOException unreadable) {
        return unreadable instanceof NoSuchFileException
                ? Message.NO_SUCH_FILE.what()
                : unreadable instanceof AccessDeniedException
                        ? Message.NO_PERMISSION.what()
                        : unreadable instanceof FileSystemException withPath
                                ? withPath.getReason()
                                : unreadable.toString();
    }

    /**
     * Logs a line for each file whose password every user of the machine can read or change, and
     * for values that are valid but probably not meant: a timeout in seconds, a variable of a
     * shell.
     */
    void warn(ServerPool pool) {
        if (pool.timeoutMs() > 0 && pool.timeoutMs() < Timings.TIMEOUT_SHORT_MS) {
            LOG.log(
                    Level.WARNING,
                    String.format(
                            Words.LOG_TIMEOUT_SHORT, Shown.of(pool.name()), pool.timeoutMs()));
        }
        String password = pool.redisAuth();
        if (password != null && LIKE_VARIABLE.matcher(password).matches()) {
            LOG.log(
                    Level.WARNING,
                    String.format(Words.LOG_PASSWORD_VARIABLE, Shown.of(pool.name())));
        }
        String passwordFile = pool.redisAuthFile();
        if (passwordFile != null) {
            warnIfExposed(Path.of(passwordFile), "password file " + Shown.of(passwordFile));
        }
        if (file != null && pool.isPasswordInText()) {
            warnIfExposed(file, toString());
        }
    }

    private static void warnIfExposed(Path file, String shown) {
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
            boolean isRead = rights.contains(PosixFilePermission.OTHERS_READ);
            boolean isWritten = rights.contains(PosixFilePermission.OTHERS_WRITE);
            if (isRead || isWritten) {
                LOG.log(
                        Level.WARNING,
                        shown
                                + " holds a password, and every user of this machine may "
                                + (!isWritten ? "read" : isRead ? "read and write" : "write")
                                + " it: take these rights away (chmod o=)");
            }
        } catch (IOException | UnsupportedOperationException untold) {
            // The file is gone again, or its file system has no such rights.
        }
    }

    private String path() {
        return file == null ? "" : Shown.of(file.toString());
    }

    /** For the log. */
    @Override
    public String toString() {
        return file == null ? "the configuration text" : "configuration file " + path();
    }
}
