package io.onehop.core.config;

import io.onehop.core.topology.Directive;
import io.onehop.core.topology.ReadFrom;
import io.onehop.core.topology.Server;

import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Checks a whole pool: which directives are missing, need each other, or exclude each other.
 *
 * <p>Implements spec/config, the end of section 5.
 */
final class ConfigPool {
    private final Map<Directive, Object> values;
    private final List<Server> servers;
    private final int line;

    private ConfigPool(Map<Directive, Object> values, List<Server> servers, int line) {
        this.values = values;
        this.servers = servers;
        this.line = line;
    }

    static void check(Map<Directive, Object> values, List<Server> servers, int line)
            throws ConfigException {
        ConfigPool pool = new ConfigPool(values, servers, line);
        pool.checkFile();
        pool.checkSsdb();
        pool.checkCluster();
        pool.checkReading();
    }

    private void refuse(boolean isWrong, String reason) throws ConfigException {
        if (isWrong) {
            throw new ConfigException(line, reason);
        }
    }

    private boolean has(Directive directive) {
        return values.containsKey(directive);
    }

    private boolean is(Directive directive) {
        return Boolean.TRUE.equals(values.get(directive));
    }

    private boolean isSsdb() {
        return "ssdb".equals(values.get(Directive.ENGINE));
    }

    private void checkFile() throws ConfigException {
        for (Directive required : List.of(Directive.LISTEN, Directive.SERVERS)) {
            refuse(!has(required), required.fault("is missing").reason());
        }
        for (Directive directive :
                List.of(Directive.REDIS_AUTH, Directive.USERNAME, Directive.DATABASE)) {
            refuse(
                    has(directive) && !is(Directive.REDIS),
                    directive.fault("needs \"redis: true\"").reason());
        }
        refuse(
                has(Directive.USERNAME) && !has(Directive.REDIS_AUTH),
                Directive.USERNAME.fault("needs \"redis_auth\"").reason());
        refuse(
                has(Directive.DATABASE) && has(Directive.REDIS_DB),
                "directives \"database\" and \"redis_db\" exclude each other");
    }

    /** SSDB speaks redis' protocol, but has neither users nor databases. */
    private void checkSsdb() throws ConfigException {
        refuse(isSsdb() && !is(Directive.REDIS), "\"engine: ssdb\" needs \"redis: true\"");
        for (Directive directive : List.of(Directive.USERNAME, Directive.DATABASE)) {
            refuse(
                    isSsdb() && has(directive),
                    directive.fault("is not for \"engine: ssdb\"").reason());
        }
    }

    /** A Redis Cluster places keys by its own rule, and names its nodes itself. */
    private void checkCluster() throws ConfigException {
        if (!is(Directive.CLUSTER)) {
            return;
        }
        refuse(!is(Directive.REDIS), "\"cluster: true\" needs \"redis: true\"");
        refuse(isSsdb(), "\"cluster: true\" is not for \"engine: ssdb\"");
        for (Directive directive :
                List.of(Directive.HASH, Directive.HASH_TAG, Directive.DISTRIBUTION)) {
            refuse(has(directive), directive.fault("is not for \"cluster: true\"").reason());
        }
        refuse(
                is(Directive.AUTO_EJECT_HOSTS),
                "\"auto_eject_hosts: true\" is not for \"cluster: true\"");
        refuse(
                isNotZero(Directive.DATABASE) || isNotZero(Directive.REDIS_DB),
                "\"cluster: true\" has no database but 0");
        refuse(
                hasSeed(server -> server.weight() != 1),
                "\"cluster: true\" has no server of another weight than 1");
        refuse(
                hasSeed(server -> server.path() != null),
                "\"cluster: true\" has no server on a unix socket");
    }

    private boolean isNotZero(Directive directive) {
        return has(directive) && !Integer.valueOf(0).equals(values.get(directive));
    }

    private boolean hasSeed(Predicate<Server> isSuch) {
        return servers.stream().anyMatch(isSuch);
    }

    private void checkReading() throws ConfigException {
        boolean isByZone = values.get(Directive.READ_FROM) == ReadFrom.SAME_ZONE;
        refuse(
                has(Directive.READ_FROM) && !is(Directive.CLUSTER),
                "directive \"read_from\" needs \"cluster: true\"");
        refuse(
                has(Directive.ZONE) && !isByZone,
                "directive \"zone\" needs \"read_from: same_zone\"");
        refuse(isByZone && !has(Directive.ZONE), "\"read_from: same_zone\" needs \"zone\"");
    }
}
