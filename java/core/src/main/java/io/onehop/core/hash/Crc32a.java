package io.onehop.core.hash;

/**
 * {@code crc32a}: the CRC-32 of zlib and IEEE 802.3.
 *
 * <p>The JDK's CRC32 is an object, which only an optimising compiler removes, so it is not used.
 *
 * <p>spec/hash, crc32a.
 */
final class Crc32a {
    private static final int POLYNOMIAL = 0xedb88320; // Lowest bit first.
    private static final int[] TABLE = table();

    private Crc32a() {}

    static int of(byte[] bytes, int offset, int length) {
        int crc = ~0;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]) & 0xff];
        }
        return ~crc;
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
