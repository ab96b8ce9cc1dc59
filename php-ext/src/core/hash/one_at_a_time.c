/*
 * one_at_a_time: Bob Jenkins' simple byte-wise mixer, started at 0, over signed bytes.
 *
 * Implements spec/hash, one_at_a_time.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

uint32_t oh_hash_one_at_a_time(const uint8_t *bytes, size_t length)
{
    uint32_t hash = 0;
    for (size_t i = 0; i < length; i++) {
        hash += oh_read_signed(bytes[i]);
        hash += hash << 10;
        hash ^= hash >> 6;
    }
    hash += hash << 3;
    hash ^= hash >> 11;
    hash += hash << 15;
    return hash;
}
