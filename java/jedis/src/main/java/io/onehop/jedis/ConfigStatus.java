package io.onehop.jedis;

import java.time.Instant;

/**
 * How the last reading of a client's configuration ended; immutable.
 *
 * @param readAt when it was last read; if it is not {@code ok}, it has been refused since then
 * @param ok whether the client uses what the configuration says now
 * @param error what is wrong with it, and on which line; {@code null} if it is in use
 */
public record ConfigStatus(Instant readAt, boolean ok, String error) {

    static ConfigStatus used(long unixMs) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), true, null);
    }

    static ConfigStatus refused(long unixMs, String why) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), false, why);
    }
}
