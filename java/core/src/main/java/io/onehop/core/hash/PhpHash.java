package io.onehop.core.hash;

import io.onehop.core.Hash;

/**
 * The hashes of PHP that RedisArray takes: the first eight bytes of a digest, read as a
 * little-endian number. PHP writes most digests big-endian, so here the bytes of these numbers are
 * swapped.
 *
 * <p>spec/hash, hashes of other clients.
 */
public final class PhpHash {
    private static final int POLYNOMIAL = 0x04c11db7;

    private PhpHash() {}

    /** An unsigned number of 64 bits. */
    public static long of(Hash hash, byte[] bytes, int offset, int length) {
        return switch (hash) {
            case MD5 -> Md5.first(bytes, offset, length);
            case CRC32 -> Integer.toUnsignedLong(crc32(bytes, offset, length));
            case CRC32B -> swapped(Crc.crc32a(bytes, offset, length));
            case JOAAT -> swapped(joaat(bytes, offset, length));
            default -> throw new IllegalArgumentException(hash.label() + " is not PHP's.");
        };
    }

    private static long swapped(int hash) {
        return Integer.toUnsignedLong(Integer.reverseBytes(hash));
    }

    /** A CRC-32 that is not reflected, as in bzip2. */
    private static int crc32(byte[] bytes, int offset, int length) {
        int crc = -1;
        for (int i = offset; i < offset + length; i++) {
            crc ^= bytes[i] << 24;
            for (int bit = 0; bit < 8; bit++) {
                crc = crc << 1 ^ (crc < 0 ? POLYNOMIAL : 0);
            }
        }
        return ~crc;
    }

    /** one_at_a_time with unsigned bytes. */
    private static int joaat(byte[] bytes, int offset, int length) {
        int hash = 0;
        for (int i = offset; i < offset + length; i++) {
            hash += bytes[i] & 0xff;
            hash += hash << 10;
            hash ^= hash >>> 6;
        }
        hash += hash << 3;
        hash ^= hash >>> 11;
        return hash + (hash << 15);
    }
}
