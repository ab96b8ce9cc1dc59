package io.onehop.core.base;

/** UTF-8 (RFC 3629) in bytes: no overlong forms, no surrogates. */
public final class Utf8 {
    /** For each number of continuing bytes, the smallest character that needs them. */
    private static final int[] SMALLEST = {0, 0x80, 0x800, 0x10000};

    private Utf8() {}

    /** True if all bytes are whole characters. Allocates nothing. */
    public static boolean isValid(byte[] bytes, int offset, int length) {
        int end = offset + length;
        for (int at = offset; at < end; ) {
            int more = continuing(bytes[at] & 0xff);
            if (more < 0 || end - at <= more || !isCharacter(bytes, at, more)) {
                return false;
            }
            at += more + 1;
        }
        return true;
    }

    /** How many bytes follow the first one; -1 if a character cannot begin with it. */
    private static int continuing(int first) {
        if (first < 0x80) {
            return 0;
        }
        if (first < 0xc0 || first >= 0xf8) {
            return -1;
        }
        return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
    }

    private static boolean isCharacter(byte[] bytes, int at, int more) {
        int character = more == 0 ? bytes[at] : bytes[at] & 0x3f >> more;
        for (int i = 1; i <= more; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) {
                return false;
            }
            character = character << 6 | bytes[at + i] & 0x3f;
        }
        boolean isSurrogate = character >= 0xd800 && character <= 0xdfff;
        return character >= SMALLEST[more] && character <= 0x10ffff && !isSurrogate;
    }
}
