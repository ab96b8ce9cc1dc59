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
     * A text that should be a path or the name of a server pool. It is shown only as far as it can
     * be one: by mistake a program may pass the text of a configuration, which may contain a
     * password.
     */
    public static String path(String text) {
        String path = TEXT.split(text, 2)[0];
        return of(path) + (path.equals(text) ? "" : "...");
    }

    /**
     * The bytes as text, cut to that many characters. Each byte that is not printable ASCII becomes
     * \xNN.
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
