/*
 * Makes snapshots of images. All pointers of a snapshot lead into one block, its image.
 */
#include "engine/snapshot/snapshot.h"

#include <string.h>

#include "core/base/compiler.h"
#include "core/base/memory.h"

static void release(oh_snapshot *snapshot)
{
    oh_config_image rest = {.image = snapshot->image, .secrets = snapshot->secrets};

    oh_config_image_free(&rest);
    oh_memory_release(snapshot->connections);
    oh_memory_release(snapshot->meters);
    oh_memory_release(snapshot->read_nodes);
    oh_memory_release(snapshot->by_hand_ns);
    oh_memory_release(snapshot->servers);
    oh_memory_release(snapshot);
}

static void take_over(oh_snapshot *snapshot, oh_config_image *config_image)
{
    snapshot->image = config_image->image;
    snapshot->image_length = config_image->image_length;
    snapshot->secrets = config_image->secrets;
    memset(config_image, 0, sizeof *config_image);
}

static bool make_arrays(oh_snapshot *snapshot)
{
    size_t count = snapshot->nodes_count;

    snapshot->servers = oh_memory_zeroed(count, sizeof *snapshot->servers);
    snapshot->connections = oh_memory_zeroed(count, sizeof *snapshot->connections);
    snapshot->meters = oh_memory_zeroed(count, sizeof *snapshot->meters);
    if (oh_topology_is_moving(snapshot->topology)) {
        snapshot->by_hand_ns = oh_memory_zeroed(count, sizeof *snapshot->by_hand_ns);
    }
    return snapshot->servers && snapshot->connections && snapshot->meters &&
           (snapshot->by_hand_ns || !oh_topology_is_moving(snapshot->topology));
}

oh_snapshot *oh_snapshot_make(
    oh_config_image *config_image, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_snapshot *snapshot = oh_memory_zeroed(1, sizeof *snapshot);

    if (!snapshot) {
        oh_config_image_free(config_image);
        return NULL;
    }
    take_over(snapshot, config_image);
    snapshot->references = 1;
    memcpy(snapshot->identity, identity, sizeof snapshot->identity);
    snapshot->topology = oh_image_topology(snapshot->image);
    snapshot->nodes_count = oh_topology_nodes_count(snapshot->topology);
    if (!make_arrays(snapshot)) {
        release(snapshot);
        return NULL;
    }
    oh_image_pool(snapshot->image, snapshot->servers, &snapshot->own_pool);
    oh_server_pool_set_secrets(&snapshot->own_pool, &snapshot->secrets.texts);
    snapshot->pool = &snapshot->own_pool;
    snapshot->ejects = snapshot->pool->auto_eject_hosts;
    snapshot->ejection.seen = OH_NEVER_SEEN;
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        snapshot->masters_count += oh_snapshot_has_keys(snapshot, i);
    }
    return snapshot;
}

void oh_live_ring_release(oh_live_ring *ring)
{
    if (ring && --ring->references == 0) {
        oh_memory_release(ring->topology);
        oh_memory_release(ring->ejected);
        oh_memory_release(ring);
    }
}

void oh_snapshot_release(oh_snapshot *snapshot)
{
    if (--snapshot->references > 0) {
        return;
    }
    oh_live_ring_release(snapshot->ejection.ring);
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        if (snapshot->connections[i]) {
            oh_pool_release(snapshot->connections[i]);
            oh_metered_close(&snapshot->meters[i]);
        }
    }
    release(snapshot);
}

uint32_t oh_snapshot_next(const oh_snapshot *snapshot, uint32_t node)
{
    do {
        node = node + 1 < snapshot->nodes_count ? node + 1 : 0;
    } while (!oh_snapshot_has_keys(snapshot, node) && snapshot->masters_count > 0);
    return node;
}

static oh_connections *open_connections(oh_snapshot *snapshot, uint32_t node)
{
    const oh_server *server = &snapshot->pool->servers[node];
    oh_metered *metered = &snapshot->meters[node];
    oh_connections *connections = oh_pool_open(snapshot->pool, server, snapshot->identity);

    if (!connections) {
        return NULL;
    }
    oh_metered_open(metered, snapshot->identity, server->name);
    if (!metered->meter) {
        oh_pool_release(connections);
        return NULL;
    }
    return snapshot->connections[node] = connections;
}

oh_connections *oh_snapshot_connections(oh_snapshot *snapshot, uint32_t node)
{
    oh_connections *connections = snapshot->connections[node];

    return OH_LIKELY(connections != NULL) ? connections : open_connections(snapshot, node);
}

oh_metered *oh_snapshot_metered(oh_snapshot *snapshot, uint32_t node)
{
    oh_connections *connections = oh_snapshot_connections(snapshot, node);
    oh_metered *metered = &snapshot->meters[node];
    uint32_t joined;

    if (!connections) {
        return NULL;
    }
    uint32_t number = oh_pool_number(connections, &joined);
    if (OH_UNLIKELY(metered->tied != joined) && metered->shared) {
        oh_store_tie(metered->shared, number);
        metered->tied = joined;
    }
    return metered;
}
