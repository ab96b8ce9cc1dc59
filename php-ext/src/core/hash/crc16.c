/*
 * crc16: CRC-16/XMODEM in a 32-bit register that is never masked.
 *
 * nutcracker forgot the mask. So the bits that a CRC shifts out above bit 15 stay in the number and
 * take part in placement. The low 16 bits are the true CRC; the slots of Redis Cluster use them.
 *
 * Implements spec/hash, crc16.
 */
#include "core/hash/hash.h"

#define OH_CRC_BIT_0 0x1021u /* The polynomial. */
#define OH_CRC_BIT_1 0x2042u
#define OH_CRC_BIT_2 0x4084u
#define OH_CRC_BIT_3 0x8108u
#define OH_CRC_BIT_4 0x1231u
#define OH_CRC_BIT_5 0x2462u
#define OH_CRC_BIT_6 0x48c4u
#define OH_CRC_BIT_7 0x9188u
#include "core/hash/crc_table.h"

static const uint16_t table[256] = {OH_CRC_TABLE};

uint32_t oh_hash_crc16(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0;
    for (size_t i = 0; i < length; i++) {
        crc = (crc << 8) ^ table[((crc >> 8) ^ bytes[i]) & 0xff];
    }
    return crc;
}
