/*
 * What only a node of a Redis Cluster says to a subscription: that the slot of a shard channel is another node's, be it
 * when the channel is subscribed or later. The map learns of it; the subscription ends, and the next one finds the way.
 */
#include "php_onehop.h"

#include "core/redirect.h"

#include "cluster.h"
#include "listener_inside.h"

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
