/*
 * predis_hashring: the ring of Predis' HashRing, its default.
 *
 * A hash belongs to the last point that is not above it. If the complements of hashes and points
 * are taken, the ring is like all others.
 *
 * Implements spec/placement, section 6.
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/generated/limits.h"
#include "core/key/key.h"
#include "core/placement/foreign.h"

#define POINTS_PER_SERVER 128

static oh_bytes part(oh_bytes key, const uint8_t *tag)
{
    static const uint8_t braces[2] = {'{', '}'};

    (void)tag;
    return oh_key_hashed(key, braces);
}

static uint64_t hash_of(oh_hash hash, oh_bytes part)
{
    (void)hash;
    return oh_hash_crc32a(part.bytes, part.length);
}

/* In double precision, step by step in this order, as PHP does it. */
static uint64_t count(const oh_shard *shard)
{
    volatile double step = (double)shard->weight / (double)shard->weights_sum;

    step = step * (double)shard->servers_count;
    step = step * POINTS_PER_SERVER;
    step = step + 0.5;
    return (uint64_t)step;
}

/* "10.0.0.1:6379:127" */
static uint64_t point(const oh_shard *shard, uint32_t number)
{
    char text[OH_SERVER_NAME_BYTES_MAX + 1 + OH_DECIMAL_DIGITS_MAX];
    size_t length = shard->name.length;

    memcpy(text, shard->name.bytes, length);
    text[length++] = ':';
    length += oh_decimal_write(text + length, number);
    return oh_hash_crc32a((const uint8_t *)text, length);
}

const oh_foreign oh_predis_hashring = {.hashes = OH_HASH_BIT(OH_HASH_CRC32A),
    .default_hash = OH_HASH_CRC32A,
    .has_weights = true,
    .is_last_first = true,
    .flip = UINT32_MAX,
    .part = part,
    .hash = hash_of,
    .count = count,
    .point = point};
