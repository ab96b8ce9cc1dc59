/*
 * crc32a, the CRC-32 of zlib and IEEE 802.3, and crc32, the 15 bits that libmemcached keeps of it.
 *
 * With `crc32` every number is below 32,768, so a ketama ring gives practically every key to the
 * owner of its lowest point. nutcracker does so, and OneHop must agree with it.
 *
 * Implements spec/hash, crc32 and crc32a.
 */
#include "core/hash/hash.h"

#define OH_CRC_BIT_0 0x77073096u
#define OH_CRC_BIT_1 0xee0e612cu
#define OH_CRC_BIT_2 0x076dc419u
#define OH_CRC_BIT_3 0x0edb8832u
#define OH_CRC_BIT_4 0x1db71064u
#define OH_CRC_BIT_5 0x3b6e20c8u
#define OH_CRC_BIT_6 0x76dc4190u
#define OH_CRC_BIT_7 0xedb88320u /* The polynomial, reflected. */
#include "core/hash/crc_table.h"

static const uint32_t table[256] = {OH_CRC_TABLE};

uint32_t oh_hash_crc32a(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc = (crc >> 8) ^ table[(crc ^ bytes[i]) & 0xff];
    }
    return ~crc;
}

uint32_t oh_hash_crc32(const uint8_t *bytes, size_t length)
{
    return (oh_hash_crc32a(bytes, length) >> 16) & 0x7fff;
}
