/*
 * The distributions of other clients: what is hashed, by which hash, and where the points of the
 * servers are.
 *
 * Each client has a file with its rows. topology makes a ring of the points and looks numbers up.
 * The servers are in the order of the file, because that order has an influence here. All of them
 * take part, also those that are ejected.
 *
 * Implements spec/placement, section 6.
 */
#ifndef OH_FOREIGN_H
#define OH_FOREIGN_H

#include "core/base/slice.h"
#include "core/hash/hash.h"

/* The slots that a file may give to servers. */
#define OH_SHARD_SLOTS 1024
#define OH_SHARD_SLOTS_BYTES (OH_SHARD_SLOTS / 8)

/* A server whose points are made. */
typedef struct oh_shard {
    oh_text name;
    bool is_named; /* The file gives the name; otherwise it is the address. */
    uint32_t index;
    uint32_t weight;
    uint32_t servers_count;
    uint32_t weights_sum;
    /* If servers have slots: OH_SHARD_SLOTS_BYTES of bits, of which those of its slots are set. */
    oh_text slots;
    oh_hash hash;
} oh_shard;

typedef struct oh_foreign {
    uint32_t hashes; /* OH_HASH_BIT of each hash that it may have. */
    oh_hash default_hash;
    bool has_tags;    /* `hash_tag` may be set. */
    bool has_weights; /* Weights may differ from 1. */
    bool has_slots;   /* The file gives each server its slots; the weight is their number. */
    /* A server without a name has other points than a server that the file names by its address. */
    bool has_unnamed;
    /* If points are equal, that of the last server counts, not that of the first. */
    bool is_last_first;

    bool has_short_names;  /* Servers are named as nutcracker names them. */
    bool has_many_points;  /* The weight multiplies the number of a server's points. */
    size_t name_bytes_max; /* 0: the same as for all servers. */
    /* Hashes and points are xored with this to get the numbers of the ring. */
    uint64_t flip;

    /* The part of a key that is hashed; `tag` is NULL if the pool has none. */
    oh_bytes (*part)(oh_bytes key, const uint8_t *tag);
    uint64_t (*hash)(oh_hash hash, oh_bytes part);

    /* How many points a server has, and the value of each. */
    uint64_t (*count)(const oh_shard *shard);
    uint64_t (*point)(const oh_shard *shard, uint32_t number);
} oh_foreign;

#define OH_HASH_BIT(hash) (UINT32_C(1) << (hash))

/* True if hashes and points have 64 bits, not 32. */
static inline bool oh_foreign_is_wide(oh_hash hash)
{
    return hash == OH_HASH_MURMUR64A;
}

/* Word number % 4 of the MD5 digest of "name-i", i = number / 4. */
uint64_t oh_foreign_digest_point(const oh_shard *shard, uint32_t number);

/* True if the slots of a server include this one. */
static inline bool oh_shard_has(oh_text slots, uint32_t slot)
{
    return (uint8_t)slots.bytes[slot / 8] >> slot % 8 & 1;
}
uint32_t oh_shard_slots(oh_text slots);

extern const oh_foreign oh_redis_array;
extern const oh_foreign oh_redis_array_consistent;
extern const oh_foreign oh_predis_hashring;
extern const oh_foreign oh_libmemcached_consistent;
extern const oh_foreign oh_spymemcached;
extern const oh_foreign oh_sharded_jedis;
extern const oh_foreign oh_sharded_jedis_2_9;
extern const oh_foreign oh_jedis_sharding;
extern const oh_foreign oh_codis;

#endif
