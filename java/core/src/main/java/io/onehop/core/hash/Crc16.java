package io.onehop.core.hash;

/**
 * {@code crc16}: CRC-16/XMODEM in a register that is never cut to 16 bits.
 *
 * <p>The low half is the ordinary CRC (Redis Cluster takes its slots from it). The high half keeps
 * the bits that were shifted out, and takes part in placement.
 *
 * <p>spec/hash, crc16.
 */
public final class Crc16 {
    private static final int POLYNOMIAL = 0x1021;
    private static final int[] TABLE = table();

    private Crc16() {}

    public static int of(byte[] bytes, int offset, int length) {
        int crc = 0;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc << 8) ^ TABLE[((crc >>> 8) ^ bytes[i]) & 0xff];
        }
        return crc;
    }

    private static int[] table() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ POLYNOMIAL : crc << 1;
            }
            table[i] = crc & 0xffff;
        }
        return table;
    }
}
