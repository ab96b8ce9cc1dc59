package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.config.ConfigErrors.Place;
import io.onehop.core.topology.Directive;
import io.onehop.core.topology.DirectiveValue;
import io.onehop.core.topology.ServerPool;

import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The third pass over a configuration. In: YAML events. Out: server pools, or all errors.
 *
 * <p>The reader takes events, not objects: nutcracker knows no YAML types, so {@code 010}, {@code
 * ~} and {@code yes} are texts like any other. It visits the nodes once, from top to bottom. If a
 * node has an error, it skips the node with all that is in it, and goes on. The values of a pool
 * are interpreted at its end, by {@link ConfigPool}. Implements spec/config, section 5.
 */
final class ConfigReader {
    private final Iterator<Event> events;
    private final Variables variables;
    private final ConfigErrors errors = new ConfigErrors();
    private final Set<String> names = new HashSet<>();
    private final Map<String, ServerPool> pools = new LinkedHashMap<>();

    /** By address, the pool that listens on it. */
    private final Map<String, String> listeners = new HashMap<>();

    /** True if one of the pools is a OneHop pool. The rules for the whole text depend on it. */
    private boolean isOwn;

    /** Adds the error of the first document marker or flow style. A OneHop text may have both. */
    private @Nullable Runnable offenceOfNutcracker;

    /** Add the errors that only a OneHop text has. */
    private final List<Runnable> offencesOfOneHop = new ArrayList<>();

    private ConfigReader(List<Event> events, Variables variables) {
        this.events = events.iterator();
        this.variables = variables;
    }

    /** The pools of a YAML text, in its order. */
    static Map<String, ServerPool> read(
            List<Event> events, Function<String, @Nullable String> environment)
            throws ConfigException {
        ConfigReader reader = new ConfigReader(events, new Variables(environment));
        reader.readStream();
        reader.addOffences();
        reader.errors.check();
        return reader.pools;
    }

    /* ---- The document ---- */

    private void readStream() {
        events.next();
        Event first = events.next();
        if (!(first instanceof DocumentStartEvent start)) {
            errors.add(1, "there is no server pool");
            return;
        }
        checkMarker(start, start.isExplicit());
        if (start.getSpecVersion().isPresent() || !start.getTags().isEmpty()) {
            offencesOfOneHop.add(later(line(start), "% lines are not allowed"));
        }
        if (!readDocument()) {
            return;
        }
        DocumentEndEvent end = (DocumentEndEvent) events.next();
        checkMarker(end, end.isExplicit());
        Event following = events.next();
        if (following instanceof DocumentStartEvent second) {
            checkMarker(second, true);
            offencesOfOneHop.add(later(line(second), "there is more than one document"));
        }
    }

    private void checkMarker(Event event, boolean isExplicit) {
        if (isExplicit) {
            refuseAsNutcracker(line(event), "document markers and % lines are not allowed");
        }
    }

    private void refuseAsNutcracker(int line, String reason) {
        if (offenceOfNutcracker == null) {
            offenceOfNutcracker = later(line, reason);
        }
    }

    private Runnable later(int line, String reason) {
        Place place = errors.place(line);
        return () -> errors.add(place, () -> reason);
    }

    private void addOffences() {
        if (isOwn) {
            offencesOfOneHop.forEach(Runnable::run);
        } else if (offenceOfNutcracker != null) {
            offenceOfNutcracker.run();
        }
    }

    /** False if there are too many pools; then the visit ends. */
    private boolean readDocument() {
        Event root = events.next();
        int line = line(root);
        if (!isNode(root, line)) {
            return true;
        }
        if (!(root instanceof MappingStartEvent)) {
            refuse(root, line, "the document is not a mapping of server pools");
            return true;
        }
        for (Event name = events.next(); name instanceof NodeEvent; name = events.next()) {
            if (!readPool(name)) {
                return false;
            }
        }
        return true;
    }

    private boolean readPool(Event nameNode) {
        int line = line(nameNode);
        String name = scalar(nameNode, line, "the name of a server pool is not a scalar");
        if (name == null || !isPoolName(name, line)) {
            skip(events.next());
            return true;
        }
        if (names.size() == Limits.CONFIG_POOLS_MAX) {
            errors.add(line, "there are more than " + Limits.CONFIG_POOLS_MAX + " server pools");
            return false;
        }
        names.add(name);
        Event value = events.next();
        if (!isNode(value, line)) {
            return true;
        }
        if (!(value instanceof MappingStartEvent)) {
            refuse(
                    value,
                    line,
                    "server pool \"" + Shown.name(name) + "\" is not a mapping of directives");
            return true;
        }
        ConfigPool pool = new ConfigPool(name, line, errors);
        for (Event each = events.next(); each instanceof NodeEvent; each = events.next()) {
            readDirective(each, pool);
        }
        isOwn |= pool.isOwn();
        pools.put(name, pool.read(variables, listeners));
        return true;
    }

    private boolean isPoolName(String name, int line) {
        if (name.isEmpty()) {
            errors.add(line, "the name of a server pool is empty");
        } else if (DirectiveValue.bytesCount(name) > Limits.POOL_NAME_BYTES_MAX) {
            errors.add(
                    line,
                    "the name of a server pool is longer than "
                            + Limits.POOL_NAME_BYTES_MAX
                            + " bytes");
        } else if (names.contains(name)) {
            errors.add(line, () -> "server pool \"" + Shown.name(name) + "\" is a duplicate");
        } else {
            return true;
        }
        return false;
    }

    /* ---- A pool ---- */

    private void readDirective(Event nameNode, ConfigPool pool) {
        int line = line(nameNode);
        Directive directive = directive(nameNode, line, pool);
        Event value = events.next();
        if (directive == null) {
            skip(value);
        } else if (isNode(value, line)) {
            readValue(directive, value, line, pool);
        }
    }

    /** The directive of that name, or {@code null} after an error. */
    private @Nullable Directive directive(Event nameNode, int line, ConfigPool pool) {
        String name = scalar(nameNode, line, "the name of a directive is not a scalar");
        if (name == null) {
            return null;
        }
        Directive directive = Directive.named(name);
        if (directive == null) {
            errors.add(line, () -> unknown(name));
        } else if (!pool.begin(directive, line)) {
            errors.add(line, directive.subject() + " is a duplicate");
            return null;
        }
        return directive;
    }

    private static String unknown(String name) {
        List<String> names = Stream.of(Directive.values()).map(Directive::label).toList();
        return "directive \"" + Shown.name(name) + "\" is unknown" + NearWord.of(name, names);
    }

    private void readValue(Directive directive, Event node, int line, ConfigPool pool) {
        if (node instanceof ScalarEvent scalar && scalar.getValue().isEmpty()) {
            errors.add(line, directive.subject() + " has no value");
        } else if (!directive.isSequence()) {
            if (node instanceof ScalarEvent scalar) {
                pool.spell(directive, scalar.getValue(), line);
            } else {
                refuse(
                        node,
                        line,
                        directive.subject() + " is not a scalar: put its value in quotes");
            }
        } else if (node instanceof SequenceStartEvent) {
            readItems(directive, line, pool);
        } else {
            refuse(
                    node,
                    line,
                    directive.subject() + " is not a sequence: begin each item with \"- \"");
        }
    }

    private void readItems(Directive directive, int line, ConfigPool pool) {
        Event item = events.next();
        if (!(item instanceof NodeEvent)) {
            errors.add(line, directive.subject() + " has no value");
        }
        boolean areTooMany = false;
        for (; item instanceof NodeEvent; item = events.next()) {
            if (areTooMany) {
                skip(item);
            } else {
                areTooMany = !readItem(directive, item, pool);
            }
        }
    }

    /** False if there are too many items; then the visit of this sequence ends. */
    private boolean readItem(Directive directive, Event item, ConfigPool pool) {
        int line = line(item);
        if (!isNode(item, line)) {
            return true;
        }
        if (!pool.mayHaveMore(directive)) {
            refuse(
                    item,
                    line,
                    "there are more than " + directive.itemsMax() + " " + directive.item() + "s");
            return false;
        }
        if (item instanceof ScalarEvent scalar) {
            pool.spellItem(directive, scalar.getValue(), line);
        } else {
            refuse(
                    item,
                    line,
                    "the " + directive.item() + " is not a scalar: write it as one text");
        }
        return true;
    }

    /* ---- Nodes ---- */

    /** The text of a node, or {@code null} after an error. */
    private @Nullable String scalar(Event node, int line, String otherwise) {
        if (!isNode(node, line)) {
            return null;
        }
        if (node instanceof ScalarEvent scalar) {
            return scalar.getValue();
        }
        refuse(node, line, otherwise);
        return null;
    }

    /** Adds an error of this node, and skips what is in it. */
    private void refuse(Event node, int line, String reason) {
        errors.add(line, reason);
        skip(node);
    }

    /** Skips what is in a node. */
    private void skip(Event node) {
        int depth = node instanceof CollectionStartEvent ? 1 : 0;
        while (depth > 0) {
            Event inside = events.next();
            depth += inside instanceof CollectionStartEvent ? 1 : 0;
            depth -= inside instanceof CollectionEndEvent ? 1 : 0;
        }
    }

    /**
     * Checks what no node may have, at any depth. After an error returns false, and the node is
     * skipped.
     */
    private boolean isNode(Event node, int line) {
        String offence = offence(node);
        if (offence != null) {
            refuse(node, line, offence);
            return false;
        }
        if (node instanceof CollectionStartEvent collection && collection.isFlow()) {
            refuseAsNutcracker(line, "flow style is not allowed");
        }
        return true;
    }

    private static @Nullable String offence(Event node) {
        boolean isTagged =
                node instanceof ScalarEvent scalar && scalar.getTag().isPresent()
                        || node instanceof CollectionStartEvent collection
                                && collection.getTag().isPresent();
        if (node instanceof AliasEvent
                || isTagged
                || node instanceof NodeEvent any && any.getAnchor().isPresent()) {
            return "anchors, aliases and tags are not allowed";
        }
        return node instanceof ScalarEvent scalar ? offence(scalar) : null;
    }

    private static @Nullable String offence(ScalarEvent scalar) {
        if (scalar.isLiteral() || scalar.isFolded()) {
            return "block scalars are not allowed";
        }
        OptionalInt wrong =
                scalar.getValue().codePoints().filter(c -> !ConfigText.isAllowed(c)).findFirst();
        return wrong.isPresent() ? ConfigText.notAllowed(wrong.getAsInt()) : null;
    }

    private static int line(Event event) {
        return event.getStartMark().orElseThrow().getLine() + 1;
    }
}
