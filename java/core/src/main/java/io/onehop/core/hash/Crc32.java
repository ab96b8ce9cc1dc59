package io.onehop.core.hash;

/**
 * {@code crc32a}, the CRC-32 of zlib and IEEE 802.3, and {@code crc32}, the 15 bits that
 * libmemcached keeps of it.
 *
 * <p>With {@code crc32} every number is below 32,768, so a ketama ring gives practically every key
 * to the owner of its lowest point. nutcracker does so, and OneHop must agree with it. The JDK's
 * CRC32 is an object, which only an optimising compiler removes, so it is not used.
 *
 * <p>spec/hash, crc32 and crc32a.
 */
public final class Crc32 {
    private static final int POLYNOMIAL = 0xedb88320; // Lowest bit first.
    private static final int[] TABLE = table();

    private Crc32() {}

    public static int crc32a(byte[] bytes, int offset, int length) {
        int crc = ~0;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]) & 0xff];
        }
        return ~crc;
    }

    static int crc32(byte[] bytes, int offset, int length) {
        return (crc32a(bytes, offset, length) >>> 16) & 0x7fff;
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
            }
            table[i] = crc;
        }
        return table;
    }
}
