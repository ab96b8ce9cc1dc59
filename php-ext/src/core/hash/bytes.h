/*
 * Bytes as numbers, the same on every machine: little-endian reads at any alignment, and the signed
 * widening that half of the algorithms inherit from a time when a plain `char` was signed.
 */
#ifndef OH_HASH_BYTES_H
#define OH_HASH_BYTES_H

#include <stdint.h>

static inline uint32_t oh_read_le16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8;
}

static inline uint32_t oh_read_le32(const uint8_t *bytes)
{
    return oh_read_le16(bytes) | oh_read_le16(bytes + 2) << 16;
}

static inline uint64_t oh_read_le64(const uint8_t *bytes)
{
    return oh_read_le32(bytes) | (uint64_t)oh_read_le32(bytes + 4) << 32;
}

static inline uint32_t oh_swap32(uint32_t number)
{
    return number >> 24 | (number >> 8 & 0xff00) | (number << 8 & 0xff0000) | number << 24;
}

/* 0x80 .. 0xff become 0xffffff80 .. 0xffffffff. */
static inline uint32_t oh_read_signed(uint8_t byte)
{
    return (uint32_t)(int32_t)(int8_t)byte;
}

#endif
