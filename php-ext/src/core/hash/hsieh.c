/*
 * hsieh: Paul Hsieh's SuperFastHash with nutcracker's two departures: it starts at 0 instead of the
 * length, and of a tail of three bytes the last is signed.
 *
 * Implements spec/hash, hsieh.
 */
#include "core/hash/bytes.h"
#include "core/hash/hash.h"

static uint32_t mix_tail(uint32_t hash, const uint8_t *tail, size_t length)
{
    switch (length) {
    case 3:
        hash += oh_read_le16(tail);
        hash ^= hash << 16;
        hash ^= oh_read_signed(tail[2]) << 18;
        return hash + (hash >> 11);
    case 2:
        hash += oh_read_le16(tail);
        hash ^= hash << 11;
        return hash + (hash >> 17);
    case 1:
        hash += tail[0];
        hash ^= hash << 10;
        return hash + (hash >> 1);
    default: return hash;
    }
}

uint32_t oh_hash_hsieh(const uint8_t *bytes, size_t length)
{
    uint32_t hash = 0;
    for (; length >= 4; bytes += 4, length -= 4) {
        hash += oh_read_le16(bytes);
        hash = (hash << 16) ^ (oh_read_le16(bytes + 2) << 11) ^ hash;
        hash += hash >> 11;
    }
    hash = mix_tail(hash, bytes, length);
    hash ^= hash << 3;
    hash += hash >> 5;
    hash ^= hash << 4;
    hash += hash >> 17;
    hash ^= hash << 25;
    hash += hash >> 6;
    return hash;
}
