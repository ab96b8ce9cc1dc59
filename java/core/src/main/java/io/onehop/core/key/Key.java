package io.onehop.core.key;

import io.onehop.core.base.Utf8;
import io.onehop.core.hash.Crc;

import org.jspecify.annotations.Nullable;

/**
 * Which bytes of a key decide where it is.
 *
 * <p>In: a key. Out: the part that is hashed. If there is something between the two bytes of the
 * pool's hash tag, that is the part; otherwise it is the whole key. The node always gets the whole
 * key. The part is returned as one number, offset above length, so that placing a key allocates
 * nothing; {@link #offset} and {@link #length} decode it. Implements spec/key.
 */
public final class Key {
    /** The number of slots of every Redis Cluster. */
    public static final int SLOTS_COUNT = 16384;

    public static final HashTag CLUSTER_TAG = new HashTag((byte) '{', (byte) '}');

    private Key() {}

    /**
     * The part of the key that is hashed under {@code tag}; the whole key if {@code tag} is {@code
     * null}.
     */
    public static long hashed(byte[] key, int offset, int length, @Nullable HashTag tag) {
        if (tag != null) {
            int end = offset + length;
            int open = indexOf(tag.open(), key, offset, end);
            int close = indexOf(tag.close(), key, open + 1, end);
            if (open < end && close < end && close > open + 1) {
                return part(open + 1, close - open - 1);
            }
        }
        return part(offset, length);
    }

    /**
     * The part that Jedis hashes. It begins after the first opening byte that is followed, in the
     * same line, by at least one character and then a closing byte; it ends before that closing
     * byte. If the key has no such part or is not UTF-8, or if {@code tag} is {@code null}, it is
     * the whole key.
     */
    public static long hashedLazily(byte[] key, int offset, int length, @Nullable HashTag tag) {
        int end = offset + length;
        int inside = -1; // Where a part may begin.
        for (int at = offset; at < end && tag != null; at++) {
            if (inside >= 0 && at > inside && key[at] == tag.close()) {
                return Utf8.isValid(key, offset, length)
                        ? part(inside, at - inside)
                        : part(offset, length);
            }
            if (inside >= 0 && endsLine(key, at, end)) {
                inside = -1;
            }
            if (inside < 0 && key[at] == tag.open()) {
                inside = at + 1;
            }
        }
        return part(offset, length);
    }

    /**
     * The part between the first { and the first } after it, which may be empty; else the whole
     * key.
     */
    public static long hashedLoosely(byte[] key, int offset, int length) {
        int end = offset + length;
        int open = indexOf((byte) '{', key, offset, end);
        int close = indexOf((byte) '}', key, open + 1, end);
        return close < end ? part(open + 1, close - open - 1) : part(offset, length);
    }

    /** True if a line ends here, as regular expressions see it: LF, CR, NEL, LS and PS. */
    private static boolean endsLine(byte[] key, int at, int end) {
        return switch (key[at]) {
            case '\n', '\r' -> true;
            case (byte) 0xc2 -> end - at > 1 && key[at + 1] == (byte) 0x85;
            case (byte) 0xe2 ->
                    end - at > 2 && key[at + 1] == (byte) 0x80 && (key[at + 2] | 1) == (byte) 0xa9;
            default -> false;
        };
    }

    /** Where a part begins. */
    public static int offset(long part) {
        return (int) (part >>> 32);
    }

    /** The length of a part in bytes. */
    public static int length(long part) {
        return (int) part;
    }

    /** The slot of a key in Redis Cluster, 0 to 16383, by Redis' own hash tag rule. */
    public static int slot(byte[] key, int offset, int length) {
        long part = hashed(key, offset, length, CLUSTER_TAG);
        return Crc.crc16(key, offset(part), length(part)) & (SLOTS_COUNT - 1);
    }

    private static long part(int offset, int length) {
        return (long) offset << 32 | length;
    }

    /** The first position of the byte, or {@code end}. */
    private static int indexOf(byte wanted, byte[] bytes, int from, int end) {
        int at = from;
        while (at < end && bytes[at] != wanted) {
            at++;
        }
        return at;
    }

    /** The two bytes that enclose the hashed part of a key, such as braces; they may be equal. */
    public record HashTag(byte open, byte close) {}
}
