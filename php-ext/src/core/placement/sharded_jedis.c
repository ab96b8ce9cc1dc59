/*
 * sharded_jedis, sharded_jedis_2_9, jedis_sharding: the rings of Jedis, from 2.1 to 6.
 *
 * A point is the hash of a text: the name of a server, or its place in the list, and a number.
 * Before 2.10 the weight stands between name and number, so named servers have other points.
 *
 * Implements spec/placement, section 6.
 */
#include <stdio.h>

#include "core/base/decimal.h"
#include "core/generated/limits.h"
#include "core/key/key.h"
#include "core/placement/foreign.h"

#define POINTS_PER_WEIGHT 160

static oh_bytes part(oh_bytes key, const uint8_t *tag)
{
    return tag ? oh_key_hashed_lazily(key, tag) : key;
}

static uint64_t hash_of(oh_hash hash, oh_bytes part)
{
    return hash == OH_HASH_MURMUR64A ? oh_hash_murmur64a(part.bytes, part.length)
                                     : oh_hash_md5(part.bytes, part.length);
}

static uint64_t count(const oh_shard *shard)
{
    return (uint64_t)POINTS_PER_WEIGHT * shard->weight;
}

static uint64_t hash_of_text(const oh_shard *shard, const char *text, size_t length)
{
    return hash_of(shard->hash, (oh_bytes){(const uint8_t *)text, length});
}

/* "SHARD-0-NODE-159" */
static uint64_t point_of_place(const oh_shard *shard, uint32_t number)
{
    char text[sizeof "SHARD--NODE-" + (size_t)2 * OH_DECIMAL_DIGITS_MAX];
    int length = snprintf(text, sizeof text, "SHARD-%u-NODE-%u", shard->index, number);

    return hash_of_text(shard, text, (size_t)length);
}

/* `has_weight`: "name*1159" for number 159 of weight 1; otherwise "name*159". */
static uint64_t point_of_name(const oh_shard *shard, uint32_t number, bool has_weight)
{
    char text[OH_SERVER_NAME_BYTES_MAX + 1 + 2 * OH_DECIMAL_DIGITS_MAX];
    size_t length = shard->name.length;

    memcpy(text, shard->name.bytes, length);
    text[length++] = '*';
    length += has_weight ? oh_decimal_write(text + length, shard->weight) : 0;
    length += oh_decimal_write(text + length, number);
    return hash_of_text(shard, text, length);
}

static uint64_t point(const oh_shard *shard, uint32_t number)
{
    return shard->is_named ? point_of_name(shard, number, false) : point_of_place(shard, number);
}

static uint64_t point_2_9(const oh_shard *shard, uint32_t number)
{
    return shard->is_named ? point_of_name(shard, number, true) : point_of_place(shard, number);
}

#define ROW                                                                                        \
    .hashes = OH_HASH_BIT(OH_HASH_MURMUR64A) | OH_HASH_BIT(OH_HASH_MD5),                           \
    .default_hash = OH_HASH_MURMUR64A, .has_tags = true, .is_last_first = true, .part = part,      \
    .hash = hash_of, .count = count

const oh_foreign oh_sharded_jedis = {
    ROW, .has_weights = true, .has_many_points = true, .has_unnamed = true, .point = point};
const oh_foreign oh_sharded_jedis_2_9 = {
    ROW, .has_weights = true, .has_many_points = true, .has_unnamed = true, .point = point_2_9};
const oh_foreign oh_jedis_sharding = {ROW, .point = point_of_place};
