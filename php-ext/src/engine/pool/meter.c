/*
 * Finds the counters of a node, once per snapshot and node. After that, counting is an addition in
 * memory.
 *
 * Implements spec/topology/segment.md, "Entries come and go".
 */
#include "engine/pool/meter.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/hash/md5.h"
#include "core/topology/topology_image.h"

#include "engine/shared/segment.h"

static void identify(const uint8_t *pool, oh_text node, uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, pool, OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, node.bytes, node.length);
    oh_md5_end(&md5, identity);
}

const oh_store_meter *oh_metered_find(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node)
{
    const oh_store *store = oh_segment_store();
    uint8_t identity[OH_STORE_IDENTITY_BYTES];

    identify(pool, node, identity);
    return store ? oh_store_meter_at(store, oh_store_find_meter(store, identity)) : NULL;
}

/* ---- Meters of nodes that are gone ---- */

/* If all meters are in use, a search for an unused one is not repeated before this time. */
#define OH_CHECK_EVERY_MS 2000

/* The meters of all nodes in published configurations and maps. */
typedef struct oh_configured {
    uint8_t (*identities)[OH_STORE_IDENTITY_BYTES];
    size_t count;
    /* The sum of all generations. If it differs later, the nodes may have changed. */
    uint64_t generations;
} oh_configured;

static uint64_t generations(const oh_store *store)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < oh_store_pools_count(store); i++) {
        sum += oh_store_generation(store, i);
    }
    return sum;
}

/* False if there is no memory. */
static bool collect_nodes(
    oh_configured *configured, const void *image, const uint8_t *pool_identity)
{
    uint32_t count = oh_topology_nodes_count(oh_image_topology(image));
    oh_server *servers = oh_memory_zeroed(count, sizeof *servers);
    uint8_t (*identities)[OH_STORE_IDENTITY_BYTES] =
        oh_memory_zeroed(configured->count + count, sizeof *identities);
    oh_server_pool pool;

    if (!servers || !identities) {
        oh_memory_release(servers);
        oh_memory_release(identities);
        return false;
    }
    if (configured->count) {
        memcpy(identities, configured->identities, configured->count * sizeof *identities);
    }
    oh_image_pool(image, servers, &pool);
    for (uint32_t i = 0; i < count; i++) {
        identify(pool_identity, servers[i].name, identities[configured->count++]);
    }
    oh_memory_release(configured->identities);
    configured->identities = identities;
    oh_memory_release(servers);
    return true;
}

/* False if not all of them could be read. */
static bool collect(oh_configured *configured, const oh_store *store)
{
    bool is_whole = true;

    *configured = (oh_configured){.generations = generations(store)};
    for (uint32_t i = 0; is_whole && i < oh_store_pools_count(store); i++) {
        uint8_t pool[OH_STORE_IDENTITY_BYTES];
        oh_image_copy copy = oh_segment_copy(i);

        if (copy.image) {
            oh_store_identity(store, i, pool);
            is_whole = collect_nodes(configured, copy.image, pool);
        }
        is_whole = is_whole && !copy.lacks_memory;
        oh_memory_release(copy.image);
    }
    return is_whole;
}

static bool has(const oh_configured *configured, const uint8_t *identity)
{
    for (size_t i = 0; i < configured->count; i++) {
        if (memcmp(configured->identities[i], identity, OH_STORE_IDENTITY_BYTES) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * If the configuration was replaced during the search, no meter is given up, and the next caller
 * searches again.
 */
static void give_up_meters(oh_store *store)
{
    static _Atomic uint64_t checked_ms;
    uint64_t now_ms = oh_clock_now_ms(), last_ms = atomic_load(&checked_ms);
    oh_configured configured;

    if (last_ms && now_ms - last_ms < OH_CHECK_EVERY_MS) {
        return;
    }
    atomic_store(&checked_ms, now_ms);
    if (collect(&configured, store) && oh_segment_lock()) {
        for (uint32_t i = 0;
            i < oh_store_nodes_max(store) && configured.generations == generations(store); i++) {
            if (!has(&configured, oh_store_meter_at(store, i)->key.identity)) {
                oh_store_give_up_meter(store, i, now_ms);
            }
        }
        oh_segment_unlock();
    }
    oh_memory_release(configured.identities);
}

/* ---- The counts of this process ---- */

/*
 * The counts, by the number of the meter. If the entry of a meter belongs to another node by now,
 * its counts begin again.
 */
static OH_PER_THREAD struct {
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_metered_own own;
} own_counts[OH_STORE_NODES_LIMIT];

static size_t number_of(const oh_store_meter *shared)
{
    return (size_t)(shared - oh_store_meter_at(oh_segment_store(), 0));
}

static bool is_counted(const oh_store_meter *shared)
{
    return memcmp(own_counts[number_of(shared)].identity, shared->key.identity,
               OH_STORE_IDENTITY_BYTES) == 0;
}

static oh_metered_own *own_of(const oh_store_meter *shared)
{
    size_t number = number_of(shared);

    if (!is_counted(shared)) {
        memcpy(own_counts[number].identity, shared->key.identity, OH_STORE_IDENTITY_BYTES);
        own_counts[number].own = (oh_metered_own){0};
    }
    return &own_counts[number].own;
}

oh_metered_own oh_metered_own_of(const oh_store_meter *shared)
{
    return is_counted(shared) ? own_counts[number_of(shared)].own : (oh_metered_own){0};
}

/* ---- Finding ---- */

static uint32_t add(oh_store *store, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    uint32_t number = OH_STORE_NONE;

    if (oh_segment_lock()) {
        number = oh_store_add_meter(store, identity);
        oh_segment_unlock();
    }
    return number;
}

static oh_store_meter *find_or_add(const uint8_t *pool, oh_text node)
{
    oh_store *store = oh_segment_store();
    uint8_t identity[OH_STORE_IDENTITY_BYTES];

    if (!store) {
        return NULL;
    }
    identify(pool, node, identity);
    uint32_t number = oh_store_find_meter(store, identity);
    if (number == OH_STORE_NONE && (number = add(store, identity)) == OH_STORE_NONE) {
        give_up_meters(store);
        number = add(store, identity);
    }
    return oh_store_meter_at(store, number);
}

void oh_metered_open(oh_metered *metered, const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_text node)
{
    metered->shared = find_or_add(pool, node);
    metered->meter =
        metered->shared ? &metered->shared->meter : oh_memory_zeroed(1, sizeof *metered->meter);
    metered->own = metered->shared ? own_of(metered->shared) : &metered->unshared;
    if (metered->meter) {
        oh_meter_open(metered->meter, oh_clock_unix_s());
    }
}

void oh_metered_close(oh_metered *metered)
{
    if (!metered->shared) {
        oh_memory_release(metered->meter);
    }
}
