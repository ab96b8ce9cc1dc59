package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.key.HashTag;
import io.onehop.core.key.Key;

import org.jspecify.annotations.Nullable;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A server pool of a configuration: the effective value of every directive that matters to a
 * client.
 *
 * <p>Immutable, for any thread. Its text form never shows the password. Implements spec/config,
 * section 6.
 */
public final class ServerPool {
    /*
     * Directives that place keys, and those that have no effect. All others say how
     * to reach nodes.
     */
    private static final Set<Directive> NOT_OF_NODES =
            EnumSet.of(
                    Directive.SERVERS,
                    Directive.HASH,
                    Directive.HASH_TAG,
                    Directive.DISTRIBUTION,
                    Directive.LISTEN,
                    Directive.BACKLOG,
                    Directive.CLIENT_CONNECTIONS,
                    Directive.TCPKEEPALIVE,
                    Directive.REUSEPORT,
                    Directive.PRECONNECT,
                    Directive.SERVER_CONNECTIONS);

    private final String name;
    private final int line;
    private final Map<Directive, Object> values;
    private final List<Server> servers;

    /* Fields for the values that every call needs. */
    private final boolean isCluster;
    private final boolean isSsdb;
    private final boolean ejects;
    private final int timeoutMs;

    public ServerPool(String name, int line, Map<Directive, Object> values, List<Server> servers) {
        this.name = name;
        this.line = line;
        this.values = values;
        this.servers = List.copyOf(servers);
        this.isCluster = Boolean.TRUE.equals(values.get(Directive.CLUSTER));
        this.isSsdb = "ssdb".equals(value(Directive.ENGINE));
        this.ejects = flag(Directive.AUTO_EJECT_HOSTS);
        this.timeoutMs = number(Directive.TIMEOUT);
    }

    /** The effective value of a directive, or {@code null} if it has none. */
    public @Nullable Object value(Directive directive) {
        Object value = cluster() ? ofCluster(directive) : null;
        if (value == null) {
            value = values.get(directive);
        }
        return value != null ? value : directive.standard();
    }

    /**
     * The value that a Redis Cluster implies, whatever the file says; {@code null} for all other
     * directives.
     */
    private static @Nullable Object ofCluster(Directive directive) {
        return switch (directive) {
            case HASH -> Hash.CRC16;
            case HASH_TAG -> Key.CLUSTER_TAG;
            case DISTRIBUTION -> Distribution.SLOTS;
            default -> null;
        };
    }

    @SuppressWarnings("NullAway") // Only getters that may return null ask for what may be unset.
    private <T> T value(Directive directive, Class<T> type) {
        return type.cast(value(directive));
    }

    private int number(Directive directive) {
        return value(directive, Integer.class);
    }

    private boolean flag(Directive directive) {
        return value(directive, Boolean.class);
    }

    public String name() {
        return name;
    }

    /** The line of the pool's name in the file. */
    public int line() {
        return line;
    }

    /** At least one server, in the order of the file. Placement sorts them. */
    public List<Server> servers() {
        return servers;
    }

    /** True if the servers are the seeds of a Redis Cluster, which places keys by its own rule. */
    public boolean cluster() {
        return isCluster;
    }

    /** Which node of a Redis Cluster answers reads. */
    public ReadFrom readFrom() {
        return value(Directive.READ_FROM, ReadFrom.class);
    }

    /** The zone of {@link ReadFrom#SAME_ZONE}, or {@code null}. */
    public @Nullable String zone() {
        return value(Directive.ZONE, String.class);
    }

    public Hash hash() {
        return value(Directive.HASH, Hash.class);
    }

    /** The hash tag, or {@code null} if the whole key is hashed. */
    public @Nullable HashTag hashTag() {
        return value(Directive.HASH_TAG, HashTag.class);
    }

    public Distribution distribution() {
        return value(Directive.DISTRIBUTION, Distribution.class);
    }

    /** The deadline of one call in milliseconds; 0: none. */
    public int timeoutMs() {
        return timeoutMs;
    }

    /** True if the pool speaks redis. Otherwise it speaks memcached, which the clients refuse. */
    public boolean redis() {
        return flag(Directive.REDIS);
    }

    /** True if its nodes are SSDB, which speaks redis' protocol but means other things by it. */
    public boolean ssdb() {
        return isSsdb;
    }

    /** The password, or {@code null}. It must never be part of a message. */
    public @Nullable String redisAuth() {
        return value(Directive.REDIS_AUTH, String.class);
    }

    /** The ACL user, or {@code null}. */
    public @Nullable String username() {
        return value(Directive.USERNAME, String.class);
    }

    /**
     * The database as in nutcracker: selected before AUTH, never on a unix socket, and if the node
     * refuses, the database is 0. 0 if unset; never set together with {@link #database()}.
     */
    public int redisDb() {
        return number(Directive.REDIS_DB);
    }

    /** True if {@link #database()} is set, even to 0. */
    boolean hasDatabase() {
        return values.containsKey(Directive.DATABASE);
    }

    /**
     * OneHop's own directive: the database selected after AUTH, on every kind of socket; 0 if
     * unset.
     */
    public int database() {
        return hasDatabase() ? number(Directive.DATABASE) : 0;
    }

    /** Connections per node and client, 1 to 65535. */
    public int poolSize() {
        return number(Directive.POOL_SIZE);
    }

    /** True if placement leaves out nodes that failed. Off by default, because keys move. */
    public boolean autoEjectHosts() {
        return ejects;
    }

    /** The number of failures in a row that eject a node. */
    public int serverFailureLimit() {
        return number(Directive.SERVER_FAILURE_LIMIT);
    }

    /** How long an ejected node stays out, in milliseconds. */
    public int serverRetryTimeoutMs() {
        return number(Directive.SERVER_RETRY_TIMEOUT);
    }

    /** True if a node of both pools is reached in the same way: same limits, same credentials. */
    public boolean reachesNodesLike(ServerPool other) {
        return this == other
                || EnumSet.complementOf(EnumSet.copyOf(NOT_OF_NODES)).stream()
                        .allMatch(
                                directive ->
                                        Objects.equals(value(directive), other.value(directive)));
    }

    @Override
    public String toString() {
        return "server pool " + name + " of " + servers.size() + " servers";
    }
}
