/*
 * murmur: Austin Appleby's MurmurHash2, little-endian, with a seed that nutcracker derives from the
 * length.
 *
 * Implements spec/hash, murmur.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

#define MULTIPLIER 0x5bd1e995u
#define ROTATION 24
#define SEED_OF_LENGTH 0xdeadbeefu

uint32_t oh_hash_murmur(const uint8_t *bytes, size_t length)
{
    uint32_t hash = (SEED_OF_LENGTH * (uint32_t)length) ^ (uint32_t)length;
    for (; length >= 4; bytes += 4, length -= 4) {
        uint32_t block = oh_read_le32(bytes) * MULTIPLIER;
        block ^= block >> ROTATION;
        hash = (hash * MULTIPLIER) ^ (block * MULTIPLIER);
    }
    switch (length) {
    case 3: hash ^= (uint32_t)bytes[2] << 16;      /* Fall through. */
    case 2: hash ^= (uint32_t)bytes[1] << 8;       /* Fall through. */
    case 1: hash = (hash ^ bytes[0]) * MULTIPLIER; /* Fall through. */
    default: break;
    }
    hash ^= hash >> 13;
    hash *= MULTIPLIER;
    hash ^= hash >> 15;
    return hash;
}
