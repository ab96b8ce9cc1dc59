/* The inside of the store: how the memory is divided, and how an entry is found in an area. */
#ifndef OH_STORE_INTERNAL_H
#define OH_STORE_INTERNAL_H

#include "core/store/store.h"

#define OH_STORE_ALIGNMENT ((size_t)64)

typedef struct slot {
    uint64_t offset;
    uint64_t capacity;
    uint64_t length;
    uint64_t checksum;
} slot;

typedef struct entry {
    oh_store_key key;
    char label[OH_STORE_LABEL_BYTES];
    _Atomic uint64_t current; /* Generation times two, plus the slot. */
    _Atomic uint64_t checked_ms;
    _Atomic uint64_t
        checker; /* The process that is checking, and since when; 0 if there is none. */
    _Atomic uint64_t version;
    _Atomic uint64_t problem[OH_STORE_PROBLEM_WORDS];
    _Atomic uint64_t read_at;
    slot slots[2];
} entry; /* Of a server pool. */

typedef struct shared {
    _Atomic uint64_t arena_used;
    _Atomic uint64_t ejections;
    _Atomic uint64_t tidied_ms; /* When a process last searched for entries that are not needed. */
    _Atomic uint64_t told_ms[OH_STORE_NEWS_COUNT];
    oh_store_names names;
    entry pools[OH_STORE_POOLS_MAX];
} shared;

/* The limits of every access are this process' own: no other process can change them. */
struct oh_store {
    shared *shared; /* Followed by the nodes, the meters, and the arena. */
    size_t length;
    uint32_t nodes_max;
    uint8_t salt[OH_STORE_IDENTITY_BYTES];
};

static inline size_t oh_store_aligned(size_t size)
{
    return (size + OH_STORE_ALIGNMENT - 1) & ~(OH_STORE_ALIGNMENT - 1);
}

/* Where the meters begin. */
static inline size_t oh_store_meters_of(uint32_t nodes_max)
{
    return oh_store_aligned(sizeof(shared)) + oh_store_aligned(nodes_max * sizeof(oh_store_node));
}

/*
 * The number of an entry, or OH_STORE_NONE if it is not found. Then `unused` is the number of the
 * first free entry, if there is one.
 */
uint32_t oh_store_search(
    const void *area, size_t size, uint32_t count, const uint8_t *identity, uint32_t *unused);

/*
 * Begins a new entry, and returns its key. Open the entry when the rest of it is written. NULL if
 * there is an entry of this identity already, or if there is no room.
 */
oh_store_key *oh_store_begin_entry(
    void *area, size_t size, uint32_t count, const uint8_t *identity, uint32_t *number);

/* NULL is allowed. */
void oh_store_open_entry(oh_store_key *key);

/* True if `last_ms` is long enough ago. 0 means never. */
bool oh_store_is_due(uint64_t last_ms, uint64_t now_ms, uint32_t every_ms);

/* True for one caller of all processes per `every_ms`; `last` is when that was. */
bool oh_store_take_turn(_Atomic uint64_t *last, uint64_t now_ms, uint32_t every_ms);

#endif
