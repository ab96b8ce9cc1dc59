/*
 * The hashes of Austin Appleby, little-endian: murmur and murmur64a.
 *
 * Implements spec/hash: murmur and murmur64a.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

/* ---- murmur ---- */

#define MULTIPLIER_32 0x5bd1e995u
#define ROTATION_32 24
#define SEED_OF_LENGTH 0xdeadbeefu

/* MurmurHash2 with a seed that nutcracker derives from the length. */
uint32_t oh_hash_murmur(const uint8_t *bytes, size_t length)
{
    uint32_t hash = (SEED_OF_LENGTH * (uint32_t)length) ^ (uint32_t)length;

    for (; length >= 4; bytes += 4, length -= 4) {
        uint32_t block = oh_read_le32(bytes) * MULTIPLIER_32;

        block ^= block >> ROTATION_32;
        hash = (hash * MULTIPLIER_32) ^ (block * MULTIPLIER_32);
    }
    switch (length) {
    case 3: hash ^= (uint32_t)bytes[2] << 16;         /* Fall through. */
    case 2: hash ^= (uint32_t)bytes[1] << 8;          /* Fall through. */
    case 1: hash = (hash ^ bytes[0]) * MULTIPLIER_32; /* Fall through. */
    default: break;
    }
    hash ^= hash >> 13;
    hash *= MULTIPLIER_32;
    hash ^= hash >> 15;
    return hash;
}

/* ---- murmur64a ---- */

#define MULTIPLIER_64 UINT64_C(0xc6a4a7935bd1e995)
#define ROTATION_64 47
#define SEED_64 UINT64_C(0x1234abcd)

/* MurmurHash64A with the seed of Jedis. */
uint64_t oh_hash_murmur64a(const uint8_t *bytes, size_t length)
{
    uint64_t hash = SEED_64 ^ (length * MULTIPLIER_64);

    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t block = oh_read_le64(bytes) * MULTIPLIER_64;

        block ^= block >> ROTATION_64;
        hash = (hash ^ block * MULTIPLIER_64) * MULTIPLIER_64;
    }
    if (length > 0) {
        uint64_t rest = 0;

        for (size_t i = 0; i < length; i++) {
            rest |= (uint64_t)bytes[i] << 8 * i;
        }
        hash = (hash ^ rest) * MULTIPLIER_64;
    }
    hash = (hash ^ hash >> ROTATION_64) * MULTIPLIER_64;
    return hash ^ hash >> ROTATION_64;
}
