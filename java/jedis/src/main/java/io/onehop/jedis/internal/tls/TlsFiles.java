package io.onehop.jedis.internal.tls;

import io.onehop.core.base.Clock;
import io.onehop.core.base.Message;
import io.onehop.core.base.Timings;
import io.onehop.core.base.Words;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ServerPool;
import io.onehop.jedis.internal.failure.Shown;
import io.onehop.jedis.internal.failure.TlsFailure;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

/**
 * The context that is made of the files that the directives of a server pool name.
 *
 * <p>In: the server pool. Out: the context of its files as they are now. The files are read at the
 * first connection, and again when one of them has changed. That is checked at most once a second.
 * Open connections keep their context. If a file has become bad, the earlier context stays in use,
 * and the log says so once. The files are then read again at each check, because the reason may be
 * outside of the file, such as its rights. Any thread.
 */
final class TlsFiles {
    private static final System.Logger LOG = System.getLogger("io.onehop");
    private static final long CHECK_EVERY_NS =
            TimeUnit.MILLISECONDS.toNanos(Timings.TLS_CHECK_EVERY_MS);

    private final ServerPool pool;
    private @Nullable SSLContext context;
    // The versions of the files from which the context was made.
    private List<String> versions = List.of();
    private @Nullable String refusal; // Why newer files were last refused.
    private long checkedNs;

    TlsFiles(ServerPool pool) {
        this.pool = pool;
    }

    /** The context. Throws {@link TlsFailure} if no context could be made so far. */
    synchronized SSLContext context() throws TlsFailure {
        long nowNs = Clock.nowNs();
        SSLContext now = context;
        if (now == null) {
            now = first();
        } else if (nowNs - checkedNs >= CHECK_EVERY_NS) {
            now = checked(now);
        } else {
            return now;
        }
        checkedNs = nowNs;
        context = now;
        return now;
    }

    private SSLContext first() throws TlsFailure {
        List<String> found = versions();
        try {
            SSLContext made = Credentials.contextOf(pool);
            versions = found;
            return made;
        } catch (IOException bad) {
            throw new TlsFailure(Message.TLS_OPTIONS, bad, Shown.of(bad.getMessage()));
        }
    }

    private SSLContext checked(SSLContext before) {
        List<String> found = versions();
        if (found.equals(versions)) {
            return before;
        }
        try {
            SSLContext made = Credentials.contextOf(pool);
            versions = found;
            refusal = null;
            LOG.log(
                    Level.INFO,
                    "the TLS files of server pool "
                            + Shown.of(pool.name())
                            + " have changed; new connections use them");
            return made;
        } catch (IOException bad) {
            String why = Message.TLS_OPTIONS.what(Shown.of(bad.getMessage()));
            if (!why.equals(refusal)) {
                LOG.log(Level.WARNING, String.format(Words.LOG_TLS_STAYS, why));
            }
            refusal = why;
            return before;
        }
    }

    /** A text for each file, which changes whenever the file changes. */
    private List<String> versions() {
        return Stream.of(
                        Directive.TLS_CA_CERT_FILE, Directive.TLS_CERT_FILE, Directive.TLS_KEY_FILE)
                .map(pool::text)
                .filter(Objects::nonNull)
                .map(file -> versionOf(Path.of(file)))
                .toList();
    }

    private static String versionOf(Path file) {
        try {
            BasicFileAttributes seen = Files.readAttributes(file, BasicFileAttributes.class);
            return seen.lastModifiedTime() + " " + seen.size() + " " + seen.fileKey();
        } catch (IOException missing) {
            return "missing";
        }
    }
}
