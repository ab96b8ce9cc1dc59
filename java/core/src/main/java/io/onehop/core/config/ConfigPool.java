package io.onehop.core.config;

import io.onehop.core.Distribution;
import io.onehop.core.base.Limits;
import io.onehop.core.placement.Foreign;
import io.onehop.core.placement.ForeignRows;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue.Fault;
import io.onehop.core.topology.DirectiveValue.Trait;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.Server.Replica;
import io.onehop.core.topology.ServerPool;
import io.onehop.core.topology.Zone;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A pool while it is read. In: the directives of the pool as the text spells them, and the items of
 * directives that are sequences. Out: a server pool, and errors.
 *
 * <p>Values are interpreted at the end of the pool, because any directive may make it a OneHop
 * pool. The scalars come first, in the order of the text; then the servers, Sentinels, replicas and
 * zones; then the rules for the whole pool. Implements spec/config, sections 5 and 6.
 */
final class ConfigPool {

    /** A text and its line. */
    private record Spelled(String text, int line) {}

    private final String name;
    private final int line;
    private final ConfigErrors errors;
    private final int errorsBefore;

    // Each with its line.
    private final Map<Directive, Integer> seen = new EnumMap<>(Directive.class);
    private final Map<Directive, Spelled> spelled = new LinkedHashMap<>();
    private final Map<Directive, List<Spelled>> spelledItems = new EnumMap<>(Directive.class);
    private boolean isOwn;

    private final Map<Directive, Object> values = new EnumMap<>(Directive.class);
    private final ConfigServers servers = new ConfigServers();
    private final ConfigServers oldServers = new ConfigServers(); // The servers of moving_from.
    private final List<Server> sentinels = new ArrayList<>();
    private final Set<String> sentinelNames = new HashSet<>();
    private final List<Replica> replicas = new ArrayList<>();
    private final Set<String> replicaNames = new HashSet<>();
    private final Map<String, String> zones = new HashMap<>(); // The zone of each host.

    ConfigPool(String name, int line, ConfigErrors errors) {
        this.name = name;
        this.line = line;
        this.errors = errors;
        this.errorsBefore = errors.count();
    }

    /* ---- What the text spells ---- */

    /** False if the pool already has this directive. */
    boolean begin(Directive directive, int at) {
        isOwn |= directive.is(Trait.OWN);
        return seen.putIfAbsent(directive, at) == null;
    }

    void spell(Directive directive, String text, int at) {
        spelled.put(directive, new Spelled(text, at));
    }

    /** False if the directive already has as many items as it may have. */
    boolean mayHaveMore(Directive directive) {
        return items(directive).size() < directive.itemsMax();
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

    /**
     * The server pool. {@code listeners}: the pools before this one that listen, by their
     * addresses.
     */
    ServerPool read(Variables variables, Map<String, String> listeners) {
        spelled.forEach((directive, value) -> readValue(directive, value, variables, listeners));
        readItems(Directive.SERVERS, variables, this::readServer);
        readItems(Directive.SENTINELS, variables, this::readSentinel);
        readItems(Directive.REPLICAS, variables, this::readReplica);
        readItems(Directive.MOVING_FROM, variables, this::readOldServer);
        readItems(Directive.HOST_ZONES, variables, this::readHostZone);
        if (isOwn) {
            values.putIfAbsent(Directive.REDIS, true);
        }
        if (seen.containsKey(Directive.SENTINELS)) {
            values.putIfAbsent(Directive.SENTINEL_TLS, values.getOrDefault(Directive.TLS, false));
        }
        boolean isWhole = errors.count() == errorsBefore;
        new ConfigRules(errors, line, isOwn, seen, values, servers.all(), oldServers.all())
                .check(isWhole);
        boolean isPasswordInText = Directive.with(Trait.SECRET).stream().anyMatch(this::isInText);
        ServerPool pool =
                new ServerPool(
                        name,
                        line,
                        values,
                        servers.all(),
                        sentinels,
                        replicas,
                        zone(),
                        isPasswordInText);
        return oldServers.all().isEmpty() ? pool : pool.withOldServers(oldServers.all());
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
        return (directive.is(Trait.HIDDEN) ? "" : Shown.about(shown(value, text)))
                + (varies(value) ? "" : NearWord.of(text, directive.words()));
    }

    private interface ItemReader {
        /** Keeps what an item says: its text with variables replaced. */
        void read(String text, Spelled item) throws Fault;
    }

    private void readItems(Directive directive, Variables variables, ItemReader reader) {
        String subject = "the " + directive.item();
        for (Spelled item : items(directive)) {
            String text = replaced(item, subject, variables);
            if (text == null) {
                continue;
            }
            if (text.isEmpty()) {
                errors.add(item.line(), subject + " is empty");
                continue;
            }
            try {
                reader.read(text, item);
            } catch (Fault fault) {
                errors.add(item.line(), () -> fault.reason() + Shown.about(shown(item, text)));
            }
        }
    }

    private void readServer(String text, Spelled item) throws Fault {
        readServer(text, item, Directive.SERVERS, servers, Directive.DISTRIBUTION);
    }

    /**
     * Reads a server of the old ring. If that ring has no distribution of its own, it has the
     * pool's.
     */
    private void readOldServer(String text, Spelled item) throws Fault {
        boolean hasOwn = values.containsKey(Directive.MOVING_FROM_DISTRIBUTION);
        readServer(
                text,
                item,
                Directive.MOVING_FROM,
                oldServers,
                hasOwn ? Directive.MOVING_FROM_DISTRIBUTION : Directive.DISTRIBUTION);
    }

    private void readServer(
            String text,
            Spelled item,
            Directive directive,
            ConfigServers taken,
            Directive distribution)
            throws Fault {
        Foreign.Row foreign =
                values.get(distribution) instanceof Distribution named
                        ? ForeignRows.of(named)
                        : null;
        Server server =
                isOwn
                        ? ServerSpelling.readOwn(text, item.line(), foreign)
                        : ServerSpelling.read(text, item.line());
        if (taken.has(server.name())) {
            addDuplicate(directive, item, server.name());
        } else if (taken.hasSlotOf(server)) {
            throw new Fault("the server has a slot of another server");
        } else if (!taken.add(server)) {
            errors.add(item.line(), "the weights add up to more than " + Limits.WEIGHTS_SUM_MAX);
        }
    }

    private void readSentinel(String text, Spelled item) throws Fault {
        Server sentinel = ServerSpelling.readSentinel(text, item.line());
        if (sentinelNames.add(sentinel.name())) {
            sentinels.add(sentinel);
        } else {
            addDuplicate(Directive.SENTINELS, item, sentinel.name());
        }
    }

    private void readReplica(String text, Spelled item) throws Fault {
        Replica replica = ServerSpelling.readReplica(text);
        if (!servers.has(replica.master())) {
            if (errors.count() == errorsBefore) {
                throw new Fault("the replica is of no server of this pool");
            }
        } else if (servers.has(replica.name()) || !replicaNames.add(replica.name())) {
            addDuplicate(Directive.REPLICAS, item, replica.name());
        } else {
            replicas.add(replica);
        }
    }

    private void readHostZone(String text, Spelled item) throws Fault {
        ServerSpelling.HostZone read = ServerSpelling.readHostZone(text);
        if (zones.putIfAbsent(read.host(), read.zone()) != null) {
            addDuplicate(Directive.HOST_ZONES, item, read.host());
        }
    }

    private void addDuplicate(Directive directive, Spelled item, String name) {
        errors.add(
                item.line(),
                directive.item() + " \"" + Shown.name(shown(item, name)) + "\" is a duplicate");
    }

    /** The zone of the pool, with the hosts that are in it according to the text. */
    private Zone zone() {
        if (!(values.get(Directive.ZONE) instanceof String name)) {
            return Zone.NONE;
        }
        Set<String> hosts =
                zones.entrySet().stream()
                        .filter(each -> each.getValue().equals(name))
                        .map(Map.Entry::getKey)
                        .collect(Collectors.toUnmodifiableSet());
        return new Zone(name, hosts);
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

    /** True if the directive is set, and no part of its value comes from the environment. */
    private boolean isInText(Directive directive) {
        Spelled value = spelled.get(directive);
        return value != null && !varies(value);
    }

    /** True if a part of the value comes from the environment, which must not be shown. */
    private boolean varies(Spelled value) {
        return isOwn && Variables.areIn(value.text());
    }

    /**
     * Returns {@code text}. But if a part of it comes from the environment, returns the value as
     * spelled.
     */
    private String shown(Spelled value, String text) {
        return varies(value) ? value.text() : text;
    }

    /**
     * The servers of a list that is being read. Their names, slots and weights limit which servers
     * may follow.
     */
    static final class ConfigServers {
        private final List<Server> servers = new ArrayList<>();
        private final Set<String> names = new HashSet<>();
        private long weights; // The sum of all weights.

        /** The servers without an error, in the order of the file. */
        List<Server> all() {
            return servers;
        }

        boolean has(String name) {
            return names.contains(name);
        }

        /** True if one of them has a slot of this server. */
        boolean hasSlotOf(Server server) {
            return servers.stream().anyMatch(each -> each.slots().intersects(server.slots()));
        }

        /** False if the sum of the weights would be too large. */
        boolean add(Server server) {
            if (weights + server.weight() > Limits.WEIGHTS_SUM_MAX) {
                return false;
            }
            names.add(server.name());
            weights += server.weight();
            servers.add(server);
            return true;
        }
    }
}
