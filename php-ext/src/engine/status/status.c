/*
 * The list of server pools: those in the store, each with its published image, and those that only
 * this process has.
 */
#include "engine/status/status.h"

#include <string.h>

#include "core/topology/topology_image.h"

#include "engine/base/environment.h"
#include "engine/nodes/nodes.h"
#include "engine/shared/segment.h"
#include "engine/source/source.h"

#define OH_COPIED_BYTES_MIN 16384

/* The server pool whose status is collected. */
typedef struct subject {
    const char *path;
    uint64_t generation;
    uint64_t read_at;    /* As oh_store_read_at returns it. */
    const char *problem; /* Why the file was refused then. Any process may have written it. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    const oh_snapshot *snapshot; /* The one of this process; NULL if it has none. */
} subject;

/* NULL if there is no memory. */
static char *copy_text(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = oh_call_allocate(bytes);

    return copy ? memcpy(copy, text, bytes) : NULL;
}

/* ---- One server pool ---- */

static void release(oh_server_pool_status *status)
{
    oh_call_release(status->nodes);
    oh_call_release(status->servers);
    oh_call_release(status->image);
    oh_call_release(status->path);
    oh_call_release(status->problem);
    oh_call_release(status);
}

/* Takes over the image. NULL if there is no memory. */
static oh_server_pool_status *begin(void *image)
{
    const oh_topology *topology = oh_image_topology(image);
    oh_server_pool_status *status = oh_call_zeroed(1, sizeof *status);
    oh_server *servers = oh_call_zeroed(oh_topology_nodes_count(topology), sizeof *servers);

    if (!status || !servers) {
        oh_call_release(image);
        oh_call_release(servers);
        oh_call_release(status);
        return NULL;
    }
    status->image = image;
    status->topology = topology;
    status->servers = servers;
    oh_image_pool(image, servers, &status->pool);
    return status;
}

/* False if there is no memory. */
static bool fill(oh_server_pool_status *status, const subject *it)
{
    bool is_refused = it->read_at % 2 == 1 && it->problem;

    status->generation = it->generation;
    status->read_at = it->read_at / 2;
    status->path = copy_text(it->path);
    if (is_refused && (status->problem = copy_text(it->problem))) {
        oh_status_make_printable(status->problem);
    }
    return status->path && (!is_refused || status->problem) &&
           oh_status_describe_nodes(status, it->identity, it->snapshot);
}

/*
 * True for the seeds of a Redis Cluster. The status does not show the seeds but the map, which has
 * its own image.
 */
static bool is_seeds(const oh_server_pool *pool)
{
    uint32_t slot = 0;

    while (pool->slots && slot < OH_SLOTS_COUNT && (pool->slots[slot] & OH_SLOT_UNSERVED)) {
        slot++;
    }
    return (pool->is_cluster && slot == (pool->slots ? OH_SLOTS_COUNT : 0)) ||
           (pool->sentinels.bytes && pool->servers_count > 0 && pool->servers[0].id.length == 0);
}

/* Adds a server pool to the list, unless it is hidden. False if there is no memory. */
static bool add(oh_server_pool_status ***end, oh_server_pool_status *status, const subject *it)
{
    if (is_seeds(&status->pool)) {
        release(status);
        return true;
    }
    if (!fill(status, it)) {
        release(status);
        return false;
    }
    **end = status;
    *end = &status->next;
    return true;
}

/* ---- All server pools ---- */

/* This process' snapshot of the server pool with this entry in the store. */
static const oh_snapshot *own_snapshot(uint32_t index)
{
    const oh_snapshot *snapshot;
    oh_source_origin origin;
    uint32_t at = 0;

    while ((snapshot = oh_source_next(&at, &origin)) && origin.index != index) {
    }
    return snapshot;
}

/* Returns the entry with the state of the file. For a map, that is the entry of its seeds. */
static uint32_t place_of_file(const uint8_t *identity, uint32_t index)
{
    uint8_t seeds[OH_STORE_IDENTITY_BYTES], map[OH_STORE_IDENTITY_BYTES];

    for (uint32_t i = 0; i < oh_store_pools_count(oh_segment_store()); i++) {
        oh_store_identity(oh_segment_store(), i, seeds);
        for (oh_map_kind kind = 0; kind < OH_MAP_KINDS_COUNT; kind++) {
            oh_map_identify(seeds, kind, map);
            if (memcmp(map, identity, sizeof map) == 0) {
                return i;
            }
        }
    }
    return index;
}

/*
 * Leaves out of the list the map of a server pool that is a cluster no longer, or watched no
 * longer. The store still has that map, in an entry after that of the pool.
 */
static void forget_map(const oh_server_pool *pool, const uint8_t *identity, bool *is_forgotten)
{
    uint8_t map[OH_STORE_IDENTITY_BYTES];

    for (oh_map_kind kind = 0; kind < OH_MAP_KINDS_COUNT; kind++) {
        oh_map_identify(identity, kind, map);
        uint32_t entry =
            oh_map_kind_of(pool) == kind ? OH_STORE_NONE : oh_store_find(oh_segment_store(), map);
        if (entry != OH_STORE_NONE) {
            is_forgotten[entry] = true;
        }
    }
}

/*
 * Copies a published image into memory of the call, because the caller may be aborted while it uses
 * it. False if there is no memory. *image is NULL if there is no valid image.
 */
static bool copy_published(uint32_t index, void **image, uint64_t *generation)
{
    size_t room = OH_COPIED_BYTES_MIN, length = 0;

    *image = oh_call_allocate(room);
    while (*image &&
           (length = oh_store_copy(oh_segment_store(), index, *image, room, generation)) > room) {
        oh_call_release(*image);
        room = length + length / 4;
        *image = oh_call_allocate(room);
    }
    if (!*image) {
        return false;
    }
    if (length == 0 || !oh_image_is_valid(*image, length)) {
        oh_call_release(*image);
        *image = NULL;
    }
    return true;
}

/* False if there is no memory. */
static bool add_published(oh_server_pool_status ***end, uint32_t index, bool *is_forgotten)
{
    oh_store *store = oh_segment_store();
    char path[OH_STORE_LABEL_BYTES], problem[OH_STORE_PROBLEM_WORDS * sizeof(uint64_t) + 1];
    subject it = {.path = path, .problem = problem, .snapshot = own_snapshot(index)};
    void *image;

    if (!copy_published(index, &image, &it.generation)) {
        return false;
    }
    oh_server_pool_status *status = image ? begin(image) : NULL;
    if (!status) {
        return !image;
    }
    oh_store_label(store, index, path);
    oh_store_identity(store, index, it.identity);
    uint32_t file = place_of_file(it.identity, index);
    it.read_at = atomic_load(oh_store_read_at(store, file));
    oh_store_read_text(oh_store_problem(store, file), OH_STORE_PROBLEM_WORDS, problem);
    forget_map(&status->pool, it.identity, is_forgotten);
    return add(end, status, &it);
}

/* Adds the server pools that only this process has. False if there is no memory. */
static bool add_own(
    oh_server_pool_status ***end, const oh_snapshot *snapshot, const oh_source_origin *origin)
{
    subject it = {.path = origin->path,
        .generation = origin->generation,
        .read_at = origin->read_at,
        .problem = origin->problem,
        .snapshot = snapshot};
    void *image = oh_call_allocate(snapshot->image_length);
    oh_server_pool_status *status =
        image ? begin(memcpy(image, snapshot->image, snapshot->image_length)) : NULL;

    if (!status) {
        return false;
    }
    memcpy(it.identity, snapshot->identity, sizeof it.identity);
    return add(end, status, &it);
}

bool oh_status_collect(oh_server_pool_status **list)
{
    uint32_t count = oh_segment_store() ? oh_store_pools_count(oh_segment_store()) : 0, at = 0;
    bool is_forgotten[OH_STORE_POOLS_MAX] = {false}, has_memory = true;
    oh_server_pool_status **end = list;
    oh_source_origin origin;
    const oh_snapshot *snapshot;

    *list = NULL;
    for (uint32_t i = 0; i < count && has_memory; i++) {
        has_memory = is_forgotten[i] || add_published(&end, i, is_forgotten);
    }
    while (has_memory && (snapshot = oh_source_next(&at, &origin))) {
        has_memory = origin.index != OH_STORE_NONE || add_own(&end, snapshot, &origin);
    }
    if (!has_memory) {
        oh_status_release(*list);
        *list = NULL;
    }
    return has_memory;
}

void oh_status_release(oh_server_pool_status *list)
{
    while (list) {
        oh_server_pool_status *next = list->next;

        release(list);
        list = next;
    }
}
