package io.onehop.core.config;

import io.onehop.core.base.Limits;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

/**
 * Names and values of the text as a reason shows them.
 *
 * <p>Implements spec/config, section 4.
 */
final class Shown {
    private Shown() {}

    /** A name: its first bytes, and nothing that could spoil a log. */
    static String name(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(bytes.length, Limits.SHOWN_BYTES_MAX); i++) {
            boolean isPlain =
                    bytes[i] >= ' ' && bytes[i] <= '~' && bytes[i] != '"' && bytes[i] != '\\';
            shown.append(
                    isPlain
                            ? String.valueOf((char) bytes[i])
                            : String.format("\\x%02x", bytes[i] & 0xff));
        }
        return bytes.length > Limits.SHOWN_BYTES_MAX ? shown + "..." : shown.toString();
    }

    /**
     * The end of a reason: the value that the reason is about. If a password may be part of the
     * value, as in a URL, nothing.
     */
    static String about(String value) {
        boolean isUrl = Stream.of("@", "?", "=", "auth").anyMatch(value::contains);
        return isUrl ? "" : ": \"" + name(value) + "\"";
    }
}
