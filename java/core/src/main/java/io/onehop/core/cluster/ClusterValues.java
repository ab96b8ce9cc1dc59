package io.onehop.core.cluster;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * Reads RESP values, one by one, from bytes that have all arrived. It does not rely on an earlier
 * check of the framing: every length is compared with the bytes that remain. Texts are bytes,
 * decoded as Latin-1.
 *
 * <p>Implements spec/topology/cluster.md, section 1.
 */
final class ClusterValues {
    enum Kind {
        NIL,
        TEXT,
        NUMBER,
        LIST,
        ERROR
    }

    private static final int DIGITS_MAX = 18;

    private final byte[] bytes;
    private int at;

    /**
     * What the last take found. If it is a list, only its beginning was taken, and {@code number}
     * values follow.
     */
    Kind kind = Kind.NIL;

    String text = "";
    long number;

    ClusterValues(byte[] bytes) {
        this.bytes = bytes;
    }

    int position() {
        return at;
    }

    void goTo(int position) {
        at = position;
    }

    boolean hasEnded() {
        return at == bytes.length;
    }

    boolean isAtNumber() {
        return at < bytes.length && bytes[at] == ':';
    }

    /** Takes the next value. False if there is none or it is malformed. */
    boolean take() {
        kind = Kind.NIL;
        text = "";
        number = 0;
        if (at == bytes.length) {
            return false;
        }
        byte type = bytes[at++];
        String line = line();
        if (line == null
                || (type == '$' || type == '*' || type == '%' || type == ':')
                        && !readNumber(line)) {
            return false;
        }
        return switch (type) {
            case '$' -> takeBulk();
            case '*' -> takeList(number);
            case '%' -> takeList(number < 0 ? -2 : number * 2);
            case ':' -> found(Kind.NUMBER, "");
            case '+' -> found(Kind.TEXT, line);
            case '-' -> found(Kind.ERROR, line);
            default -> type == '_';
        };
    }

    /** Takes the next value with everything inside it. */
    boolean skip() {
        for (long pending = 1; pending > 0; pending--) {
            if (!take()) {
                return false;
            }
            pending += kind == Kind.LIST ? number : 0;
        }
        return true;
    }

    private boolean found(Kind kind, String text) {
        this.kind = kind;
        this.text = text;
        return true;
    }

    /** Takes the text up to the next CR LF; {@code null} if there is none. */
    private @Nullable String line() {
        int start = at;
        int cr = start;
        while (cr < bytes.length && bytes[cr] != '\r') {
            cr++;
        }
        if (bytes.length - cr < 2 || bytes[cr + 1] != '\n') {
            return null;
        }
        at = cr + 2;
        return new String(bytes, start, cr - start, StandardCharsets.ISO_8859_1);
    }

    private boolean readNumber(String line) {
        boolean isNegative = line.startsWith("-");
        int first = isNegative ? 1 : 0;
        for (int i = first; i < line.length(); i++) {
            if (line.charAt(i) < '0' || line.charAt(i) > '9' || i - first >= DIGITS_MAX) {
                return false;
            }
            number = number * 10 + line.charAt(i) - '0';
        }
        number = isNegative ? -number : number;
        return line.length() > first;
    }

    private boolean takeBulk() {
        if (number < 0) {
            return number == -1;
        }
        if (number > bytes.length - at - 2) {
            return false;
        }
        int length = (int) number;
        at += length + 2;
        return found(
                Kind.TEXT, new String(bytes, at - length - 2, length, StandardCharsets.ISO_8859_1));
    }

    /** No element has fewer than three bytes. */
    private boolean takeList(long count) {
        number = count;
        if (count < 0) {
            return count == -1;
        }
        return found(Kind.LIST, "") && count <= (bytes.length - at) / 3;
    }
}
