package io.onehop.core.config;

import io.onehop.core.base.Limits;

import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;

import java.util.ArrayList;
import java.util.List;

/**
 * The second pass over a configuration: characters in, YAML events out, or the line on which the
 * text is no YAML.
 *
 * <p>The whole text is read before anything is made of it. Implements spec/config, section 3.
 */
final class ConfigEvents {
    private static final String REASON = "the text is not valid YAML";

    private ConfigEvents() {}

    static List<Event> of(String text) throws ConfigException {
        LoadSettings settings =
                LoadSettings.builder().setCodePointLimit(Limits.CONFIG_BYTES_MAX).build();
        try {
            List<Event> events = new ArrayList<>();
            new ParserImpl(settings, new ConfigScanner(settings, text))
                    .forEachRemaining(events::add);
            return events;
        } catch (MarkedYamlEngineException problem) {
            throw new ConfigException(
                    problem.getProblemMark().map(mark -> mark.getLine() + 1).orElse(1), REASON);
        } catch (RuntimeException problem) {
            // Whatever a hostile text may provoke inside the library, to the caller it is a text
            // that is no YAML.
            throw new ConfigException(1, REASON);
        }
    }
}
