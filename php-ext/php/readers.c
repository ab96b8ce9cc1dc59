/*
 * The nodes of a shard are found by walking over all nodes of the map: they are few, and only reads elsewhere ask.
 */
#include "php_onehop.h"

#include "core/clock.h"
#include "core/fastest.h"

#include "cluster.h"
#include "readers.h"

static bool is_of(const oh_server *server, uint32_t node, uint32_t master, bool is_near)
{
    bool is_here = server->role == OH_REPLICA ? server->master == master && !server->is_failing : node == master;

    return is_near ? is_here && server->is_near : is_here && server->role == OH_REPLICA;
}

static uint32_t count_of(const oh_snapshot *snapshot, uint32_t master, bool is_near)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        count += is_of(&snapshot->pool->servers[i], i, master, is_near);
    }
    return count;
}

/* The one whose turn it is, of so many; the whole process counts. */
static uint32_t take_turn(const oh_snapshot *snapshot, uint32_t master, bool is_near, uint32_t count)
{
    uint32_t turn = snapshot->cluster->turns[master]++ % count, node = 0;

    while (!is_of(&snapshot->pool->servers[node], node, master, is_near) || turn-- > 0) {
        node++;
    }
    return node;
}

static bool is_resting(oh_connections *connections, uint64_t now_ms)
{
    const oh_store_health *health = oh_pool_look(connections).health;

    return oh_health_until(atomic_load_explicit(&health->state, memory_order_relaxed)) > now_ms;
}

/* Who answers soonest, of the master and its replicas that do not rest; `master` if all do. */
static uint32_t take_fastest(oh_client *client, uint32_t master)
{
    oh_snapshot *snapshot = client->snapshot;
    oh_fastest_node nodes[OH_FASTEST_NODES_MAX];
    uint64_t now_ms = oh_clock_now_ns() / 1000000;
    uint32_t count = 0;

    for (uint32_t i = 0; i < snapshot->nodes_count && count < OH_FASTEST_NODES_MAX; i++) {
        if ((i == master || is_of(&snapshot->pool->servers[i], i, master, false)) &&
            !is_resting(oh_snapshot_connections(snapshot, i), now_ms)) {
            const oh_meter *meter = oh_snapshot_meter(snapshot, i);

            nodes[count++] = (oh_fastest_node){i, atomic_load_explicit(&meter->smoothed_ns, memory_order_relaxed)};
        }
    }
    if (UNEXPECTED(count == 0)) {
        return master;
    }
    client->last_reader = oh_fastest_choose(nodes, count, snapshot->cluster->reads++, client->last_reader);
    return client->last_reader;
}

bool oh_readers_choose(oh_client *client, uint32_t *node)
{
    const oh_snapshot *snapshot = client->snapshot;
    bool is_near = snapshot->pool->read_from == OH_READ_SAME_ZONE;
    uint32_t master = *node, count;

    if (snapshot->pool->read_from == OH_READ_LOWEST_LATENCY) {
        *node = take_fastest(client, master);
        return true;
    }
    count = is_near ? count_of(snapshot, master, true) : 0;
    if (count == 0) {
        is_near = false;
        count = count_of(snapshot, master, false);
    }
    if (EXPECTED(count > 0)) {
        *node = take_turn(snapshot, master, is_near, count);
        return true;
    }
    if (snapshot->pool->read_from != OH_READ_REPLICA) {
        return true;
    }
    oh_node view = oh_topology_node(snapshot->topology, master);
    oh_failure failure;
    oh_failure_set(&failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_NOT_SENT, "give it one, or set \"read_from: prefer_replica\"",
        "It has no replica that could answer");
    oh_failure_throw(oh_failure_exception(&failure, &view, snapshot->pool->name.bytes, NULL));
    return false;
}

bool oh_readers_has_master(const oh_client *client, uint32_t node)
{
    const oh_snapshot *snapshot = client->snapshot;

    return snapshot->pool->servers[node].role == OH_REPLICA && snapshot->pool->read_from != OH_READ_REPLICA;
}
