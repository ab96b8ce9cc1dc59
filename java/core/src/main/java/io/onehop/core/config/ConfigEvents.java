package io.onehop.core.config;

import io.onehop.core.base.Limits;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The second pass over a configuration. In: characters. Out: YAML events, or the line where the
 * text is not YAML.
 *
 * <p>The whole text is read before anything is made of it. Implements spec/config, section 3.
 */
final class ConfigEvents {
    private static final String REASON = "the text is not valid YAML";

    private ConfigEvents() {}

    static List<Event> of(String text) throws ConfigException {
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(Limits.CONFIG_BYTES_MAX + 1).build();
        // libyaml ends the last line. So if something is missing at the end of the text, the
        // error is on the line after it.
        String ended = text.endsWith("\n") || text.endsWith("\r") ? text : text + "\n";
        try {
            return read(new ParserImpl(settings, new ConfigScanner(settings, ended)));
        } catch (MarkedYamlEngineException problem) {
            throw new ConfigException(line(problem.getProblemMark()), REASON);
        } catch (RuntimeException problem) {
            // Whatever a hostile text provokes inside the library, the caller only learns that
            // the text is not YAML.
            throw new ConfigException(1, REASON);
        }
    }

    private static List<Event> read(Iterator<Event> parser) throws ConfigException {
        List<Event> events = new ArrayList<>();
        int depth = 0;
        while (parser.hasNext()) {
            Event event = parser.next();
            depth += event instanceof CollectionStartEvent ? 1 : 0;
            depth -= event instanceof CollectionEndEvent ? 1 : 0;
            if (depth > Limits.YAML_DEPTH_MAX) {
                throw new ConfigException(
                        line(event.getStartMark()),
                        "there are more than " + Limits.YAML_DEPTH_MAX + " levels");
            }
            events.add(event);
        }
        return events;
    }

    private static int line(Optional<Mark> mark) {
        return mark.map(place -> place.getLine() + 1).orElse(1);
    }
}
