package io.onehop.jedis;

import java.time.Instant;

/**
 * What the last look at a client's configuration has led to; immutable.
 *
 * @param readAt when it was last read; if that is not {@code ok}, it has been refused since then
 * @param ok whether what is there now is what the client goes by
 * @param error what is wrong with it, with the line; {@code null} if it is in use
 */
public record ConfigStatus(Instant readAt, boolean ok, String error) {

    static ConfigStatus used(long unixMs) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), true, null);
    }

    static ConfigStatus refused(long unixMs, String why) {
        return new ConfigStatus(Instant.ofEpochMilli(unixMs), false, why);
    }
}
