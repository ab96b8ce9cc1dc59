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
 * <p>If a node's cursor has more than 39 bits, it is kept ({@link KeptCursors}), and a ticket takes
 * its place. Pure. Implements spec/route/route.md, "SCAN"; spec/tools/reference/cursor.py is the
 * reference.
 *
 * @param node the index of the node to ask
 * @param within the own cursor of that node, or its ticket
 */
public record ScanCursor(int node, long within) {
    private static final int NODE_AT = Limits.CURSOR_WITHIN_BITS;
    private static final int TOPOLOGY_AT = NODE_AT + Limits.CURSOR_NODE_BITS;

    private static final int DIGITS_MAX = 20; // The digits of a number of 64 bits.
    private static final long TICKET = 1L << NODE_AT - 1; // The first bit of a ticket.

    /**
     * Decodes a caller's cursor. {@code null} if it was made under a topology with another
     * fingerprint.
     */
    public static @Nullable ScanCursor read(String fingerprint, int nodes, byte[] text) {
        if (text.length == 1 && text[0] == '0') {
            return new ScanCursor(0, 0);
        }
        Long cursor = number(text);
        if (cursor == null) {
            return null;
        }
        int node = (int) (cursor >> NODE_AT) & (1 << Limits.CURSOR_NODE_BITS) - 1;
        if (cursor < 0 || cursor >> TOPOLOGY_AT != topology(fingerprint) || node >= nodes) {
            return null;
        }
        return new ScanCursor(node, cursor & (1L << NODE_AT) - 1);
    }

    /** The caller's next cursor, after this node returned {@code answered}. */
    public byte[] next(String fingerprint, int nodes, long answered) {
        int index = answered == 0 ? node + 1 : node;
        long cursor =
                index == nodes
                        ? 0
                        : topology(fingerprint) << TOPOLOGY_AT
                                | (long) index << NODE_AT
                                | ticket(answered);
        return String.valueOf(cursor).getBytes(StandardCharsets.US_ASCII);
    }

    /** What stands for a node's cursor: the cursor itself, or its ticket if it is too large. */
    static long ticket(long own) {
        return isTicket(own) ? TICKET | mixed(own) & TICKET - 1 : own;
    }

    /** True if this is a ticket, or a node's cursor that needs a ticket. */
    static boolean isTicket(long within) {
        return Long.compareUnsigned(within, TICKET) >= 0;
    }

    /** David Stafford's mix 13, as in splitmix64. No two numbers have the same result. */
    private static long mixed(long number) {
        long mixed = (number ^ number >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }

    /** The first bits of the fingerprint. */
    private static long topology(String fingerprint) {
        return Integer.parseInt(fingerprint.substring(0, 3), 16)
                >> 12 - Limits.CURSOR_TOPOLOGY_BITS;
    }

    /** A decimal number of 64 bits without a sign, or {@code null}. */
    public static @Nullable Long number(byte[] text) {
        boolean isNumber = text.length > 0 && text.length <= DIGITS_MAX;
        for (byte digit : text) {
            isNumber &= digit >= '0' && digit <= '9';
        }
        try {
            return isNumber
                    ? Long.parseUnsignedLong(new String(text, StandardCharsets.US_ASCII))
                    : null;
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }
}
