/*
 * murmur64a: Austin Appleby's MurmurHash64A, little-endian, with the seed of Jedis.
 *
 * Implements spec/hash, murmur64a.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

#define MULTIPLIER UINT64_C(0xc6a4a7935bd1e995)
#define ROTATION 47
#define SEED UINT64_C(0x1234abcd)

uint64_t oh_hash_murmur64a(const uint8_t *bytes, size_t length)
{
    uint64_t hash = SEED ^ (length * MULTIPLIER);
    for (; length >= 8; bytes += 8, length -= 8) {
        uint64_t block = oh_read_le64(bytes) * MULTIPLIER;
        block ^= block >> ROTATION;
        hash = (hash ^ block * MULTIPLIER) * MULTIPLIER;
    }
    if (length > 0) {
        uint64_t rest = 0;
        for (size_t i = 0; i < length; i++) {
            rest |= (uint64_t)bytes[i] << 8 * i;
        }
        hash = (hash ^ rest) * MULTIPLIER;
    }
    hash = (hash ^ hash >> ROTATION) * MULTIPLIER;
    return hash ^ hash >> ROTATION;
}
