package io.onehop.core.config;

import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ReadFrom;
import io.onehop.core.topology.Server;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Checks a whole pool: which directives are missing, need each other, or exclude each other.
 *
 * <p>Implements spec/config, the end of section 5.
 */
final class ConfigRules {
    private final ConfigErrors errors;
    private final int line;
    private final Set<Directive> seen;
    private final Map<Directive, Object> values;
    private final List<Server> servers;

    /* Whether the pool has no other error. Otherwise what is missing may be what is misspelled. */
    private final boolean isWhole;

    /** {@code seen} are all directives of the pool; those with an error have no value. */
    ConfigRules(
            ConfigErrors errors,
            int line,
            Set<Directive> seen,
            Map<Directive, Object> values,
            List<Server> servers,
            boolean isWhole) {
        this.errors = errors;
        this.line = line;
        this.seen = seen;
        this.values = values;
        this.servers = servers;
        this.isWhole = isWhole;
    }

    void check(boolean isOwn) {
        checkFile(isOwn);
        checkSsdb();
        checkCluster();
        checkReading();
        checkTls();
        checkSentinels();
        checkReplicas();
    }

    private void refuse(boolean isWrong, String reason) {
        if (isWrong) {
            errors.add(line, reason);
        }
    }

    /** The same for a rule that misses something. */
    private void demand(boolean isMissed, String reason) {
        refuse(isMissed && isWhole, reason);
    }

    private boolean has(Directive directive) {
        return seen.contains(directive);
    }

    private boolean is(Directive directive) {
        return Boolean.TRUE.equals(values.get(directive));
    }

    private boolean isSsdb() {
        return "ssdb".equals(values.get(Directive.ENGINE));
    }

    private void checkFile(boolean isOwn) {
        demand(!has(Directive.LISTEN) && !isOwn, Directive.LISTEN.fault("is missing").reason());
        demand(!has(Directive.SERVERS), Directive.SERVERS.fault("is missing").reason());
        demandSwitch(
                Directive.REDIS,
                List.of(
                        Directive.REDIS_AUTH,
                        Directive.REDIS_AUTH_FILE,
                        Directive.USERNAME,
                        Directive.DATABASE));
        demand(
                has(Directive.USERNAME)
                        && !has(Directive.REDIS_AUTH)
                        && !has(Directive.REDIS_AUTH_FILE),
                Directive.USERNAME.fault("needs \"redis_auth\"").reason());
        refuse(
                has(Directive.REDIS_AUTH) && has(Directive.REDIS_AUTH_FILE),
                "directives \"redis_auth\" and \"redis_auth_file\" exclude each other");
        refuse(
                has(Directive.DATABASE) && has(Directive.REDIS_DB),
                "directives \"database\" and \"redis_db\" exclude each other");
    }

    /** SSDB speaks redis' protocol, but has neither users nor databases. */
    private void checkSsdb() {
        demand(isSsdb() && !is(Directive.REDIS), "\"engine: ssdb\" needs \"redis: true\"");
        for (Directive directive : List.of(Directive.USERNAME, Directive.DATABASE)) {
            refuse(
                    isSsdb() && has(directive),
                    directive.fault("is not for \"engine: ssdb\"").reason());
        }
    }

    /** A Redis Cluster places keys by its own rule, and names its nodes itself. */
    private void checkCluster() {
        if (!is(Directive.CLUSTER)) {
            return;
        }
        demand(!is(Directive.REDIS), "\"cluster: true\" needs \"redis: true\"");
        refuse(isSsdb(), "\"cluster: true\" is not for \"engine: ssdb\"");
        for (Directive directive :
                List.of(Directive.HASH, Directive.HASH_TAG, Directive.DISTRIBUTION)) {
            refuse(has(directive), directive.fault("is not for \"cluster: true\"").reason());
        }
        refuse(
                is(Directive.AUTO_EJECT_HOSTS),
                "\"auto_eject_hosts: true\" is not for \"cluster: true\"");
        refuse(
                isNotZero(Directive.REDIS_DB),
                "\"cluster: true\" needs \"database\" instead of \"redis_db\"");
        refuse(
                hasServer(server -> server.weight() != 1),
                "\"cluster: true\" has no server of another weight than 1");
        refuse(
                hasServer(server -> server.path() != null),
                "\"cluster: true\" has no server on a unix socket");
    }

    private boolean isNotZero(Directive directive) {
        return values.get(directive) instanceof Integer number && number != 0;
    }

    private boolean hasServer(Predicate<Server> isSuch) {
        return servers.stream().anyMatch(isSuch);
    }

    private void checkReading() {
        boolean isByZone = values.get(Directive.READ_FROM) == ReadFrom.SAME_ZONE;
        boolean mayHaveReplicas =
                is(Directive.CLUSTER) || has(Directive.SENTINELS) || has(Directive.REPLICAS);
        demand(
                has(Directive.READ_FROM) && !mayHaveReplicas,
                "directive \"read_from\" needs \"cluster: true\", \"sentinels\" or \"replicas\"");
        demand(
                has(Directive.ZONE) && !isByZone,
                "directive \"zone\" needs \"read_from: same_zone\"");
        demand(
                has(Directive.HOST_ZONES) && !isByZone,
                "directive \"host_zones\" needs \"read_from: same_zone\"");
        demand(isByZone && !has(Directive.ZONE), "\"read_from: same_zone\" needs \"zone\"");
    }

    /** Without TLS its settings have no meaning; a certificate and its key need each other. */
    private void checkTls() {
        demand(is(Directive.TLS) && !is(Directive.REDIS), "\"tls: true\" needs \"redis: true\"");
        if (!is(Directive.SENTINEL_TLS)) {
            demandSwitch(Directive.TLS, Directive.TLS_SETTINGS);
        }
        demandBoth(Directive.TLS_CERT_FILE, Directive.TLS_KEY_FILE);
        demandBoth(Directive.TLS_KEY_FILE, Directive.TLS_CERT_FILE);
        demandBoth(Directive.TLS_KEY_FILE_PASS, Directive.TLS_KEY_FILE);
    }

    /** These directives need that one to be true. */
    private void demandSwitch(Directive needed, List<Directive> directives) {
        for (Directive directive : directives) {
            demand(
                    has(directive) && !is(needed),
                    directive.fault("needs \"" + needed.label() + ": true\"").reason());
        }
    }

    private void demandBoth(Directive directive, Directive needed) {
        demand(
                has(directive) && !has(needed),
                directive.fault("needs \"" + needed.label() + "\"").reason());
    }

    /** The names of the servers are Sentinel's, so the ring stays as it is. */
    private void checkSentinels() {
        boolean isWatched = has(Directive.SENTINELS);
        demand(isWatched && !is(Directive.REDIS), "directive \"sentinels\" needs \"redis: true\"");
        refuse(isWatched && isSsdb(), "directive \"sentinels\" is not for \"engine: ssdb\"");
        refuse(
                isWatched && is(Directive.CLUSTER),
                "directive \"sentinels\" is not for \"cluster: true\"");
        refuse(
                isWatched && is(Directive.AUTO_EJECT_HOSTS),
                "\"auto_eject_hosts: true\" is not for \"sentinels\"");
        refuse(
                isWatched && hasServer(server -> server.path() != null),
                "\"sentinels\" has no server on a unix socket");
        demand(
                isWatched && hasServer(server -> server.name().contains(":")),
                "directive \"sentinels\" needs a name for each server");
        for (Directive directive :
                List.of(Directive.SENTINEL_USERNAME, Directive.SENTINEL_PASSWORD)) {
            demand(has(directive) && !isWatched, directive.fault("needs \"sentinels\"").reason());
        }
        demand(
                has(Directive.SENTINEL_USERNAME) && !has(Directive.SENTINEL_PASSWORD),
                Directive.SENTINEL_USERNAME.fault("needs \"sentinel_password\"").reason());
        demand(
                has(Directive.SENTINEL_TLS) && !isWatched,
                Directive.SENTINEL_TLS.fault("needs \"sentinels\"").reason());
    }

    /** Other nodes answer reads of a cluster, or of a pool with Sentinels, without being named. */
    private void checkReplicas() {
        if (!has(Directive.REPLICAS)) {
            return;
        }
        Directive replicas = Directive.REPLICAS;
        demand(!is(Directive.REDIS), replicas.fault("needs \"redis: true\"").reason());
        refuse(isSsdb(), replicas.fault("is not for \"engine: ssdb\"").reason());
        refuse(is(Directive.CLUSTER), replicas.fault("is not for \"cluster: true\"").reason());
        refuse(has(Directive.SENTINELS), replicas.fault("is not for \"sentinels\"").reason());
        refuse(
                is(Directive.AUTO_EJECT_HOSTS),
                "\"auto_eject_hosts: true\" is not for \"replicas\"");
    }
}
