package io.onehop.jedis.internal.tls;

import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.RedisCredentials;

import java.util.function.Supplier;

/**
 * TLS of one client: the {@link Tls} of its server pool, whose configuration may change. It also
 * passes the builder's credentials to the connections.
 *
 * <p>If the builder was given TLS, that applies to every configuration. Otherwise the directives of
 * the server pool say whether and how connections are encrypted. If a changed configuration has the
 * same directives, the context and its sessions are kept. Any thread.
 */
public final class ClientTls {
    private final @Nullable Tls given;
    private final @Nullable Supplier<RedisCredentials> credentials;
    private @Nullable ServerPool seen;
    private @Nullable Tls last;

    /** Both arguments are what the builder was given, or {@code null}. */
    public ClientTls(@Nullable Tls given, @Nullable Supplier<RedisCredentials> credentials) {
        this.given = given;
        this.credentials = credentials;
    }

    /**
     * The supplier that is asked for each new connection, instead of the server pool's directives.
     */
    public @Nullable Supplier<RedisCredentials> credentials() {
        return credentials;
    }

    /** The same TLS for Sentinels, which must not get the password of the nodes. */
    public ClientTls ofSentinels() {
        return new ClientTls(given, null);
    }

    /** The TLS of a server pool, or {@code null} if its connections are plain. */
    public synchronized @Nullable Tls of(ServerPool pool) {
        if (given != null || !pool.tls()) {
            return given;
        }
        Tls known = last;
        if (known == null || seen == null || !seen.encryptsLike(pool)) {
            known = Tls.of(pool);
            last = known;
        }
        seen = pool;
        return known;
    }
}
