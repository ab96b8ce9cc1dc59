package io.onehop.core.config;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A configuration that is not accepted: its errors in the order of their lines.
 *
 * <p>A text that is not YAML has one error. Otherwise all errors are found, and the first ones are
 * listed. No error shows a password, or the value of an environment variable.
 */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // The list is made by List.of.
    private final List<ConfigError> errors;

    private final int more;

    /** An error at which the reading of the text ends. */
    ConfigException(int line, String reason) {
        this(List.of(new ConfigError(line, reason)), 0);
    }

    ConfigException(List<ConfigError> errors, int more) {
        super("line " + errors.get(0).line() + ": " + reasons(errors, more));
        this.errors = List.copyOf(errors);
        this.more = more;
    }

    private static String reasons(List<ConfigError> errors, int more) {
        String others =
                errors.stream()
                        .skip(1)
                        .map(error -> "; line " + error.line() + ": " + error.reason())
                        .collect(Collectors.joining());
        String left = more == 0 ? "" : "; and " + more + " more error" + (more == 1 ? "" : "s");
        return errors.get(0).reason() + others + left;
    }

    /** The line of the first error. */
    public int line() {
        return errors.get(0).line();
    }

    /** What is wrong in this line. */
    public String reason() {
        return errors.get(0).reason();
    }

    /**
     * The reason of the first error, then the other errors with their lines: the end of a message.
     */
    public String reasons() {
        return reasons(errors, more);
    }

    /** At least one error, and at most {@code Limits.CONFIG_ERRORS_MAX}. */
    public List<ConfigError> errors() {
        return errors;
    }

    /** How many further errors there are. */
    public int more() {
        return more;
    }

    /**
     * One error of a configuration.
     *
     * @param line counted from 1; if something is missing in a pool, the line of the pool's name
     * @param reason what is wrong: one of the texts of spec/config, the same in every language
     */
    public record ConfigError(int line, String reason) implements Serializable {}
}
