package io.onehop.core.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads and writes numbers at any byte offset, lowest byte first, with one machine instruction
 * each.
 */
final class LittleEndian {
    private static final VarHandle WORD =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle HALF =
            MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle LONG_WORD =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static int word(byte[] bytes, int offset) {
        return (int) WORD.get(bytes, offset);
    }

    static long longWord(byte[] bytes, int offset) {
        return (long) LONG_WORD.get(bytes, offset);
    }

    /** Sixteen bits, unsigned. */
    static int half(byte[] bytes, int offset) {
        return (short) HALF.get(bytes, offset) & 0xffff;
    }

    /** A word with only its first {@code count} (0 to 4) bytes; the others are zero. */
    static int partOfWord(byte[] bytes, int offset, int count) {
        int word = 0;
        for (int i = 0; i < count; i++) {
            word |= (bytes[offset + i] & 0xff) << (8 * i);
        }
        return word;
    }
}
