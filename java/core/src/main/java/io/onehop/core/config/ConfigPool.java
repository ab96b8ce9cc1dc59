package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.Directive.Fault;
import io.onehop.core.topology.Replica;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A pool while it is read. In: its directives and servers as the text spells them. Out: a server
 * pool, and errors.
 *
 * <p>Values are understood at the end of the pool, because any directive may make it a OneHop pool:
 * first the directives in the order of the text, then the servers, then what goes together.
 * Implements spec/config, sections 5 and 6.
 */
final class ConfigPool {

    /** A text and its line. */
    private record Spelled(String text, int line) {}

    private final String name;
    private final int line;
    private final ConfigErrors errors;
    private final int errorsBefore;

    private final Set<Directive> seen = EnumSet.noneOf(Directive.class);
    private final Map<Directive, Spelled> spelled = new LinkedHashMap<>();
    private final Map<Directive, List<Spelled>> spelledItems = new EnumMap<>(Directive.class);
    private boolean isOwn;

    private final Map<Directive, Object> values = new EnumMap<>(Directive.class);
    private final List<Server> servers = new ArrayList<>();
    private final List<Server> sentinels = new ArrayList<>();
    private final List<Replica> replicas = new ArrayList<>();

    ConfigPool(String name, int line, ConfigErrors errors) {
        this.name = name;
        this.line = line;
        this.errors = errors;
        this.errorsBefore = errors.count();
    }

    /* ---- What the text spells ---- */

    /** False if the pool already has this directive. */
    boolean begin(Directive directive) {
        isOwn |= directive.isOwn();
        return seen.add(directive);
    }

    void spell(Directive directive, String text, int at) {
        spelled.put(directive, new Spelled(text, at));
    }

    /** How many items this directive, which is a sequence, may have. */
    static int itemsMax(Directive directive) {
        return directive == Directive.SENTINELS
                ? Limits.POOL_SENTINELS_MAX
                : Limits.POOL_SERVERS_MAX;
    }

    /** False if the directive already has as many items as it may have. */
    boolean mayHaveMore(Directive directive) {
        return items(directive).size() < itemsMax(directive);
    }

    /** An item of a directive that is a sequence. */
    void spellItem(Directive directive, String text, int at) {
        spelledItems
                .computeIfAbsent(directive, key -> new ArrayList<>())
                .add(new Spelled(text, at));
    }

    private List<Spelled> items(Directive directive) {
        return spelledItems.getOrDefault(directive, List.of());
    }

    /** True if this is a OneHop pool: it has a directive that nutcracker rejects. */
    boolean isOwn() {
        return isOwn;
    }

    /* ---- What it means ---- */

    /** The server pool. {@code listeners}: by address, the pools before this one that listen. */
    ServerPool read(Variables variables, Map<String, String> listeners) {
        spelled.forEach((directive, value) -> readValue(directive, value, variables, listeners));
        readServers(variables);
        items(Directive.SENTINELS).forEach(item -> readSentinel(item, variables));
        items(Directive.REPLICAS).forEach(item -> readReplica(item, variables));
        if (isOwn) {
            values.putIfAbsent(Directive.REDIS, true);
        }
        if (seen.contains(Directive.SENTINELS)) {
            values.putIfAbsent(Directive.SENTINEL_TLS, values.getOrDefault(Directive.TLS, false));
        }
        boolean isWhole = errors.count() == errorsBefore;
        new ConfigRules(errors, line, seen, values, servers, isWhole).check(isOwn);
        boolean isPasswordInText =
                isInText(Directive.REDIS_AUTH)
                        || isInText(Directive.TLS_KEY_FILE_PASS)
                        || isInText(Directive.SENTINEL_PASSWORD);
        return new ServerPool(name, line, values, servers, sentinels, replicas, isPasswordInText);
    }

    private void readValue(
            Directive directive,
            Spelled value,
            Variables variables,
            Map<String, String> listeners) {
        String text = replaced(value, directive.subject(), variables);
        if (text == null) {
            return;
        }
        try {
            Object read = directive.read(text);
            String other = directive == Directive.LISTEN ? listeners.putIfAbsent(text, name) : null;
            if (other != null) {
                throw directive.fault(
                        "is the same as in server pool \"" + Shown.name(other) + "\"");
            }
            values.put(directive, read);
        } catch (Fault fault) {
            errors.add(value.line(), () -> fault.reason() + ending(directive, value, text));
        }
    }

    /** The end of a reason about a value: the value, and the word that was probably meant. */
    private String ending(Directive directive, Spelled value, String text) {
        boolean varies = varies(value);
        return (directive.isHidden() ? "" : Shown.about(varies ? value.text() : text))
                + (varies ? "" : NearWord.of(text, directive.words()));
    }

    private void readServers(Variables variables) {
        Set<String> names = new HashSet<>();
        long weights = 0;
        for (Spelled item : items(Directive.SERVERS)) {
            Server server = readServer(item, variables);
            if (server == null) {
                continue;
            }
            if (names.contains(server.name())) {
                String told = Shown.name(varies(item) ? item.text() : server.name());
                errors.add(item.line(), "server \"" + told + "\" is a duplicate");
            } else if (weights + server.weight() > Limits.WEIGHTS_SUM_MAX) {
                errors.add(
                        item.line(), "the weights add up to more than " + Limits.WEIGHTS_SUM_MAX);
            } else {
                names.add(server.name());
                weights += server.weight();
                servers.add(server);
            }
        }
    }

    private @Nullable Server readServer(Spelled item, Variables variables) {
        String text = replaced(item, "the server", variables);
        if (text == null) {
            return null;
        }
        if (text.isEmpty()) {
            errors.add(item.line(), "the server is empty");
            return null;
        }
        try {
            return isOwn
                    ? ServerSpelling.readOwn(text, item.line())
                    : ServerSpelling.read(text, item.line());
        } catch (Fault fault) {
            String told = varies(item) ? item.text() : text;
            errors.add(item.line(), () -> fault.reason() + Shown.about(told));
            return null;
        }
    }

    private void readSentinel(Spelled item, Variables variables) {
        if (item.text().isEmpty()) {
            errors.add(item.line(), "the sentinel is empty");
            return;
        }
        String text = replaced(item, "the sentinel", variables);
        if (text == null) {
            return;
        }
        String told = varies(item) ? item.text() : null;
        try {
            Server sentinel = ServerSpelling.readSentinel(text, item.line());
            if (sentinels.stream().anyMatch(other -> other.name().equals(sentinel.name()))) {
                String shown = Shown.name(told != null ? told : sentinel.name());
                errors.add(item.line(), "sentinel \"" + shown + "\" is a duplicate");
            } else {
                sentinels.add(sentinel);
            }
        } catch (Fault fault) {
            errors.add(item.line(), () -> fault.reason() + Shown.about(told != null ? told : text));
        }
    }

    private void readReplica(Spelled item, Variables variables) {
        if (item.text().isEmpty()) {
            errors.add(item.line(), "the replica is empty");
            return;
        }
        String text = replaced(item, "the replica", variables);
        if (text == null) {
            return;
        }
        String told = varies(item) ? item.text() : null;
        try {
            addReplica(ServerSpelling.readReplica(text), item, told != null ? told : text, told);
        } catch (Fault fault) {
            errors.add(item.line(), () -> fault.reason() + Shown.about(told != null ? told : text));
        }
    }

    /** {@code told}: the text as an error may show it if it has variables. */
    private void addReplica(Replica replica, Spelled item, String shown, @Nullable String told) {
        if (servers.stream().noneMatch(server -> server.name().equals(replica.master()))) {
            if (errors.count() == errorsBefore) {
                errors.add(
                        item.line(),
                        "the replica is of no server of this pool" + Shown.about(shown));
            }
            return;
        }
        String name = replica.name();
        boolean isTaken =
                servers.stream().anyMatch(server -> server.name().equals(name))
                        || replicas.stream().anyMatch(other -> other.name().equals(name));
        if (isTaken) {
            errors.add(
                    item.line(),
                    "replica \"" + Shown.name(told != null ? told : name) + "\" is a duplicate");
        } else {
            replicas.add(replica);
        }
    }

    /* ---- Variables ---- */

    /** The text with its variables replaced, or {@code null} after an error. */
    private @Nullable String replaced(Spelled value, String subject, Variables variables) {
        if (!isOwn) {
            return value.text();
        }
        try {
            return variables.replacedIn(value.text(), subject);
        } catch (Fault fault) {
            errors.add(value.line(), fault.reason());
            return null;
        }
    }

    /** True if the directive is set, and no part of its value is the environment's. */
    private boolean isInText(Directive directive) {
        Spelled value = spelled.get(directive);
        return value != null && !varies(value);
    }

    /** True if a part of the value is the environment's, which must not be shown. */
    private boolean varies(Spelled value) {
        return isOwn && Variables.areIn(value.text());
    }
}
