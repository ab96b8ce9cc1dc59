package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.key.HashTag;
import io.onehop.core.key.Key;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A server pool of a configuration: every directive that means something to a client, with its
 * effective value.
 *
 * <p>Immutable; any thread may use it. Its text form never shows the password. Implements
 * spec/config, section 6.
 */
public final class ServerPool {
    /* What says where keys are, and what is read and ignored. All the rest says how nodes are reached. */
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

    /* What every call asks for. */
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
        this.isSsdb = value(Directive.ENGINE).equals("ssdb");
        this.ejects = flag(Directive.AUTO_EJECT_HOSTS);
        this.timeoutMs = number(Directive.TIMEOUT);
    }

    /** The effective value of a directive, or {@code null} if it has none. */
    public Object value(Directive directive) {
        Object value = cluster() ? ofCluster(directive) : null;
        if (value == null) {
            value = values.get(directive);
        }
        return value != null ? value : directive.standard();
    }

    /**
     * How a Redis Cluster places keys, whatever a file could say; {@code null} for all other
     * directives.
     */
    private static Object ofCluster(Directive directive) {
        return switch (directive) {
            case HASH -> Hash.CRC16;
            case HASH_TAG -> Key.CLUSTER_TAG;
            case DISTRIBUTION -> Distribution.SLOTS;
            default -> null;
        };
    }

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

    /** The line of the file on which the pool's name stands. */
    public int line() {
        return line;
    }

    /** At least one server, in the order of the file; placement sorts them. */
    public List<Server> servers() {
        return servers;
    }

    /** Whether the servers are the seeds of a Redis Cluster, which places keys by its own rule. */
    public boolean cluster() {
        return isCluster;
    }

    /** Who answers reads in a Redis Cluster. */
    public ReadFrom readFrom() {
        return value(Directive.READ_FROM, ReadFrom.class);
    }

    /** The zone of {@link ReadFrom#SAME_ZONE}, or {@code null}. */
    public String zone() {
        return value(Directive.ZONE, String.class);
    }

    public Hash hash() {
        return value(Directive.HASH, Hash.class);
    }

    /** The hash tag, or {@code null} if keys are hashed whole. */
    public HashTag hashTag() {
        return value(Directive.HASH_TAG, HashTag.class);
    }

    public Distribution distribution() {
        return value(Directive.DISTRIBUTION, Distribution.class);
    }

    /** The deadline of one call in milliseconds; 0 waits without end. */
    public int timeoutMs() {
        return timeoutMs;
    }

    /** Whether the pool speaks redis; otherwise it speaks memcached, which the clients refuse. */
    public boolean redis() {
        return flag(Directive.REDIS);
    }

    /** Whether its nodes are SSDB, which speaks redis' protocol and means other things by it. */
    public boolean ssdb() {
        return isSsdb;
    }

    /** The password, or {@code null}. It must never appear in a message. */
    public String redisAuth() {
        return value(Directive.REDIS_AUTH, String.class);
    }

    /** The ACL user, or {@code null}. */
    public String username() {
        return value(Directive.USERNAME, String.class);
    }

    /**
     * The database as nutcracker means it: selected before signing in, never on a unix socket, and
     * a refusal leaves database 0. 0 if unset; never set together with {@link #database()}.
     */
    public int redisDb() {
        return number(Directive.REDIS_DB);
    }

    /** Whether {@link #database()} is set, be it to 0. */
    boolean hasDatabase() {
        return values.containsKey(Directive.DATABASE);
    }

    /**
     * OneHop's own directive: the database selected after signing in, on every kind of socket; 0 if
     * unset.
     */
    public int database() {
        return hasDatabase() ? number(Directive.DATABASE) : 0;
    }

    /** Connections per node and client, 1 to 65535. */
    public int poolSize() {
        return number(Directive.POOL_SIZE);
    }

    /** Whether placement leaves out nodes that failed; off by default, because keys move. */
    public boolean autoEjectHosts() {
        return ejects;
    }

    /** How many failures in a row eject a node. */
    public int serverFailureLimit() {
        return number(Directive.SERVER_FAILURE_LIMIT);
    }

    /** How long an ejected node stays out, in milliseconds. */
    public int serverRetryTimeoutMs() {
        return number(Directive.SERVER_RETRY_TIMEOUT);
    }

    /**
     * Whether a node that is in both pools is reached the same way: by the same limits, signed in
     * alike.
     */
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
