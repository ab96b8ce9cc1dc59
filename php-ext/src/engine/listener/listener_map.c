/* Watches the map: a node of a Redis Cluster does not report that it has left the cluster. */
#include "engine/listener/listener_internal.h"

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/nodes/nodes.h"

#define OH_CHECK_EVERY_NS UINT64_C(1000000000)
#define OH_CHECK_SOON_NS UINT64_C(20000000) /* During a refresh. */

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

/* True if something is subscribed on the node, or will be when it is back. */
static bool is_used(const oh_listener *listener, uint32_t node)
{
    return listener->nodes[node].is_lost ? oh_listener_count(listener, node) > 0
                                         : listener->nodes[node].connection != NULL;
}

/* True if this node is in the map and has keys. */
static bool is_master_of(const oh_snapshot *map, const oh_server *node)
{
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        if (oh_snapshot_has_keys(map, i) && oh_text_is_same(map->pool->servers[i].id, node->id)) {
            return true;
        }
    }
    return false;
}

static bool has_masters_of(const oh_snapshot *map, const oh_snapshot *other)
{
    for (uint32_t i = 0; i < other->nodes_count; i++) {
        if (oh_snapshot_has_keys(other, i) && !is_master_of(map, &other->pool->servers[i])) {
            return false;
        }
    }
    return true;
}

/* True if something is subscribed on every master. */
static bool is_everywhere(const oh_listener *listener)
{
    for (int kind = 0; kind < OH_CHANNEL_KINDS_COUNT; kind++) {
        oh_names_place place = {0};

        while (oh_names_next(&listener->subscribed[kind], &place)) {
            if (*place.node == OH_EVERY_NODE) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Fails if the masters have changed: nothing is subscribed on a new master, and a former master,
 * now a replica, repeats the notifications of its master.
 */
static void check_masters(oh_listener *listener, const oh_snapshot *map)
{
    const oh_snapshot *own = listener->snapshot;

    if (!listener->has_failed && is_everywhere(listener) &&
        !(has_masters_of(map, own) && has_masters_of(own, map))) {
        oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_MASTERS_CHANGED);
        oh_listener_fail(listener, OH_NO_NODE);
    }
}

uint64_t oh_listener_check_map(oh_listener *listener, uint64_t until_ns)
{
    const oh_snapshot *own = listener->snapshot;
    oh_nodes *nodes = own->known_by;

    oh_nodes_tick_waiting(nodes);
    oh_snapshot *map = oh_nodes_hold_newest(nodes);
    for (uint32_t node = 0;
        map != listener->checked_map && node < own->nodes_count && !listener->has_failed; node++) {
        if (is_used(listener, node) && !has(map, &own->pool->servers[node])) {
            oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_NODE_LEFT_CLUSTER);
            oh_listener_fail(listener, node);
        }
    }
    if (map != listener->checked_map) {
        check_masters(listener, map);
    }
    listener->checked_map = map;
    oh_snapshot_release(map);
    uint64_t next_ns = oh_clock_now_ns() + (nodes->refresh ? OH_CHECK_SOON_NS : OH_CHECK_EVERY_NS);
    return until_ns ? OH_MIN(until_ns, next_ns) : next_ns;
}
