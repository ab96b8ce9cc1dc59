/*
 * The map of the host is an image in the store; each process has a copy. A process with an older
 * map copies the image; a process with a newer map replaces it.
 */
#include "engine/nodes/nodes_internal.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/shared/segment.h"

/* How often another process may be faster before the move is dropped, which costs one redirect. */
#define OH_NOTE_ATTEMPTS 8

/* ---- From the host ---- */

void oh_map_set(oh_snapshot **place, oh_snapshot *snapshot)
{
    oh_snapshot *before = *place;

    *place = snapshot;
    if (before) {
        oh_snapshot_release(before);
    }
}

/* Takes over the image. False if there is no memory; then the old map stays. */
static bool make_map(oh_nodes *nodes, void *image, size_t length, uint64_t generation)
{
    const oh_snapshot *seeds = nodes->seeds;
    oh_config_image config_image = {.image = image, .image_length = length};

    if (!oh_secrets_copy(&config_image.secrets, &seeds->own_pool)) {
        oh_config_image_free(&config_image);
        return false;
    }
    oh_snapshot *map = oh_snapshot_make(&config_image, nodes->identity);
    if (!map) {
        return false;
    }
    map->known_by = nodes;
    map->is_cluster = nodes->protocol->kind == OH_MAP_OF_CLUSTER;
    map->is_watched = nodes->protocol->kind == OH_MAP_OF_SENTINELS;
    map->followed = seeds->followed;
    map->read_counts = seeds->read_counts;
    oh_map_set(&nodes->map, map);
    nodes->generation = generation;
    return true;
}

/*
 * True if the map was made with the environment variables and the secrets of this process.
 * Otherwise it belongs to another configuration, an older or a newer one.
 */
static bool is_mine(const oh_nodes *nodes, const void *image)
{
    const oh_snapshot *seeds = nodes->seeds;

    return memcmp(oh_image_variables_digest(image), oh_image_variables_digest(seeds->image),
               OH_IMAGE_DIGEST_BYTES) == 0 &&
           oh_image_is_of_secrets(image, oh_store_salt(oh_segment_store()), &seeds->own_pool);
}

/*
 * True if the host has another map than this process, and this process may use it.
 */
static bool is_behind(const oh_nodes *nodes)
{
    if (nodes->entry == OH_STORE_NONE) {
        return false;
    }
    uint64_t generation = oh_store_generation(oh_segment_store(), nodes->entry);
    return OH_UNLIKELY(generation != nodes->generation) && generation != nodes->foreign;
}

void oh_map_catch_up(oh_nodes *nodes)
{
    if (OH_LIKELY(!is_behind(nodes))) {
        return;
    }
    oh_image_copy copy = oh_segment_copy(nodes->entry);
    if (copy.image && nodes->protocol->is_map(oh_image_topology(copy.image)) &&
        is_mine(nodes, copy.image)) {
        make_map(nodes, copy.image, copy.length, copy.generation);
    } else {
        nodes->foreign = copy.generation;
        oh_memory_release(copy.image);
    }
}

bool oh_nodes_are_old(const oh_nodes *nodes, const oh_snapshot *map)
{
    return nodes->map != map || is_behind(nodes);
}

oh_snapshot *oh_nodes_hold_newest(oh_nodes *nodes)
{
    oh_map_catch_up(nodes);
    nodes->map->references++;
    return nodes->map;
}

void oh_nodes_request_refresh(oh_nodes *nodes)
{
    nodes->wanted_ms = oh_clock_now_ms();
}

/* The index of a node in the map; OH_POOL_SERVERS_MAX if the map does not have it (any more). */
static uint32_t find(const oh_snapshot *map, oh_text name)
{
    uint32_t node = oh_topology_find(map->topology, name.bytes, name.length);

    return node < map->nodes_count && map->pool->servers[node].role != OH_GONE
               ? node
               : OH_POOL_SERVERS_MAX;
}

bool oh_map_has(const oh_nodes *nodes, oh_text name)
{
    return find(nodes->map, name) != OH_POOL_SERVERS_MAX;
}

/* ---- To the host ---- */

/*
 * Publishes an image; the caller must not have the lock. False if another process was faster, or if
 * the lock is busy and there is a map. Replaces a map that this process cannot use, because perhaps
 * no other process can either.
 */
static bool publish(oh_nodes *nodes, const void *image, size_t length, uint64_t *generation)
{
    bool is_published = false;

    if (nodes->entry == OH_STORE_NONE) {
        *generation = nodes->generation + 1;
        return true;
    }
    if (!oh_segment_lock()) {
        nodes->entry = nodes->map ? nodes->entry : OH_STORE_NONE;
        *generation = nodes->generation + 1;
        return !nodes->map;
    }
    uint64_t there = oh_store_generation(oh_segment_store(), nodes->entry);
    if (there == *generation || there == nodes->foreign) {
        is_published = oh_store_publish(oh_segment_store(), nodes->entry, image, length);
        if (is_published) {
            *generation = oh_store_generation(oh_segment_store(), nodes->entry);
        } else {
            /* It does not fit, so this process continues without the store. */
            nodes->entry = OH_STORE_NONE;
            *generation = nodes->generation + 1;
            is_published = true;
        }
    }
    oh_segment_unlock();
    return is_published;
}

/* Takes over an image. False if there is a newer one, or no memory. */
static bool adopt_image(oh_nodes *nodes, void *image, size_t length, uint64_t generation)
{
    if (!publish(nodes, image, length, &generation)) {
        oh_memory_release(image);
        oh_map_catch_up(nodes);
        return false;
    }
    return make_map(nodes, image, length, generation);
}

void *oh_map_write(const oh_server_pool *pool, size_t *length)
{
    static const uint8_t none[OH_IMAGE_SALT_BYTES];
    const oh_store *store = oh_segment_store();
    void *image = oh_memory_zeroed(1, *length = oh_image_size(pool));

    if (image) {
        oh_image_write(pool, store ? oh_store_salt(store) : none, image);
    }
    return image;
}

bool oh_map_adopt(oh_nodes *nodes, const oh_server_pool *pool)
{
    size_t length;
    void *image = oh_map_write(pool, &length);

    if (!image) {
        return false;
    }
    if (nodes->map && oh_image_equals(image, length, nodes->map->image, nodes->map->image_length)) {
        oh_memory_release(image);
        return true;
    }
    return adopt_image(nodes, image, length, nodes->generation);
}

/*
 * Moves slots in the newest map. False if another process has published a newer map in the
 * meantime, the lock is busy, or there is no memory.
 */
static bool note_moves(oh_nodes *nodes, const oh_slot_move *moves, uint32_t count)
{
    size_t length = nodes->map->image_length;
    uint32_t changes = 0;
    void *image = oh_memory_copy(nodes->map->image, length);

    if (!image) {
        return false;
    }
    oh_topology *topology = (oh_topology *)oh_image_topology(image);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = find(nodes->map, moves[i].name);

        if (node != OH_POOL_SERVERS_MAX && oh_topology_slots(topology)[moves[i].slot] != node) {
            oh_topology_move_slot(topology, moves[i].slot, node);
            nodes->has_preferred_source = true;
            nodes->preferred_source = node;
            changes++;
        }
    }
    if (changes == 0) {
        oh_memory_release(image);
        return true;
    }
    oh_topology_sign(topology);
    return adopt_image(nodes, image, length, nodes->generation);
}

void oh_nodes_note_moves(oh_nodes *nodes, const oh_slot_move *moves, uint32_t count)
{
    bool goes_on = true;

    oh_nodes_request_refresh(nodes);
    oh_map_catch_up(nodes);
    for (int attempt = 0; attempt < OH_NOTE_ATTEMPTS && goes_on; attempt++) {
        uint64_t generation = nodes->generation;

        goes_on = !note_moves(nodes, moves, count) && nodes->generation != generation;
    }
}
