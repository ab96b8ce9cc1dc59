package io.onehop.core.hash;

/** The CRCs. spec/hash: crc16, crc32 and crc32a. */
public final class Crc {
    private static final int POLYNOMIAL_16 = 0x1021;
    private static final int POLYNOMIAL_32 = 0xedb88320; // Lowest bit first.
    private static final int[] TABLE_16 = table16();
    private static final int[] TABLE_32 = table32();

    private Crc() {}

    /**
     * CRC-16/XMODEM in a register that is never cut to 16 bits.
     *
     * <p>The low half is the ordinary CRC, from which Redis Cluster takes its slots. The high half
     * has the bits that were shifted out, and they take part in placement.
     */
    public static int crc16(byte[] bytes, int offset, int length) {
        int crc = 0;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc << 8) ^ TABLE_16[((crc >>> 8) ^ bytes[i]) & 0xff];
        }
        return crc;
    }

    /**
     * The CRC-32 of zlib and IEEE 802.3. The JDK's CRC32 is not used: it needs an object for each
     * key, unless an optimising compiler removes that.
     */
    public static int crc32a(byte[] bytes, int offset, int length) {
        int crc = ~0;
        for (int i = offset; i < offset + length; i++) {
            crc = (crc >>> 8) ^ TABLE_32[(crc ^ bytes[i]) & 0xff];
        }
        return ~crc;
    }

    /**
     * The 15 bits of the CRC-32 that libmemcached keeps. Every number is below 32,768, so a ketama
     * ring gives practically every key to the owner of its lowest point. nutcracker does so, and
     * OneHop must agree with it.
     */
    static int crc32(byte[] bytes, int offset, int length) {
        return (crc32a(bytes, offset, length) >>> 16) & 0x7fff;
    }

    private static int[] table16() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ POLYNOMIAL_16 : crc << 1;
            }
            table[i] = crc & 0xffff;
        }
        return table;
    }

    private static int[] table32() {
        int[] table = new int[256];
        for (int i = 0; i < 256; i++) {
            int crc = i;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 1) != 0 ? (crc >>> 1) ^ POLYNOMIAL_32 : crc >>> 1;
            }
            table[i] = crc;
        }
        return table;
    }
}
