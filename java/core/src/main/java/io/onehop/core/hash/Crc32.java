package io.onehop.core.hash;

/**
 * {@code crc32}: bits 16 to 30 of the CRC-32, as libmemcached takes them.
 *
 * <p>Only 32,768 values exist. On a ketama ring they all lie before the first few points, so
 * practically every key lands on one node; nutcracker does the same.
 *
 * <p>spec/hash, crc32.
 */
final class Crc32 {

    private Crc32() {}

    static int of(byte[] bytes, int offset, int length) {
        return (Crc32a.of(bytes, offset, length) >>> 16) & 0x7fff;
    }
}
