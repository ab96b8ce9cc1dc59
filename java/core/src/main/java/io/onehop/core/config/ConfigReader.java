package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.Directive.Fault;
import io.onehop.core.topology.Server;
import io.onehop.core.topology.ServerPool;

import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The third pass over a configuration. In: YAML events. Out: server pools, or the first error in
 * document order.
 *
 * <p>It reads events, not objects: nutcracker knows no YAML types, so {@code 010}, {@code ~} and
 * {@code yes} are texts like any other. It visits the nodes once, from top to bottom, and anything
 * unexpected ends the visit. Implements spec/config, sections 4, 5 and 7.
 */
final class ConfigReader {
    private final Iterator<Event> events;
    private final Map<String, ServerPool> pools = new LinkedHashMap<>();

    /** The pool that listens on an address. */
    private final Map<String, String> listeners = new HashMap<>();

    private ConfigReader(List<Event> events) {
        this.events = events.iterator();
    }

    /** The pools of a YAML text, in its order. */
    static Map<String, ServerPool> read(List<Event> events) throws ConfigException {
        ConfigReader reader = new ConfigReader(events);
        reader.readStream();
        return reader.pools;
    }

    private void readStream() throws ConfigException {
        events.next();
        Event first = events.next();
        if (!(first instanceof DocumentStartEvent)) {
            throw new ConfigException(1, "there is no server pool");
        }
        checkMarker(first);
        readDocument();
        checkMarker(events.next());
        checkMarker(events.next());
    }

    private static void checkMarker(Event event) throws ConfigException {
        if (event instanceof DocumentStartEvent start && start.isExplicit()
                || event instanceof DocumentEndEvent end && end.isExplicit()) {
            throw new ConfigException(line(event), "document markers and % lines are not allowed");
        }
    }

    private void readDocument() throws ConfigException {
        Event root = events.next();
        checkNode(root, line(root));
        if (!(root instanceof MappingStartEvent)) {
            throw new ConfigException(line(root), "the document is not a mapping of server pools");
        }
        for (Event name = events.next(); name instanceof NodeEvent; name = events.next()) {
            readPool(name);
        }
    }

    private void readPool(Event nameNode) throws ConfigException {
        int line = line(nameNode);
        String name = scalar(nameNode, line, "the name of a server pool is not a scalar");
        if (name.isEmpty()) {
            throw new ConfigException(line, "the name of a server pool is empty");
        }
        if (Directive.bytesCount(name) > Limits.POOL_NAME_BYTES_MAX) {
            throw new ConfigException(
                    line,
                    "the name of a server pool is longer than "
                            + Limits.POOL_NAME_BYTES_MAX
                            + " bytes");
        }
        if (pools.containsKey(name)) {
            throw new ConfigException(line, "server pool \"" + shown(name) + "\" is a duplicate");
        }
        if (pools.size() == Limits.CONFIG_POOLS_MAX) {
            throw new ConfigException(
                    line, "there are more than " + Limits.CONFIG_POOLS_MAX + " server pools");
        }
        Event value = events.next();
        checkNode(value, line);
        if (!(value instanceof MappingStartEvent)) {
            throw new ConfigException(
                    line, "server pool \"" + shown(name) + "\" is not a mapping of directives");
        }
        pools.put(name, readDirectives(name, line));
    }

    private ServerPool readDirectives(String pool, int poolLine) throws ConfigException {
        Map<Directive, Object> values = new EnumMap<>(Directive.class);
        List<Server> servers = new ArrayList<>();
        for (Event name = events.next(); name instanceof NodeEvent; name = events.next()) {
            Directive directive = directive(name, values.keySet());
            values.put(directive, readValue(directive, line(name), pool, servers));
        }
        ConfigPool.check(values, servers, poolLine);
        return new ServerPool(pool, poolLine, values, servers);
    }

    private static Directive directive(Event nameNode, Set<Directive> seen) throws ConfigException {
        int line = line(nameNode);
        String name = scalar(nameNode, line, "the name of a directive is not a scalar");
        Directive directive = Directive.named(name);
        if (directive == null) {
            throw new ConfigException(line, "directive \"" + shown(name) + "\" is unknown");
        }
        if (seen.contains(directive)) {
            throw new ConfigException(line, directive.fault("is a duplicate").reason());
        }
        return directive;
    }

    private Object readValue(Directive directive, int line, String pool, List<Server> servers)
            throws ConfigException {
        Event node = events.next();
        checkNode(node, line);
        String name = "directive \"" + directive.label() + "\" ";
        if (node instanceof ScalarEvent scalar && scalar.getValue().isEmpty()) {
            throw new ConfigException(line, name + "has no value");
        }
        if (directive == Directive.SERVERS) {
            if (!(node instanceof SequenceStartEvent)) {
                throw new ConfigException(line, name + "is not a sequence");
            }
            readServers(servers);
            return servers;
        }
        if (!(node instanceof ScalarEvent scalar)) {
            throw new ConfigException(line, name + "is not a scalar");
        }
        return value(pool, directive, scalar.getValue(), line);
    }

    private Object value(String pool, Directive directive, String text, int line)
            throws ConfigException {
        try {
            Object value = directive.read(text);
            String other = directive == Directive.LISTEN ? listeners.putIfAbsent(text, pool) : null;
            if (other != null) {
                throw directive.fault("is the same as in server pool \"" + shown(other) + "\"");
            }
            return value;
        } catch (Fault fault) {
            throw new ConfigException(
                    line, fault.getMessage() + (directive.isSecret() ? "" : about(text)));
        }
    }

    private void readServers(List<Server> servers) throws ConfigException {
        Set<String> names = new HashSet<>();
        long weights = 0;
        for (Event item = events.next(); item instanceof NodeEvent; item = events.next()) {
            int line = line(item);
            if (servers.size() == Limits.POOL_SERVERS_MAX) {
                throw new ConfigException(
                        line, "there are more than " + Limits.POOL_SERVERS_MAX + " servers");
            }
            Server server = server(item, line);
            if (!names.add(server.name())) {
                throw new ConfigException(
                        line, "server \"" + shown(server.name()) + "\" is a duplicate");
            }
            weights += server.weight();
            if (weights > Limits.WEIGHTS_SUM_MAX) {
                throw new ConfigException(
                        line, "the weights add up to more than " + Limits.WEIGHTS_SUM_MAX);
            }
            servers.add(server);
        }
    }

    private static Server server(Event item, int line) throws ConfigException {
        String text = scalar(item, line, "the server is not a scalar");
        if (text.isEmpty()) {
            throw new ConfigException(line, "the server is empty");
        }
        try {
            return ServerSpelling.read(text, line);
        } catch (Fault fault) {
            throw new ConfigException(line, fault.getMessage() + about(text));
        }
    }

    private static String scalar(Event node, int line, String otherwise) throws ConfigException {
        checkNode(node, line);
        if (node instanceof ScalarEvent scalar) {
            return scalar.getValue();
        }
        throw new ConfigException(line, otherwise);
    }

    /** What no node may have, at any depth. */
    private static void checkNode(Event node, int line) throws ConfigException {
        boolean isTagged =
                node instanceof ScalarEvent scalar && scalar.getTag().isPresent()
                        || node instanceof CollectionStartEvent collection
                                && collection.getTag().isPresent();
        if (node instanceof AliasEvent
                || isTagged
                || node instanceof NodeEvent any && any.getAnchor().isPresent()) {
            throw new ConfigException(line, "anchors, aliases and tags are not allowed");
        }
        if (node instanceof CollectionStartEvent collection && collection.isFlow()) {
            throw new ConfigException(line, "flow style is not allowed");
        }
        if (node instanceof ScalarEvent scalar) {
            checkScalar(scalar, line);
        }
    }

    private static void checkScalar(ScalarEvent scalar, int line) throws ConfigException {
        if (scalar.isLiteral() || scalar.isFolded()) {
            throw new ConfigException(line, "block scalars are not allowed");
        }
        OptionalInt wrong =
                scalar.getValue().codePoints().filter(c -> !ConfigText.isAllowed(c)).findFirst();
        if (wrong.isPresent()) {
            throw new ConfigException(line, ConfigText.notAllowed(wrong.getAsInt()));
        }
    }

    private static int line(Event event) {
        return event.getStartMark().orElseThrow().getLine() + 1;
    }

    /**
     * The end of a reason: the value that it is about, unless a password may be part of it, as in a
     * URL.
     */
    private static String about(String value) {
        return value.contains("@") ? "" : ": \"" + shown(value) + "\"";
    }

    /** A name as a reason shows it: its first bytes, and nothing that could spoil a log. */
    static String shown(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(bytes.length, Limits.SHOWN_BYTES_MAX); i++) {
            boolean isPlain =
                    bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '"' && bytes[i] != '\\';
            shown.append(
                    isPlain
                            ? String.valueOf((char) bytes[i])
                            : String.format("\\x%02x", bytes[i] & 0xff));
        }
        return bytes.length > Limits.SHOWN_BYTES_MAX ? shown + "..." : shown.toString();
    }
}
