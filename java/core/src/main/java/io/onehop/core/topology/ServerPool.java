package io.onehop.core.topology;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.key.Key;
import io.onehop.core.key.Key.HashTag;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.ForeignRows;
import io.onehop.core.topology.DirectiveValue.ReadFrom;
import io.onehop.core.topology.DirectiveValue.TlsVerify;
import io.onehop.core.topology.Server.Replica;

import org.jspecify.annotations.Nullable;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A server pool of a configuration: the effective value of every directive that matters to a
 * client.
 *
 * <p>Immutable, for any thread. Its text form never shows the password. Implements spec/config,
 * section 6.
 */
public final class ServerPool {
    private static final List<Directive> TLS_SETTINGS =
            Stream.of(Directive.values()).filter(each -> each.label().startsWith("tls_")).toList();
    private static final List<Directive> OF_SENTINELS =
            Directive.with(DirectiveValue.Trait.OF_SENTINELS);
    private static final List<Directive> OF_NODES = Directive.with(DirectiveValue.Trait.OF_NODES);

    private final String name;
    private final int line;
    private final Map<Directive, Object> values;
    private final List<Server> servers;
    private final List<Server> sentinels;
    private final List<Replica> replicas;
    private final Zone zone;
    private final boolean isPasswordInText;
    // The ring that keys move from, as a server pool of its own; null if there is none.
    private final @Nullable ServerPool movingFrom;
    // The pool as it is configured: this pool, or the pool from which this one was made.
    private final ServerPool configured;

    /* Fields for the values that every call needs. */
    private final boolean isCluster;
    private final boolean isSsdb;
    private final boolean ejects;
    private final int timeoutMs;

    /**
     * {@code values}: the directives that the text sets. {@code isPasswordInText}: true if a
     * password stands in the text, and does not come from the environment.
     */
    public ServerPool(
            String name,
            int line,
            Map<Directive, Object> values,
            List<Server> servers,
            List<Server> sentinels,
            List<Replica> replicas,
            Zone zone,
            boolean isPasswordInText) {
        this(name, line, values, servers, sentinels, replicas, zone, isPasswordInText, null, null);
    }

    /** The same server pool with these servers of {@code moving_from}. */
    public ServerPool withOldServers(List<Server> old) {
        ServerPool ring =
                new ServerPool(
                        name,
                        line,
                        ofOldRing(),
                        old,
                        List.of(),
                        List.of(),
                        Zone.NONE,
                        isPasswordInText);
        return new ServerPool(
                name,
                line,
                values,
                servers,
                sentinels,
                replicas,
                zone,
                isPasswordInText,
                ring,
                null);
    }

    /**
     * How the old ring places keys: if it has a distribution of its own, as its own directives say;
     * otherwise as this pool does.
     */
    private Map<Directive, Object> ofOldRing() {
        Map<Directive, Object> theirs = new EnumMap<>(Directive.class);
        if (values.containsKey(Directive.MOVING_FROM_DISTRIBUTION)) {
            copy(Directive.MOVING_FROM_DISTRIBUTION, Directive.DISTRIBUTION, theirs);
            copy(Directive.MOVING_FROM_HASH, Directive.HASH, theirs);
            copy(Directive.MOVING_FROM_HASH_TAG, Directive.HASH_TAG, theirs);
        } else {
            copy(Directive.DISTRIBUTION, Directive.DISTRIBUTION, theirs);
            copy(Directive.HASH, Directive.HASH, theirs);
            copy(Directive.HASH_TAG, Directive.HASH_TAG, theirs);
        }
        return theirs;
    }

    /** The ring that keys move from, as a server pool; {@code null} if there is none. */
    public @Nullable ServerPool movingFrom() {
        return movingFrom;
    }

    private ServerPool(
            String name,
            int line,
            Map<Directive, Object> values,
            List<Server> servers,
            List<Server> sentinels,
            List<Replica> replicas,
            Zone zone,
            boolean isPasswordInText,
            @Nullable ServerPool movingFrom,
            @Nullable ServerPool configured) {
        this.name = name;
        this.line = line;
        this.values = values;
        this.servers = List.copyOf(servers);
        this.sentinels = List.copyOf(sentinels);
        this.replicas = List.copyOf(replicas);
        this.zone = zone;
        this.isPasswordInText = isPasswordInText;
        this.movingFrom = movingFrom;
        this.configured = configured == null ? this : configured;
        this.isCluster = Boolean.TRUE.equals(values.get(Directive.CLUSTER));
        this.isSsdb = "ssdb".equals(value(Directive.ENGINE));
        this.ejects = flag(Directive.AUTO_EJECT_HOSTS);
        this.timeoutMs = number(Directive.TIMEOUT);
    }

    /** The effective value of a directive; {@code null} if it has no value. */
    public @Nullable Object value(Directive directive) {
        Object value = cluster() ? ofCluster(directive) : null;
        if (value == null) {
            value = values.get(directive);
        }
        if (value == null && directive == Directive.HASH && foreign() != null) {
            return foreign().hashes().get(0);
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

    /** The value of a directive whose type is number, and which has a default. */
    public int number(Directive directive) {
        return value(directive, Integer.class);
    }

    /** The value of a directive whose type is boolean. */
    public boolean flag(Directive directive) {
        return value(directive, Boolean.class);
    }

    /** The value of a directive whose type is text or path, or {@code null}. */
    public @Nullable String text(Directive directive) {
        return value(directive, String.class);
    }

    public String name() {
        return name;
    }

    /** The line of the pool's name in the file. */
    public int line() {
        return line;
    }

    /**
     * At least one server, in the order of the file. Placement sorts the servers, unless the
     * distribution is that of another client.
     */
    public List<Server> servers() {
        return servers;
    }

    /**
     * The Sentinels, each named by its address, in the order of the file; empty if there are none.
     * With Sentinels the names of the servers are the names of their masters.
     */
    public List<Server> sentinels() {
        return sentinels;
    }

    /**
     * The replicas that the file or the Sentinels name; empty for a Redis Cluster. Placement does
     * not know them.
     */
    public List<Replica> replicas() {
        return replicas;
    }

    /** The same server pool with the same names at other addresses, and other replicas. */
    public ServerPool withNodes(List<Server> moved, List<Replica> following) {
        return new ServerPool(
                name,
                line,
                values,
                moved,
                sentinels,
                following,
                zone,
                isPasswordInText,
                null,
                configured);
    }

    /**
     * The Sentinels as a server pool of their own. That pool is reached like this one, but with the
     * user and password for the Sentinels.
     */
    public ServerPool ofSentinels() {
        Map<Directive, Object> theirs = new EnumMap<>(Directive.class);
        Directive.with(DirectiveValue.Trait.FOR_SENTINELS)
                .forEach(each -> copy(each, each, theirs));
        copy(Directive.SENTINEL_USERNAME, Directive.USERNAME, theirs);
        copy(Directive.SENTINEL_PASSWORD, Directive.REDIS_AUTH, theirs);
        theirs.put(Directive.TLS, flag(Directive.SENTINEL_TLS));
        return new ServerPool(
                name,
                line,
                theirs,
                sentinels,
                List.of(),
                List.of(),
                Zone.NONE,
                isPasswordInText,
                null,
                configured);
    }

    private void copy(Directive from, Directive to, Map<Directive, Object> theirs) {
        if (values.containsKey(from)) {
            theirs.put(to, values.get(from));
        }
    }

    /**
     * The server pool as it is configured. This object may differ from it: Sentinels may have named
     * other addresses for its servers, or it is the pool of its Sentinels.
     */
    ServerPool configured() {
        return configured;
    }

    /** True if both pools ask the same Sentinels in the same way. */
    public boolean asksSentinelsLike(ServerPool other) {
        return sentinels.stream()
                        .map(Server::address)
                        .toList()
                        .equals(other.sentinels.stream().map(Server::address).toList())
                && OF_SENTINELS.stream().allMatch(each -> hasSame(each, other));
    }

    /** True if the servers are the seeds of a Redis Cluster, which places keys by its own rule. */
    public boolean cluster() {
        return isCluster;
    }

    /** Which nodes answer reads. */
    public ReadFrom readFrom() {
        return value(Directive.READ_FROM, ReadFrom.class);
    }

    /** True if replicas may answer reads. */
    public boolean asksReplicas() {
        return readFrom() != ReadFrom.MASTER;
    }

    /** The zone of {@link ReadFrom#SAME_ZONE}, otherwise {@link Zone#NONE}. */
    public Zone zone() {
        return zone;
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

    /** The row of the distribution if it is that of another client; otherwise {@code null}. */
    public Foreign.@Nullable Row foreign() {
        return ForeignRows.of(distribution());
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
        return text(Directive.REDIS_AUTH);
    }

    /** The path of the file with the password, or {@code null}. */
    public @Nullable String redisAuthFile() {
        return text(Directive.REDIS_AUTH_FILE);
    }

    /** The same server pool with the password of its password file. */
    public ServerPool withPassword(String password) {
        return with(Directive.REDIS_AUTH, password);
    }

    /** The same server pool with this {@code pool_size}, unless the configuration has one. */
    public ServerPool withPoolSize(int size) {
        return values.containsKey(Directive.POOL_SIZE) ? this : with(Directive.POOL_SIZE, size);
    }

    private ServerPool with(Directive directive, Object value) {
        Map<Directive, Object> all = new EnumMap<>(Directive.class);
        all.putAll(values);
        all.put(directive, value);
        return new ServerPool(
                name,
                line,
                all,
                servers,
                sentinels,
                replicas,
                zone,
                isPasswordInText,
                movingFrom,
                null);
    }

    /** True if a reader of the configuration sees a password. */
    public boolean isPasswordInText() {
        return isPasswordInText;
    }

    /**
     * The database as in nutcracker: it is selected before AUTH, and never on a unix socket; if the
     * node refuses, the database is 0. The value is 0 if it is not set. It is never set together
     * with {@link #database()}.
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

    /** True if connections to nodes are encrypted. */
    public boolean tls() {
        return flag(Directive.TLS);
    }

    /** What is checked of a node's certificate. */
    public TlsVerify tlsVerify() {
        return value(Directive.TLS_VERIFY, TlsVerify.class);
    }

    /** True if connections to nodes of both pools are encrypted in the same way. */
    public boolean encryptsLike(ServerPool other) {
        return tls() == other.tls() && TLS_SETTINGS.stream().allMatch(each -> hasSame(each, other));
    }

    private boolean hasSame(Directive directive, ServerPool other) {
        return Objects.equals(value(directive), other.value(directive));
    }

    /** Connections per node and client, 1 to 65535. */
    public int poolSize() {
        return number(Directive.POOL_SIZE);
    }

    /**
     * True if placement leaves out nodes that have failed. False by default, because ejection moves
     * keys.
     */
    public boolean autoEjectHosts() {
        return ejects;
    }

    /**
     * True if a node that both pools have is reached in the same way: same limits, same
     * credentials.
     */
    public boolean reachesNodesLike(ServerPool other) {
        return this == other || OF_NODES.stream().allMatch(each -> hasSame(each, other));
    }

    @Override
    public String toString() {
        return "server pool " + name + " of " + servers.size() + " servers";
    }
}
