/*
 * codis: a key is in one of 1024 slots, and the file says which server has a slot.
 *
 * The ring has a point for each slot.
 *
 * Implements spec/placement, section 6.
 */
#include "core/key/key.h"
#include "core/placement/foreign.h"

static oh_bytes part(oh_bytes key, const uint8_t *tag)
{
    (void)tag;
    return oh_key_hashed_loosely(key);
}

static uint64_t hash_of(oh_hash hash, oh_bytes part)
{
    (void)hash;
    return oh_hash_crc32a(part.bytes, part.length);
}

uint32_t oh_shard_slots(oh_text slots)
{
    uint32_t count = 0;

    for (uint32_t slot = 0; slot < OH_SHARD_SLOTS; slot++) {
        count += oh_shard_has(slots, slot);
    }
    return count;
}

static uint64_t count(const oh_shard *shard)
{
    return oh_shard_slots(shard->slots);
}

/* The slot with this number among those of the server, counted from 0. */
static uint64_t point(const oh_shard *shard, uint32_t number)
{
    uint32_t slot = 0;

    for (uint32_t before = 0; slot < OH_SHARD_SLOTS - 1; slot++) {
        if (oh_shard_has(shard->slots, slot) && before++ == number) {
            break;
        }
    }
    return slot;
}

const oh_foreign oh_codis = {.hashes = OH_HASH_BIT(OH_HASH_CRC32A),
    .default_hash = OH_HASH_CRC32A,
    .has_weights = true,
    .has_slots = true,
    .part = part,
    .hash = hash_of,
    .count = count,
    .point = point};
