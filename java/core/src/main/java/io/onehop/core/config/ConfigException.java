package io.onehop.core.config;

/**
 * A configuration that is not accepted: its first error in document order.
 *
 * <p>{@link #line()} counts from 1. A missing directive is reported at the line of its pool's name,
 * an empty file at line 1. {@link #reason()} is one of the texts in spec/config/config.md, the same
 * in every language.
 */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1;

    private final int line;
    private final String reason;

    public ConfigException(int line, String reason) {
        super("line " + line + ": " + reason);
        this.line = line;
        this.reason = reason;
    }

    /** The line of the error, counted from 1. */
    public int line() {
        return line;
    }

    /** What is wrong, without the line. */
    public String reason() {
        return reason;
    }
}
