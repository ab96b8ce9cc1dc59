/*
 * libmemcached_consistent, spymemcached: the rings of two clients of memcached.
 *
 * libmemcached without weights has 100 points for each server, and hashes them as it hashes keys.
 * The ring of spymemcached is that of ketama, but with spymemcached's names, and in the order of
 * its list.
 *
 * Implements spec/placement, section 6.
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/generated/limits.h"
#include "core/hash/bytes.h"
#include "core/hash/md5.h"
#include "core/placement/foreign.h"
#include "core/placement/placement.h"

#define POINTS_PER_SERVER 100
#define POINTS_PER_DIGEST 4
#define TEXT_BYTES_MAX (OH_SERVER_NAME_BYTES_MAX + 1 + OH_DECIMAL_DIGITS_MAX)

static oh_bytes whole(oh_bytes key, const uint8_t *tag)
{
    (void)tag;
    return key;
}

static uint64_t hash_of(oh_hash hash, oh_bytes part)
{
    return oh_hash_functions[hash](part.bytes, part.length);
}

/* "name-number" */
static size_t write_text(char text[TEXT_BYTES_MAX], const oh_shard *shard, uint32_t number)
{
    size_t length = shard->name.length;

    memcpy(text, shard->name.bytes, length);
    text[length++] = '-';
    return length + oh_decimal_write(text + length, number);
}

uint64_t oh_foreign_digest_point(const oh_shard *shard, uint32_t number)
{
    char text[TEXT_BYTES_MAX];
    uint8_t digest[OH_MD5_DIGEST_BYTES];

    oh_md5_digest(text, write_text(text, shard, number / POINTS_PER_DIGEST), digest);
    return oh_read_le32(digest + number % POINTS_PER_DIGEST * sizeof(uint32_t));
}

static uint64_t point(const oh_shard *shard, uint32_t number)
{
    char text[TEXT_BYTES_MAX];
    size_t length = write_text(text, shard, number);

    return hash_of(shard->hash, (oh_bytes){(const uint8_t *)text, length});
}

static uint64_t points(const oh_shard *shard)
{
    (void)shard;
    return POINTS_PER_SERVER;
}

/* Without weights, rounding removes no point. */
static uint64_t digest_points(const oh_shard *shard)
{
    if (shard->weights_sum == shard->servers_count) {
        return OH_KETAMA_POINTS;
    }
    uint32_t groups = oh_ketama_groups(shard->weight, shard->weights_sum, shard->servers_count);
    return (uint64_t)groups * POINTS_PER_DIGEST;
}

const oh_foreign oh_libmemcached_consistent = {
    .hashes = OH_HASH_BIT(OH_HASH_ONE_AT_A_TIME) | OH_HASH_BIT(OH_HASH_MD5) |
              OH_HASH_BIT(OH_HASH_CRC32) | OH_HASH_BIT(OH_HASH_FNV1_64) |
              OH_HASH_BIT(OH_HASH_FNV1A_64) | OH_HASH_BIT(OH_HASH_FNV1_32) |
              OH_HASH_BIT(OH_HASH_FNV1A_32) | OH_HASH_BIT(OH_HASH_MURMUR) |
              OH_HASH_BIT(OH_HASH_JENKINS),
    .default_hash = OH_HASH_ONE_AT_A_TIME,
    .has_short_names = true,
    .part = whole,
    .hash = hash_of,
    .count = points,
    .point = point};

const oh_foreign oh_spymemcached = {.hashes = OH_HASH_BIT(OH_HASH_MD5),
    .default_hash = OH_HASH_MD5,
    .has_weights = true,
    .is_last_first = true,
    .part = whole,
    .hash = hash_of,
    .count = digest_points,
    .point = oh_foreign_digest_point};
