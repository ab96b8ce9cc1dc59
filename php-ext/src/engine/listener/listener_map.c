/* Watches the map: a node of a Redis Cluster does not report that it has left the cluster. */
#include "engine/listener/listener_internal.h"

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/cluster/cluster.h"

#define OH_LOOK_EVERY_NS UINT64_C(1000000000)
#define OH_LOOK_SOON_NS UINT64_C(20000000) /* During a refresh. */

static bool has(const oh_snapshot *map, const oh_server *node)
{
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        const oh_server *server = &map->pool->servers[i];

        if (server->role != OH_GONE && oh_text_is_same(server->name, node->name)) {
            return oh_text_is_same(server->id, node->id);
        }
    }
    return false;
}

uint64_t oh_listener_look_at_map(oh_listener *listener, uint64_t until_ns)
{
    const oh_snapshot *own = listener->snapshot;
    oh_cluster *cluster = own->cluster;

    oh_cluster_tick_waiting(cluster);
    oh_snapshot *map = oh_cluster_hold_newest(cluster);
    for (uint32_t node = 0;
        map != listener->looked_at && node < own->nodes_count && !listener->has_failed; node++) {
        if (listener->nodes[node].connection && !has(map, &own->pool->servers[node])) {
            oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_NODE_LEFT_CLUSTER);
            oh_listener_fail(listener, node);
        }
    }
    listener->looked_at = map;
    oh_snapshot_release(map);
    uint64_t next_ns = oh_clock_now_ns() + (cluster->refresh ? OH_LOOK_SOON_NS : OH_LOOK_EVERY_NS);
    return until_ns ? OH_MIN(until_ns, next_ns) : next_ns;
}
