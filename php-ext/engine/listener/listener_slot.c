/*
 * What only a node of a Redis Cluster says to a subscription: that the slot of a shard channel is another node's, be it
 * when the channel is subscribed or later. The map learns of it; the subscription ends, and the next one finds the way.
 * And what such a node does not say: that it is no part of the cluster any more. The map does.
 */
#include "php_onehop.h"

#include "core/base/compiler.h"
#include "core/base/clock.h"
#include "core/cluster/redirect.h"

#include "engine/cluster/cluster.h"
#include "engine/listener/listener_inside.h"

static const char *const advice = "subscribe again";

void oh_listener_lose_slot(oh_listener *listener, uint32_t node, oh_text channel)
{
    oh_cluster_want(listener->snapshot->cluster);
    oh_failure_set(listener->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_ANSWERED, advice, "The slot of ");
    oh_failure_quote(listener->failure, channel.bytes, channel.length);
    oh_failure_append(listener->failure, " is another node's now");
    oh_listener_fail(listener, node);
}

/* What is said of a slot holds for the map of this moment; the listener's own has the node's index. */
static void learn(const oh_listener *listener, const oh_redirect *redirect)
{
    oh_cluster *cluster = listener->snapshot->cluster;

    if (redirect->has_moved) {
        oh_cluster_move move = {redirect->slot, oh_topology_node(listener->snapshot->topology, redirect->node).name};

        oh_cluster_note_moves(cluster, &move, 1);
    }
    if (redirect->wants_refresh) {
        oh_cluster_want(cluster);
    }
}

bool oh_listener_is_sent_away(oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    oh_redirect_case it = {.error = {bytes + 1, length - 3}, .asked = node, .left_ms = -1, .is_fresh = true};
    oh_redirect redirect = oh_redirect_decide(listener->snapshot->topology, &it);

    if (redirect.action == OH_REDIRECT_NONE) {
        return false;
    }
    learn(listener, &redirect);
    oh_failure_set(listener->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_ANSWERED, advice, "The cluster cannot serve this now: ");
    oh_failure_append(listener->failure, "it said ");
    oh_failure_quote(listener->failure, it.error.bytes, it.error.length);
    oh_listener_fail(listener, node);
    return true;
}

/* ---- Nodes that have left ---- */

#define OH_LOOK_EVERY_NS UINT64_C(1000000000)
#define OH_LOOK_SOON_NS UINT64_C(20000000) /* While nodes are being asked for a newer map. */

static bool is_same(oh_text one, oh_text other)
{
    return one.length == other.length && (one.length == 0 || memcmp(one.bytes, other.bytes, one.length) == 0);
}

static bool has(const oh_snapshot *map, const oh_server *node)
{
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        const oh_server *server = &map->pool->servers[i];

        if (server->role != OH_GONE && is_same(server->name, node->name)) {
            return is_same(server->id, node->id);
        }
    }
    return false;
}

uint64_t oh_listener_look_at_map(oh_listener *listener, uint64_t until_ns)
{
    const oh_snapshot *own = listener->snapshot;
    oh_cluster *cluster = own->cluster;

    oh_cluster_tend_waiting(cluster);
    oh_snapshot *map = oh_cluster_newest(cluster);
    for (uint32_t node = 0; map != listener->looked_at && node < own->nodes_count && !listener->has_failed; node++) {
        if (listener->ears[node].connection && !has(map, &own->pool->servers[node])) {
            oh_failure_set(listener->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_ANSWERED, advice, "It has left the cluster");
            oh_listener_fail(listener, node);
        }
    }
    listener->looked_at = map;
    oh_snapshot_release(map);
    uint64_t next_ns = oh_clock_now_ns() + (cluster->inquiry ? OH_LOOK_SOON_NS : OH_LOOK_EVERY_NS);
    return until_ns ? OH_MIN(until_ns, next_ns) : next_ns;
}
