package io.onehop.core.command;

import io.onehop.core.base.Limits;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;

/**
 * The cursor of SCAN over all nodes: which node comes next, and that node's own cursor, in one
 * number of 63 bits.
 *
 * <pre>
 *   62        52 51        40 39                    0
 *   | topology  |    node    |   the node's cursor   |
 * </pre>
 *
 * <p>Pure; nothing is remembered between two calls. Implements spec/route/route.md, "SCAN";
 * spec/tools/reference/cursor.py is the reference.
 *
 * @param node the index of the node to ask
 * @param within that node's own cursor
 */
public record ScanCursor(int node, long within) {
    private static final int NODE_AT = Limits.CURSOR_WITHIN_BITS;
    private static final int TOPOLOGY_AT = NODE_AT + Limits.CURSOR_NODE_BITS;

    private static final int DIGITS_MAX = 18; // A number of so few digits always fits.

    /**
     * Decodes a caller's cursor. {@code null} if it was made under a topology with another
     * fingerprint.
     */
    public static @Nullable ScanCursor read(String fingerprint, int nodes, byte[] text) {
        if (text.length == 1 && text[0] == '0') {
            return new ScanCursor(0, 0);
        }
        long cursor = number(text);
        int node = (int) (cursor >> NODE_AT) & (1 << Limits.CURSOR_NODE_BITS) - 1;
        if (cursor < 0 || cursor >> TOPOLOGY_AT != topology(fingerprint) || node >= nodes) {
            return null;
        }
        return new ScanCursor(node, cursor & (1L << NODE_AT) - 1);
    }

    /**
     * The caller's next cursor, after this node returned {@code answered}. {@code null} if that has
     * too many bits.
     */
    public byte @Nullable [] next(String fingerprint, int nodes, byte[] answered) {
        long next = number(answered);
        if (next < 0 || next >> NODE_AT != 0) {
            return null;
        }
        int index = next == 0 ? node + 1 : node;
        long cursor =
                index == nodes
                        ? 0
                        : topology(fingerprint) << TOPOLOGY_AT | (long) index << NODE_AT | next;
        return String.valueOf(cursor).getBytes(StandardCharsets.US_ASCII);
    }

    /** The first bits of the fingerprint. */
    private static long topology(String fingerprint) {
        return Integer.parseInt(fingerprint.substring(0, 3), 16)
                >> 12 - Limits.CURSOR_TOPOLOGY_BITS;
    }

    /** A decimal number, or -1 if it is none or has more than 63 bits. */
    private static long number(byte[] text) {
        long number = text.length == 0 ? -1 : 0;
        for (int i = 0; i < text.length && number >= 0; i++) {
            int digit = text[i] - '0';
            boolean fits = i < DIGITS_MAX || number <= (Long.MAX_VALUE - digit) / 10;
            number = digit >= 0 && digit <= 9 && fits ? number * 10 + digit : -1;
        }
        return number;
    }
}
