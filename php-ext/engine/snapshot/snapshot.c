/*
 * Everything points into the one block that was read or copied: the image.
 */
#include "php_onehop.h"

#include "core/base/compiler.h"
#include "engine/snapshot/snapshot.h"

oh_snapshot *oh_snapshot_make(oh_reading *reading, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    oh_snapshot *snapshot = pecalloc(1, sizeof *snapshot, true);

    snapshot->references = 1;
    memcpy(snapshot->identity, identity, sizeof snapshot->identity);
    snapshot->image = reading->image;
    snapshot->image_length = reading->image_length;
    snapshot->password = reading->password;
    snapshot->password_length = reading->password_length;
    snapshot->topology = oh_image_topology(snapshot->image);
    snapshot->nodes_count = oh_topology_nodes_count(snapshot->topology);
    snapshot->servers = pecalloc(snapshot->nodes_count, sizeof *snapshot->servers, true);
    oh_image_pool(snapshot->image, snapshot->servers, &snapshot->own_pool);
    if (snapshot->password) {
        snapshot->own_pool.redis_auth = (oh_text){snapshot->password, snapshot->password_length};
    }
    snapshot->pool = &snapshot->own_pool;
    snapshot->ejects = snapshot->pool->auto_eject_hosts;
    oh_ejection_begin(&snapshot->ejection);
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        snapshot->masters_count += oh_snapshot_has_keys(snapshot, i);
    }
    snapshot->connections = pecalloc(snapshot->nodes_count, sizeof *snapshot->connections, true);
    snapshot->meters = pecalloc(snapshot->nodes_count, sizeof *snapshot->meters, true);
    memset(reading, 0, sizeof *reading);
    return snapshot;
}

void oh_snapshot_release(oh_snapshot *snapshot)
{
    if (--snapshot->references > 0) {
        return;
    }
    oh_ejection_end(&snapshot->ejection);
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        if (snapshot->connections[i]) {
            oh_pool_release(snapshot->connections[i]);
            oh_metered_close(&snapshot->meters[i]);
        }
    }
    oh_reading rest = {.image = snapshot->image,
        .password = snapshot->password,
        .password_length = snapshot->password_length};
    oh_reading_free(&rest);
    free(snapshot->connections);
    free(snapshot->meters);
    free(snapshot->readers);
    free(snapshot->servers);
    free(snapshot);
}

uint32_t oh_snapshot_next(const oh_snapshot *snapshot, uint32_t node)
{
    do {
        node = node + 1 < snapshot->nodes_count ? node + 1 : 0;
    } while (!oh_snapshot_has_keys(snapshot, node) && snapshot->masters_count > 0);
    return node;
}

oh_connections *oh_snapshot_connections(oh_snapshot *snapshot, uint32_t node)
{
    if (!snapshot->connections[node]) {
        const oh_server *server = &snapshot->pool->servers[node];
        oh_metered *metered = &snapshot->meters[node];

        snapshot->connections[node] = oh_pool_open(snapshot->pool, server);
        oh_metered_open(metered, snapshot->identity, &server->name);
    }
    return snapshot->connections[node];
}

oh_meter *oh_snapshot_meter(oh_snapshot *snapshot, uint32_t node)
{
    oh_metered *metered = &snapshot->meters[node];
    uint32_t joined, number = oh_pool_number(oh_snapshot_connections(snapshot, node), &joined);

    if (OH_UNLIKELY(metered->tied != joined) && metered->shared) {
        oh_store_tie(metered->shared, number);
        metered->tied = joined;
    }
    return metered->meter;
}
