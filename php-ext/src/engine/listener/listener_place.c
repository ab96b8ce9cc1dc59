/*
 * Finds the node of a name. A channel is on its node by placement, a pattern on every node. The
 * nodes of a Redis Cluster pass on to each other what is published, so there one node is enough for
 * a pattern. But each node keeps its notifications of keys to itself: those channels and patterns
 * are on every node.
 */
#include "engine/listener/listener_internal.h"

#include "core/command/notification.h"

uint32_t oh_listener_first_node(const oh_listener *listener)
{
    return oh_snapshot_next(listener->snapshot, listener->snapshot->nodes_count - 1);
}

uint32_t oh_listener_place(const oh_listener *listener, oh_channel_kind kind, oh_text name)
{
    const oh_snapshot *snapshot = listener->snapshot;

    if (kind == OH_CHANNEL && oh_notification_is_channel(name)) {
        return OH_EVERY_NODE;
    }
    if (kind == OH_PATTERN) {
        return snapshot->cluster && !oh_notification_may_match(name)
                   ? oh_listener_first_node(listener)
                   : OH_EVERY_NODE;
    }
    return oh_topology_locate(listener->topology, (const uint8_t *)name.bytes, name.length);
}
