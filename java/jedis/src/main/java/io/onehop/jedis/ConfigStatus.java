package io.onehop.jedis;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * How the last reading of a client's configuration ended. Immutable.
 *
 * @param readAt when the configuration was last read; if not {@code ok}, since when it has been
 *     refused
 * @param ok true if the client uses what the configuration says now
 * @param error the line and what is wrong there; {@code null} if the configuration is in use
 */
@SuppressWarnings("exports") // Programs compile without the annotations.
public record ConfigStatus(Instant readAt, boolean ok, @Nullable String error) {

    static ConfigStatus used(long unixMs) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), true, null);
    }

    static ConfigStatus refused(long unixMs, String why) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), false, why);
    }
}
