package io.onehop.core.hash;

import org.jspecify.annotations.Nullable;

/**
 * MD5, as a key hash ({@code md5}: the first four digest bytes, lowest first) and for ketama's ring
 * points.
 *
 * <p>The JDK's MessageDigest needs an object and a digest array for every key. Here placing a key
 * allocates nothing.
 *
 * <p>spec/hash, md5; RFC 1321.
 */
public final class Md5 {
    private static final int BLOCK = 64;

    /** The sines of RFC 1321: the whole part of 2^32 times |sin(i + 1)|. */
    private static final int[] SINES = new int[BLOCK];

    static {
        for (int i = 0; i < BLOCK; i++) {
            SINES[i] = (int) (long) (0x1p32 * Math.abs(StrictMath.sin(i + 1)));
        }
    }

    private Md5() {}

    public static int of(byte[] bytes, int offset, int length) {
        return (int) first(bytes, offset, length);
    }

    /** The first eight bytes of the digest, lowest first. */
    static long first(byte[] bytes, int offset, int length) {
        return digest(bytes, offset, length, null);
    }

    /**
     * If {@code words} is not {@code null}, writes the digest into it as four little-endian words.
     * Returns the first two words.
     */
    public static long digest(byte[] bytes, int from, int size, int @Nullable [] words) {
        int a = 0x67452301;
        int b = 0xefcdab89;
        int c = 0x98badcfe;
        int d = 0x10325476;
        // The padding is one byte 0x80, zeros, and the size in bits as a 64-bit number at the end
        // of a block.
        for (int at = 0; at < size + 9; at += BLOCK) {
            int a0 = a;
            int b0 = b;
            int c0 = c;
            int d0 = d;
            for (int i = 0; i < 16; i += 4) {
                a = step(a, b, (b & c) | (~b & d), word(bytes, from, size, at, i), i, 7);
                d = step(d, a, (a & b) | (~a & c), word(bytes, from, size, at, i + 1), i + 1, 12);
                c = step(c, d, (d & a) | (~d & b), word(bytes, from, size, at, i + 2), i + 2, 17);
                b = step(b, c, (c & d) | (~c & a), word(bytes, from, size, at, i + 3), i + 3, 22);
            }
            for (int i = 16; i < 32; i += 4) {
                int k = 5 * i;
                a = step(a, b, (d & b) | (~d & c), word(bytes, from, size, at, k + 1), i, 5);
                d = step(d, a, (c & a) | (~c & b), word(bytes, from, size, at, k + 6), i + 1, 9);
                c = step(c, d, (b & d) | (~b & a), word(bytes, from, size, at, k + 11), i + 2, 14);
                b = step(b, c, (a & c) | (~a & d), word(bytes, from, size, at, k + 16), i + 3, 20);
            }
            for (int i = 32; i < 48; i += 4) {
                int k = 3 * i;
                a = step(a, b, b ^ c ^ d, word(bytes, from, size, at, k + 5), i, 4);
                d = step(d, a, a ^ b ^ c, word(bytes, from, size, at, k + 8), i + 1, 11);
                c = step(c, d, d ^ a ^ b, word(bytes, from, size, at, k + 11), i + 2, 16);
                b = step(b, c, c ^ d ^ a, word(bytes, from, size, at, k + 14), i + 3, 23);
            }
            for (int i = 48; i < 64; i += 4) {
                int k = 7 * i;
                a = step(a, b, c ^ (b | ~d), word(bytes, from, size, at, k), i, 6);
                d = step(d, a, b ^ (a | ~c), word(bytes, from, size, at, k + 7), i + 1, 10);
                c = step(c, d, a ^ (d | ~b), word(bytes, from, size, at, k + 14), i + 2, 15);
                b = step(b, c, d ^ (c | ~a), word(bytes, from, size, at, k + 21), i + 3, 21);
            }
            a += a0;
            b += b0;
            c += c0;
            d += d0;
        }
        if (words != null) {
            words[0] = a;
            words[1] = b;
            words[2] = c;
            words[3] = d;
        }
        return a & 0xffffffffL | (long) b << Integer.SIZE;
    }

    /**
     * {@code mixed} depends on the step before and is added last, because the chain of 64 steps
     * decides the speed of MD5.
     */
    private static int step(int a, int b, int mixed, int word, int i, int turn) {
        return b + Integer.rotateLeft(a + word + SINES[i] + mixed, turn);
    }

    /**
     * Word {@code i} modulo 16 of the padded block at {@code start}. The word is made when it is
     * needed, so no block is copied.
     */
    private static int word(byte[] bytes, int offset, int length, int start, int i) {
        int at = start + (i & 15) * 4;
        int left = length - at;
        if (left >= 4) {
            return LittleEndian.word(bytes, offset + at);
        }
        if (left >= 0) {
            return LittleEndian.partOfWord(bytes, offset + at, left) | 0x80 << (8 * left);
        }
        boolean isLastBlock = start + BLOCK >= length + 9;
        return (i & 15) == 14 && isLastBlock
                ? length << 3
                : (i & 15) == 15 && isLastBlock ? length >>> 29 : 0;
    }
}
