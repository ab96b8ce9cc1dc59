package io.onehop.core.config;

import io.onehop.core.Distribution;
import io.onehop.core.Hash;
import io.onehop.core.base.Limits;
import io.onehop.core.hash.HashFunction;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.Foreign.Trait;
import io.onehop.core.placement.ForeignRows;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue;
import io.onehop.core.topology.DirectiveValue.ReadFrom;
import io.onehop.core.topology.Server;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Checks a whole pool: which directives are missing, need each other, or exclude each other.
 *
 * <p>Implements spec/config, the end of section 5.
 */
final class ConfigRules {

    /**
     * A rule: if all terms are true, that is an error. {@code named}: the directive that the reason
     * names first.
     */
    private record Rule(boolean misses, List<String> terms, Directive named, String reason) {}

    private static final List<Rule> RULES =
            Directive.RULES.stream().map(ConfigRules::rule).toList();

    private final ConfigErrors errors;
    private final int line;
    private final boolean isOwn;
    private final Map<Directive, Integer> seen;
    private final Map<Directive, Object> values;
    private final List<Server> servers;
    private final List<Server> oldServers;
    private final Foreign.@Nullable Row foreign;
    private final Foreign.@Nullable Row oldForeign;

    /**
     * {@code seen}: the directives of the pool with their lines, also those with an error, which
     * have no value.
     */
    ConfigRules(
            ConfigErrors errors,
            int line,
            boolean isOwn,
            Map<Directive, Integer> seen,
            Map<Directive, Object> values,
            List<Server> servers,
            List<Server> oldServers) {
        this.errors = errors;
        this.line = line;
        this.isOwn = isOwn;
        this.seen = seen;
        this.values = values;
        this.servers = servers;
        this.oldServers = oldServers;
        this.foreign = foreign(Directive.DISTRIBUTION);
        this.oldForeign =
                values.containsKey(Directive.MOVING_FROM_DISTRIBUTION)
                        ? foreign(Directive.MOVING_FROM_DISTRIBUTION)
                        : foreign;
    }

    private Foreign.@Nullable Row foreign(Directive distribution) {
        return ForeignRows.of(
                (Distribution) values.getOrDefault(distribution, Distribution.KETAMA));
    }

    private static Rule rule(String row) {
        String[] parts = row.split(" => ");
        boolean misses = row.startsWith("? ");
        List<String> terms = List.of(parts[0].substring(misses ? 2 : 0).split(", "));
        String named = parts[1].split("[\":]")[1];
        return new Rule(misses, terms, Objects.requireNonNull(Directive.named(named)), parts[1]);
    }

    /**
     * {@code isWhole}: there is no other error. If there is one, a directive that seems to be
     * missing may only be misspelled.
     */
    void check(boolean isWhole) {
        for (Rule rule : RULES) {
            if ((isWhole || !rule.misses()) && rule.terms().stream().allMatch(this::isSo)) {
                errors.add(seen.getOrDefault(rule.named(), line), rule.reason());
            }
        }
    }

    private boolean isSo(String term) {
        if (term.startsWith("!")) {
            return !isSo(term.substring(1));
        }
        return switch (term) {
            case "OneHop pool" -> isOwn;
            case "server with a weight" -> hasServer(server -> server.weight() != 1);
            case "server on a unix socket" -> hasServer(server -> server.path() != null);
            case "server without a name" -> hasServer(server -> server.name().contains(":"));
            case "distribution of another client" -> foreign != null;
            case "distribution with another hash" ->
                    isOtherHash(values.get(Directive.HASH), foreign);
            case "distribution without hash_tag" -> foreign != null && !foreign.has(Trait.TAGS);
            case "distribution without weights" -> hasStrangeWeights(foreign, servers);
            case "distribution without long names" -> hasLongName(foreign, servers);
            case "distribution with too many points" -> hasManyPoints(foreign, servers);
            case "distribution without all slots" -> lacksSlots(foreign, servers);
            case "old ring with another hash" ->
                    values.containsKey(Directive.MOVING_FROM_DISTRIBUTION)
                            && isOtherHash(values.get(Directive.MOVING_FROM_HASH), oldForeign);
            case "old ring without hash_tag" ->
                    !oldServers.isEmpty() && oldForeign != null && !oldForeign.has(Trait.TAGS);
            case "old ring without weights" -> hasStrangeWeights(oldForeign, oldServers);
            case "old ring without long names" -> hasLongName(oldForeign, oldServers);
            case "old ring with too many points" -> hasManyPoints(oldForeign, oldServers);
            case "old ring without all slots" ->
                    !oldServers.isEmpty() && lacksSlots(oldForeign, oldServers);
            case "old ring with a name at another address" -> hasTwoAddresses();
            case "old ring with too many servers" ->
                    !oldServers.isEmpty()
                            && servers.size() + oldServers.size() > Limits.POOL_SERVERS_MAX;
            default -> isSaid(term);
        };
    }

    /** True if the directive of a term is set, or has the value that the term names. */
    private boolean isSaid(String term) {
        int colon = term.indexOf(": ");
        String label = colon < 0 ? term : term.substring(0, colon);
        Directive directive = Objects.requireNonNull(Directive.named(label));
        if (colon < 0) {
            return seen.containsKey(directive);
        }
        Object value = values.getOrDefault(directive, directive.standard());
        return textOf(value).equals(term.substring(colon + 2));
    }

    private static String textOf(@Nullable Object value) {
        return value instanceof ReadFrom from
                ? from.label()
                : value instanceof Distribution named ? named.label() : String.valueOf(value);
    }

    /** True if the distribution may not have this hash. */
    private static boolean isOtherHash(@Nullable Object hash, Foreign.@Nullable Row foreign) {
        return hash instanceof Hash named
                && (foreign == null
                        ? !HashFunction.NAMES.contains(named)
                        : !foreign.hashes().contains(named));
    }

    private static boolean hasStrangeWeights(Foreign.@Nullable Row foreign, List<Server> servers) {
        return foreign != null
                && !foreign.has(Trait.WEIGHTS)
                && servers.stream().anyMatch(server -> server.weight() != 1);
    }

    private static boolean hasLongName(Foreign.@Nullable Row foreign, List<Server> servers) {
        return foreign != null
                && servers.stream()
                        .anyMatch(
                                server ->
                                        DirectiveValue.bytesCount(server.name())
                                                > foreign.nameBytesMax());
    }

    private static boolean hasManyPoints(Foreign.@Nullable Row foreign, List<Server> servers) {
        return foreign != null
                && foreign.has(Trait.MANY_POINTS)
                && servers.stream().mapToLong(Server::weight).sum() > Limits.POOL_SERVERS_MAX;
    }

    private static boolean lacksSlots(Foreign.@Nullable Row foreign, List<Server> servers) {
        return foreign != null
                && foreign.has(Trait.SLOTS)
                && servers.stream().mapToLong(Server::weight).sum() < Foreign.SLOTS;
    }

    private boolean hasTwoAddresses() {
        Map<String, String> addresses = new HashMap<>();
        servers.forEach(server -> addresses.put(server.name(), server.address()));
        return oldServers.stream()
                .anyMatch(
                        server ->
                                !addresses
                                        .getOrDefault(server.name(), server.address())
                                        .equals(server.address()));
    }

    private boolean hasServer(Predicate<Server> isSuch) {
        return servers.stream().anyMatch(isSuch);
    }
}
