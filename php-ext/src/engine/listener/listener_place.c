/*
 * Finds the node of a name. A channel is on its node by placement, a pattern on every node. The
 * nodes of a Redis Cluster pass messages on to each other. So there one node is enough for a
 * pattern, and any node will do for a channel. But a node does not pass on its notifications of
 * keys. So their channels and patterns are subscribed on every node.
 */
#include "engine/listener/listener_internal.h"

#include "core/base/compiler.h"
#include "core/command/command.h"

bool oh_listener_is_passed_on(const oh_listener *listener, oh_channel_kind kind, uint32_t node)
{
    return listener->snapshot->is_cluster && kind != OH_SHARD_CHANNEL && node != OH_EVERY_NODE;
}

uint32_t oh_listener_stand_in(const oh_listener *listener)
{
    uint32_t other = OH_NO_NODE;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].is_lost || !oh_snapshot_has_keys(listener->snapshot, node)) {
            continue;
        }
        if (listener->nodes[node].connection) {
            return node;
        }
        other = OH_MIN(other, node);
    }
    return other;
}

static uint32_t place(const oh_listener *listener, oh_channel_kind kind, oh_text name)
{
    if (kind == OH_CHANNEL && oh_notification_is_channel(name)) {
        return OH_EVERY_NODE;
    }
    if (kind == OH_PATTERN) {
        return listener->snapshot->is_cluster && !oh_notification_may_match(name)
                   ? listener->first_node
                   : OH_EVERY_NODE;
    }
    /*
     * Hosts that still use the old ring publish on the old owner, so this channel is subscribed on
     * every node. Each message is published once.
     */
    const uint8_t *bytes = (const uint8_t *)name.bytes;
    if (oh_topology_from(listener->topology, bytes, name.length) != OH_STAYS) {
        return OH_EVERY_NODE;
    }
    return oh_topology_locate(listener->topology, bytes, name.length);
}

uint32_t oh_listener_place(const oh_listener *listener, oh_channel_kind kind, oh_text name)
{
    uint32_t node = oh_names_node(&listener->subscribed[kind], name, place(listener, kind, name));

    if (oh_listener_is_passed_on(listener, kind, node) && listener->nodes[node].is_lost) {
        uint32_t other = oh_listener_stand_in(listener);

        return other == OH_NO_NODE ? node : other;
    }
    return node;
}

uint32_t oh_listener_count(const oh_listener *listener, uint32_t node)
{
    uint32_t count = 0;

    for (int kind = 0; kind < OH_CHANNEL_KINDS_COUNT; kind++) {
        oh_names_place at = {0};

        while (oh_names_next(&listener->subscribed[kind], &at)) {
            count += *at.node == node || *at.node == OH_EVERY_NODE;
        }
    }
    return count;
}
