/*
 * redis_array, redis_array_consistent: RedisArray of phpredis, without and with `consistent`.
 *
 * Without `consistent`, the hosts have ranges of equal size: the index of the host is the
 * complement of the hash, times the number of hosts, divided by 2^32 - 1. With `consistent`, each
 * host has 160 points of MD5.
 *
 * Implements spec/placement, section 6.
 */
#include <string.h>

#include "core/key/key.h"
#include "core/placement/foreign.h"
#include "core/placement/placement.h"

#define HOST_BYTES_MAX 60 /* If a host is longer, phpredis digests the bytes behind its buffer. */
#define HASHES                                                                                     \
    (OH_HASH_BIT(OH_HASH_CRC32A) | OH_HASH_BIT(OH_HASH_MD5) | OH_HASH_BIT(OH_HASH_CRC32) |         \
        OH_HASH_BIT(OH_HASH_CRC32B) | OH_HASH_BIT(OH_HASH_JOAAT))

/* phpredis searches for the tag in a C string, which ends at a NUL. */
static oh_bytes part(oh_bytes key, const uint8_t *tag)
{
    (void)tag;
    const uint8_t *nul = key.length > 0 ? memchr(key.bytes, '\0', key.length) : NULL;
    oh_bytes text = {key.bytes, nul ? (size_t)(nul - key.bytes) : key.length};
    oh_bytes tagged = oh_key_hashed_loosely(text);
    return tagged.length == text.length ? key : tagged;
}

/* If no algorithm is set, phpredis takes the register of a CRC-32 before the final inversion. */
static uint64_t hash_of(oh_hash hash, oh_bytes part)
{
    return hash == OH_HASH_CRC32A ? ~oh_hash_crc32a(part.bytes, part.length)
                                  : oh_hash_of_php(hash, part.bytes, part.length) % UINT32_MAX;
}

static uint64_t complement_of(oh_hash hash, oh_bytes part)
{
    return hash_of(hash, part) ^ UINT32_MAX;
}

static uint64_t one(const oh_shard *shard)
{
    (void)shard;
    return 1;
}

/*
 * The last number of a server's range. The highest number of all, which belongs to no host, goes to
 * the last one.
 */
static uint64_t last_number(const oh_shard *shard, uint32_t number)
{
    (void)number;
    uint64_t next = shard->index + UINT64_C(1);
    uint64_t end = (next * UINT32_MAX + shard->servers_count - 1) / shard->servers_count;
    return next == shard->servers_count ? end : end - 1;
}

static uint64_t points(const oh_shard *shard)
{
    (void)shard;
    return OH_KETAMA_POINTS;
}

const oh_foreign oh_redis_array = {.hashes = HASHES,
    .default_hash = OH_HASH_CRC32A,
    .part = part,
    .hash = complement_of,
    .count = one,
    .point = last_number};

const oh_foreign oh_redis_array_consistent = {.hashes = HASHES,
    .default_hash = OH_HASH_CRC32A,
    .name_bytes_max = HOST_BYTES_MAX,
    .part = part,
    .hash = hash_of,
    .count = points,
    .point = oh_foreign_digest_point};
