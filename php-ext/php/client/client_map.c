/*
 * A client of a Redis Cluster and its map. A lane is of a node, and a node keeps its index for as long as the cluster has
 * it: so lanes stay as they are when the map changes, but those of nodes that are gone.
 */
#include "php_onehop.h"

#include "php/client/client.h"
#include "php/exception/exception.h"
#include "engine/cluster/cluster.h"
#include "engine/redirects/redirects.h"

/* In the middle of anything the map must stay: a batch is dealt out by the one it was queued with. */
static bool is_between_calls(const oh_client *client)
{
    if (client->batch.is_open || client->transaction.is_open || client->transaction.lane || client->subscription) {
        return false;
    }
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        for (const oh_lane *lane = client->lanes[node]; lane; lane = lane->spare) {
            if (lane->is_busy || lane->is_reserved || lane->holds) {
                return false;
            }
        }
    }
    return true;
}

static bool has_same_node(const oh_snapshot *a, const oh_snapshot *b, uint32_t node)
{
    if (node >= b->nodes_count) {
        return false;
    }
    const oh_server *before = &a->pool->servers[node], *after = &b->pool->servers[node];

    return before->name.length == after->name.length && after->role != OH_GONE &&
           memcmp(before->name.bytes, after->name.bytes, after->name.length) == 0;
}

static void move_lanes(oh_client *client, oh_snapshot *snapshot)
{
    oh_lane **lanes = ecalloc(snapshot->nodes_count, sizeof *lanes);

    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        if (!has_same_node(client->snapshot, snapshot, node)) {
            client->refused = NULL;
            oh_lane_close(client->lanes[node]);
            continue;
        }
        lanes[node] = client->lanes[node];
        for (oh_lane *lane = lanes[node]; lane; lane = lane->spare) {
            if (lane->transport) {
                lane->transport->exchange.connections = oh_snapshot_connections(snapshot, node);
                lane->transport->exchange.meter = oh_snapshot_meter(snapshot, node);
                oh_redirects_set_map(&lane->transport->exchange, snapshot);
                lane->transport->exchange.compares_reads = snapshot->pool->read_from == OH_READ_LOWEST_LATENCY;
            }
        }
    }
    efree(client->lanes);
    client->lanes = lanes;
}

bool oh_client_choose_reader(oh_client *client, uint32_t *node)
{
    oh_snapshot *snapshot = client->snapshot;
    oh_failure failure;

    if (OH_LIKELY(oh_readers_choose(snapshot, &client->last_reader, node, &failure))) {
        return true;
    }
    oh_node master = oh_topology_node(snapshot->topology, *node);
    oh_failure_throw(oh_failure_exception(&failure, &master, snapshot->pool->name.bytes, NULL));
    return false;
}

void oh_client_follow_map(oh_client *client)
{
    oh_cluster *cluster = client->snapshot->cluster;

    oh_cluster_tend(cluster);
    if (EXPECTED(!oh_cluster_is_old(cluster, client->snapshot)) || !is_between_calls(client)) {
        return;
    }
    oh_snapshot *snapshot = oh_cluster_newest(cluster);

    move_lanes(client, snapshot);
    oh_snapshot_release(client->snapshot);
    client->snapshot = snapshot;
    client->topology = snapshot->topology;
    client->last_reader = MIN(client->last_reader, snapshot->nodes_count - 1);
    client->any_node = MIN(client->any_node, snapshot->nodes_count - 1);
    if (!client->has_read_timeout) {
        client->timeout_ms = snapshot->pool->timeout_ms;
    }
}
