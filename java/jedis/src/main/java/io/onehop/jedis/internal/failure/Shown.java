package io.onehop.jedis.internal.failure;

import io.onehop.core.base.Limits;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Escapes foreign text for a message or the log: text of a server, a file or a caller. */
public final class Shown {

    private static final Pattern TEXT = Pattern.compile("[\n\r{]|: ");

    private Shown() {}

    /** The text as printable ASCII, cut to {@link Limits#MESSAGE_BYTES_MAX} bytes. */
    public static String of(@Nullable String text) {
        return text == null
                ? ""
                : of(text.getBytes(StandardCharsets.UTF_8), Limits.MESSAGE_BYTES_MAX);
    }

    /**
     * A path or the name of a server pool, as far as it can be one. A program may hand over the
     * text of a configuration by mistake, which may hold a password.
     */
    public static String path(String text) {
        String path = TEXT.split(text, 2)[0];
        return of(path) + (path.equals(text) ? "" : "...");
    }

    /**
     * The bytes as text, with \xNN for each that is not printable ASCII, cut to that many
     * characters.
     */
    public static String of(byte[] bytes, int charactersMax) {
        StringBuilder shown = new StringBuilder();
        for (byte one : bytes) {
            boolean isPlain = one >= 0x20 && one < 0x7f && one != '"' && one != '\\';
            String next = isPlain ? String.valueOf((char) one) : String.format("\\x%02x", one);
            if (shown.length() + next.length() > charactersMax - 3) {
                return shown.append("...").toString();
            }
            shown.append(next);
        }
        return shown.toString();
    }
}
