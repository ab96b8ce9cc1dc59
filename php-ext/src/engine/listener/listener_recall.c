/*
 * Subscribes again the channels and patterns that were lost with a node. The caller sees neither
 * these commands nor their confirmations.
 *
 * A node that comes back gets all its names, over a new connection. Names whose messages the nodes
 * of a Redis Cluster pass on to each other do not wait for the lost node: another node gets them
 * for good.
 */
#include "engine/listener/listener_internal.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/generated/timings.h"

static const char *const begins[OH_CHANNEL_KINDS_COUNT] = {"subscribe", "psubscribe", "ssubscribe"};

/* True if `node` must subscribe this name, whose node is `at`, because `lost` has failed. */
static bool is_of(
    const oh_listener *listener, oh_channel_kind kind, uint32_t at, uint32_t lost, uint32_t node)
{
    return node == lost ? at == lost || at == OH_EVERY_NODE
                        : at == lost && oh_listener_is_passed_on(listener, kind, at);
}

/* Appends the names of one kind to the request of `node`, which has them from now on. */
static void recall_kind(oh_listener *listener, oh_channel_kind kind, uint32_t lost, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    const oh_names *names = &listener->subscribed[kind];
    oh_names_place at = {0};
    uint32_t count = 0;

    while (oh_names_next(names, &at)) {
        count += is_of(listener, kind, *at.node, lost, node);
    }
    if (!count) {
        return;
    }
    oh_channel_request_begin(&subscribed_node->request,
        oh_channel_verb((oh_text){begins[kind], strlen(begins[kind])}), count);
    at = (oh_names_place){0};
    while (oh_names_next(names, &at)) {
        if (is_of(listener, kind, *at.node, lost, node)) {
            oh_channel_request_append(&subscribed_node->request, at.name);
            *at.node = *at.node == OH_EVERY_NODE ? OH_EVERY_NODE : node;
        }
    }
    subscribed_node->recalled += count;
    subscribed_node->recalls += count;
}

/* Subscribes the names of `lost` on `node`. False if there are none, or if there is no memory. */
static bool recall(oh_listener *listener, uint32_t lost, uint32_t node)
{
    uint32_t before = listener->nodes[node].recalled;

    for (int kind = 0; kind < OH_CHANNEL_KINDS_COUNT; kind++) {
        recall_kind(listener, (oh_channel_kind)kind, lost, node);
    }
    if (listener->nodes[node].request.is_broken) {
        oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
    }
    return !listener->has_failed && listener->nodes[node].recalled > before;
}

/* In a Redis Cluster another node takes over, because all nodes pass messages on to each other. */
static void stand_in(oh_listener *listener, uint32_t lost)
{
    uint32_t other = oh_listener_stand_in(listener);

    if (other == OH_NO_NODE || !recall(listener, lost, other)) {
        return;
    }
    if (listener->nodes[other].connection) {
        oh_subscribed_node_send_rest(listener, other);
    } else {
        oh_subscribed_node_begin(listener, other);
    }
}

static void settle_all(oh_listener *listener)
{
    while (listener->is_unsettled && !listener->has_failed) {
        listener->is_unsettled = false;
        for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
            if (listener->nodes[node].is_lost && listener->snapshot->is_cluster) {
                stand_in(listener, node);
            }
        }
    }
    oh_listener_require_node(listener);
}

static void try_again(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *lost = &listener->nodes[node];
    uint64_t now_ns = oh_clock_now_ns();

    if (lost->next_ns > now_ns) {
        return;
    }
    if (lost->connection) {
        oh_failure_set(listener->failure, OH_OUTCOME_NOT_SENT, OH_SAY_LATE_CONNECTING,
            (unsigned)listener->timeout_ms);
        oh_pool_report_failed_opening(lost->connection, listener->failure->what);
        oh_listener_lose(listener, node);
        return;
    }
    lost->next_ns = now_ns + OH_SUBSCRIPTION_AGAIN_MS * UINT64_C(1000000);
    if (!recall(listener, node, node)) {
        oh_listener_forget_loss(listener, node);
        return;
    }
    oh_subscribed_node_begin(listener, node);
    if (lost->connection) {
        lost->next_ns = listener->timeout_ms
                            ? oh_clock_now_ns() + listener->timeout_ms * UINT64_C(1000000)
                            : UINT64_MAX;
    }
}

uint64_t oh_listener_settle(oh_listener *listener, uint64_t until_ns)
{
    uint64_t next_ns = until_ns ? until_ns : UINT64_MAX;

    if (OH_LIKELY(listener->first_lost == OH_NO_NODE)) {
        return until_ns;
    }
    settle_all(listener);
    for (uint32_t node = 0; node < listener->snapshot->nodes_count && !listener->has_failed;
        node++) {
        if (listener->nodes[node].is_lost) {
            try_again(listener, node);
            next_ns = OH_MIN(next_ns, listener->nodes[node].next_ns);
        }
    }
    settle_all(listener);
    return next_ns;
}
