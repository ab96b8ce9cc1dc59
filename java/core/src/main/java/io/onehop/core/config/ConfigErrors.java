package io.onehop.core.config;

import io.onehop.core.base.Limits;
import io.onehop.core.config.ConfigException.ConfigError;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The errors of one configuration while it is read.
 *
 * <p>It keeps the first errors in the order of their lines, and counts the others. A reason is made
 * only for an error that is kept, so the errors of a hostile text cost no more than reading it.
 */
final class ConfigErrors {

    /** Where an error belongs: by its line, and within a line in the order of discovery. */
    record Place(int line, int order) implements Comparable<Place> {
        @Override
        public int compareTo(Place other) {
            return line != other.line
                    ? Integer.compare(line, other.line)
                    : Integer.compare(order, other.order);
        }
    }

    private final TreeMap<Place, String> kept = new TreeMap<>();
    private int places;
    private int count;

    /**
     * Returns the place of an error that is found now. The error is added later, if a condition
     * turns out to be true.
     */
    Place place(int line) {
        return new Place(line, places++);
    }

    void add(int line, String reason) {
        add(place(line), () -> reason);
    }

    void add(int line, Supplier<String> reason) {
        add(place(line), reason);
    }

    void add(Place place, Supplier<String> reason) {
        count++;
        if (kept.size() == Limits.CONFIG_ERRORS_MAX) {
            if (place.compareTo(kept.lastKey()) > 0) {
                return;
            }
            kept.pollLastEntry();
        }
        kept.put(place, reason.get());
    }

    int count() {
        return count;
    }

    /** Throws all errors, if there are any. */
    void check() throws ConfigException {
        if (count == 0) {
            return;
        }
        List<ConfigError> errors = new ArrayList<>();
        for (Map.Entry<Place, String> error : kept.entrySet()) {
            errors.add(new ConfigError(error.getKey().line(), error.getValue()));
        }
        throw new ConfigException(errors, count - errors.size());
    }
}
