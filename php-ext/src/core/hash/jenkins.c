/*
 * jenkins: Bob Jenkins' lookup3 (hashlittle), its third word, with nutcracker's start value.
 *
 * The original has a path for each alignment. With little-endian words padded with zeros, all of
 * them are equal to this one. The last 1 .. 12 bytes go through the final mix, never through the
 * round, so an empty key returns its start value.
 *
 * Implements spec/hash, jenkins.
 */
#include <string.h>

#include "core/hash/bytes.h"
#include "core/hash/hash.h"

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
