/*
 * Failures of the whole listener, or of one of its nodes. A lost node keeps its names, so that they
 * can be subscribed again (listener_recall.c).
 */
#include "engine/listener/listener_internal.h"

#include <syslog.h>

#include "core/base/clock.h"
#include "core/generated/timings.h"

#include "engine/base/environment.h"
#include "engine/base/log.h"

/*
 * Fails the listener and closes its connections immediately. Otherwise nodes would fill them until
 * the caller reads again.
 */
void oh_listener_fail(oh_listener *listener, uint32_t node)
{
    listener->has_failed = true;
    listener->failed_node = node;
    for (uint32_t i = 0; i < listener->snapshot->nodes_count; i++) {
        if (listener->nodes[i].connection) {
            oh_pool_discard(listener->nodes[i].connection);
            listener->nodes[i].connection = NULL;
        }
    }
}

void oh_listener_lack_memory(oh_listener *listener, uint32_t node, oh_outcome outcome)
{
    oh_failure_set_no_memory(listener->failure, outcome);
    oh_listener_fail(listener, node);
}

void oh_subscribed_node_close(oh_subscribed_node *subscribed_node)
{
    if (subscribed_node->connection) {
        oh_pool_discard(subscribed_node->connection);
    }
    oh_buffer_free(&subscribed_node->request);
    if (subscribed_node->received) {
        oh_call_release(subscribed_node->received);
    }
    *subscribed_node = (oh_subscribed_node){
        .is_lost = subscribed_node->is_lost, .next_ns = subscribed_node->next_ns};
}

/* From now on the next master that is not lost delivers the messages that all nodes pass on. */
static void replace_first_node(oh_listener *listener)
{
    for (uint32_t i = 0; i < listener->snapshot->nodes_count; i++) {
        if (!listener->nodes[listener->first_node].is_lost) {
            return;
        }
        listener->first_node = oh_snapshot_next(listener->snapshot, listener->first_node);
    }
}

static void tell(const oh_listener *listener, uint32_t node, uint32_t names)
{
    const oh_node lost = oh_topology_node(listener->snapshot->topology, node);

    oh_log_note(LOG_WARNING, "OneHop: node %s of server pool %s: " OH_WHAT_CHANNELS_MISSING,
        lost.name.bytes, listener->snapshot->pool->name.bytes, listener->failure->what,
        (unsigned)names);
}

void oh_listener_lose(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    bool was_lost = subscribed_node->is_lost;

    /* While a node is ejected, another one has its channels: a new subscription finds it. */
    if (listener->snapshot->ejects || oh_surroundings.is_ending()) {
        oh_listener_fail(listener, node);
        return;
    }
    if (listener->first_lost == OH_NO_NODE) {
        listener->first_lost = node;
        listener->lost_failure = *listener->failure;
    }
    if (!was_lost) {
        tell(listener, node, oh_listener_count(listener, node) + subscribed_node->words);
    }
    subscribed_node->is_lost = true;
    subscribed_node->next_ns = oh_clock_now_ns() + OH_SUBSCRIPTION_AGAIN_MS * UINT64_C(1000000);
    oh_subscribed_node_close(subscribed_node);
    replace_first_node(listener);
    listener->is_unsettled = true;
}

void oh_listener_take_back(oh_listener *listener, uint32_t node)
{
    const oh_node back = oh_topology_node(listener->snapshot->topology, node);

    oh_log_note(LOG_NOTICE, "OneHop: node %s of server pool %s: " OH_WHAT_CHANNELS_BACK,
        back.name.bytes, listener->snapshot->pool->name.bytes,
        (unsigned)listener->nodes[node].recalls);
    listener->nodes[node].recalls = 0;
    oh_listener_forget_loss(listener, node);
}

void oh_listener_forget_loss(oh_listener *listener, uint32_t node)
{
    listener->nodes[node].is_lost = false;
    for (uint32_t i = 0; i < listener->snapshot->nodes_count; i++) {
        if (listener->nodes[i].is_lost) {
            return;
        }
    }
    listener->first_lost = OH_NO_NODE;
}

static bool has_node(const oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].connection && !listener->nodes[node].is_lost) {
            return true;
        }
    }
    return false;
}

void oh_listener_require_node(oh_listener *listener)
{
    if (listener->has_failed || listener->first_lost == OH_NO_NODE ||
        (has_node(listener) &&
            !(listener->is_outdated && listener->is_outdated(listener->owner)))) {
        return;
    }
    *listener->failure = listener->lost_failure;
    oh_listener_fail(listener, listener->first_lost);
}
