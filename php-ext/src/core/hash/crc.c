/*
 * The CRCs: crc16, crc32a, and crc32, which is a part of crc32a.
 *
 * Implements spec/hash: crc16, crc32 and crc32a.
 */
#include "core/hash/hash.h"

/*
 * A CRC is linear: the entry of a byte is the exclusive or of the entries of its bits. So eight
 * numbers define a whole table, and the compiler computes the 256 entries. BIT(n) is the entry of
 * the byte 1 << n.
 */
#define IF(byte, n, BIT) (((byte) >> (n)) & 1 ? BIT(n) : 0u)
#define TABLE_1(byte, BIT)                                                                         \
    (IF(byte, 0, BIT) ^ IF(byte, 1, BIT) ^ IF(byte, 2, BIT) ^ IF(byte, 3, BIT) ^                   \
        IF(byte, 4, BIT) ^ IF(byte, 5, BIT) ^ IF(byte, 6, BIT) ^ IF(byte, 7, BIT))
#define TABLE_4(byte, BIT)                                                                         \
    TABLE_1(byte, BIT), TABLE_1((byte) + 1, BIT), TABLE_1((byte) + 2, BIT), TABLE_1((byte) + 3, BIT)
#define TABLE_16(byte, BIT)                                                                        \
    TABLE_4(byte, BIT), TABLE_4((byte) + 4, BIT), TABLE_4((byte) + 8, BIT),                        \
        TABLE_4((byte) + 12, BIT)
#define TABLE_64(byte, BIT)                                                                        \
    TABLE_16(byte, BIT), TABLE_16((byte) + 16, BIT), TABLE_16((byte) + 32, BIT),                   \
        TABLE_16((byte) + 48, BIT)
#define TABLE(BIT) TABLE_64(0, BIT), TABLE_64(64, BIT), TABLE_64(128, BIT), TABLE_64(192, BIT)

/* ---- CRC-16/XMODEM ---- */

#define CRC16_0 0x1021u /* The polynomial. */
#define CRC16_1 0x2042u
#define CRC16_2 0x4084u
#define CRC16_3 0x8108u
#define CRC16_4 0x1231u
#define CRC16_5 0x2462u
#define CRC16_6 0x48c4u
#define CRC16_7 0x9188u
#define CRC16(n) CRC16_##n

static const uint16_t table_16[256] = {TABLE(CRC16)};

/*
 * The CRC is computed in a 32-bit register that is never masked: nutcracker forgot the mask. So the
 * bits that a CRC shifts out above bit 15 stay in the number and take part in placement. The low 16
 * bits are the true CRC; the slots of Redis Cluster use them.
 */
uint32_t oh_hash_crc16(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0;

    for (size_t i = 0; i < length; i++) {
        crc = (crc << 8) ^ table_16[((crc >> 8) ^ bytes[i]) & 0xff];
    }
    return crc;
}

/* ---- The CRC-32 of zlib and IEEE 802.3 ---- */

#define CRC32_0 0x77073096u
#define CRC32_1 0xee0e612cu
#define CRC32_2 0x076dc419u
#define CRC32_3 0x0edb8832u
#define CRC32_4 0x1db71064u
#define CRC32_5 0x3b6e20c8u
#define CRC32_6 0x76dc4190u
#define CRC32_7 0xedb88320u /* The polynomial, reflected. */
#define CRC32(n) CRC32_##n

static const uint32_t table_32[256] = {TABLE(CRC32)};

uint32_t oh_hash_crc32a(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xffffffffu;

    for (size_t i = 0; i < length; i++) {
        crc = (crc >> 8) ^ table_32[(crc ^ bytes[i]) & 0xff];
    }
    return ~crc;
}

/*
 * The 15 bits that libmemcached keeps. Every number is below 32,768, so a ketama ring gives
 * practically every key to the owner of its lowest point. nutcracker does so, and OneHop must agree
 * with it.
 */
uint32_t oh_hash_crc32(const uint8_t *bytes, size_t length)
{
    return (oh_hash_crc32a(bytes, length) >> 16) & 0x7fff;
}
