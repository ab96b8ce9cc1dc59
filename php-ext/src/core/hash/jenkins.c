/*
 * The hashes of Bob Jenkins, jenkins and one_at_a_time, and that of Paul Hsieh.
 *
 * Implements spec/hash: jenkins, one_at_a_time and hsieh.
 */
#include <string.h>

#include "core/hash/bytes.h"
#include "core/hash/hash.h"

/* ---- jenkins ---- */

#define START 0xdeadbeefu
#define NUTCRACKER_SEED 13u
#define BLOCK_BYTES 12

static inline uint32_t rotate(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

static inline void add_block(uint32_t *a, uint32_t *b, uint32_t *c, const uint8_t *block)
{
    *a += oh_read_le32(block);
    *b += oh_read_le32(block + 4);
    *c += oh_read_le32(block + 8);
}

/* One step of the round: the words take turns in the three roles. */
#define ROUND(x, y, z, bits) ((x) -= (z), (x) ^= rotate(z, bits), (z) += (y))

/* One step of the final mix. */
#define FINISH(x, y, bits) ((x) ^= (y), (x) -= rotate(y, bits))

/*
 * Bob Jenkins' lookup3 (hashlittle), its third word, with nutcracker's start value.
 *
 * The original has a path for each alignment. If the words are little-endian and the last ones are
 * padded with zeros, all these paths give the same hash as this one. The last 1 .. 12 bytes go
 * through the final mix, never through the round, so an empty key returns its start value.
 */
uint32_t oh_hash_jenkins(const uint8_t *bytes, size_t length)
{
    uint32_t a = START + (uint32_t)length + NUTCRACKER_SEED;
    uint32_t b = a;
    uint32_t c = a;

    if (length == 0) {
        return c;
    }
    for (; length > BLOCK_BYTES; bytes += BLOCK_BYTES, length -= BLOCK_BYTES) {
        add_block(&a, &b, &c, bytes);
        ROUND(a, b, c, 4);
        ROUND(b, c, a, 6);
        ROUND(c, a, b, 8);
        ROUND(a, b, c, 16);
        ROUND(b, c, a, 19);
        ROUND(c, a, b, 4);
    }
    uint8_t last[BLOCK_BYTES] = {0};
    memcpy(last, bytes, length);
    add_block(&a, &b, &c, last);
    FINISH(c, b, 14);
    FINISH(a, c, 11);
    FINISH(b, a, 25);
    FINISH(c, b, 16);
    FINISH(a, c, 4);
    FINISH(b, a, 14);
    FINISH(c, b, 24);
    return c;
}

/* ---- one_at_a_time ---- */

/* Bob Jenkins' simple byte-wise mixer, started at 0, over signed bytes. */
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

/* ---- hsieh ---- */

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

/*
 * Paul Hsieh's SuperFastHash with nutcracker's two departures: it starts at 0 instead of the
 * length, and the last byte of a tail of three bytes is signed.
 */
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
