package io.onehop.jedis.internal.route;

import io.onehop.jedis.internal.command.Commands;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.CommandArguments;

/**
 * The name of a batch for a {@link CallObserver}: {@code PIPELINE GET} if all its commands are GET,
 * otherwise {@code PIPELINE}. That is the form of OpenTelemetry's conventions. For one thread.
 */
public final class BatchName {
    private final String kind;
    private @Nullable String only; // The name of all commands so far; null before the first.
    private boolean isMixed;

    /** {@code kind}: PIPELINE or MULTI. */
    public BatchName(String kind) {
        this.kind = kind;
    }

    public void add(CommandArguments command) {
        String name = Commands.name(command);
        isMixed |= only != null && !only.equals(name);
        only = name;
    }

    @Override
    public String toString() {
        return only == null || isMixed ? kind : kind + " " + only;
    }
}
