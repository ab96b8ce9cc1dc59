/*
 * Chooses the node for a read. The nodes that may answer for a master are listed once per map, in
 * one pass. So the cost of a read does not depend on the number of nodes.
 */
#include "engine/snapshot/read_from.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/cluster/fastest.h"

/* ---- Allowed nodes ---- */

static bool may_answer(const oh_server *server, oh_read_from from, bool is_near)
{
    bool is_replica = server->role == OH_REPLICA;

    if (is_replica && server->is_failing) {
        return false;
    }
    return is_near ? server->is_near : is_replica || from == OH_READ_LOWEST_LATENCY;
}

/*
 * Walks backwards, so that each list has its nodes in the order of their indexes. A list with near
 * nodes has no others.
 */
static void list_nodes(const oh_snapshot *snapshot, bool is_near)
{
    oh_read_nodes *read_nodes = snapshot->read_nodes;

    for (uint32_t node = snapshot->nodes_count; node-- > 0;) {
        const oh_server *server = &snapshot->pool->servers[node];
        uint32_t master = server->role == OH_REPLICA ? server->master : node;

        if (read_nodes[master].are_near == is_near &&
            may_answer(server, snapshot->pool->read_from, is_near)) {
            read_nodes[node].next = read_nodes[master].first;
            read_nodes[master].first = node;
            read_nodes[master].count++;
        }
    }
}

/* Makes room for the turns of this many nodes. False if there is no memory. */
static bool make_room(oh_read_counts *counts, uint32_t nodes_count)
{
    if (counts->turns_count >= nodes_count) {
        return true;
    }
    uint32_t *turns = oh_memory_zeroed(nodes_count, sizeof *turns);
    if (!turns) {
        return false;
    }
    if (counts->turns) {
        memcpy(turns, counts->turns, counts->turns_count * sizeof *turns);
    }
    oh_memory_release(counts->turns);
    counts->turns = turns;
    counts->turns_count = nodes_count;
    return true;
}

/* Returns the lists, made at first use. NULL if there is no memory. */
static const oh_read_nodes *nodes_for(oh_snapshot *snapshot, uint32_t master)
{
    if (OH_LIKELY(snapshot->read_nodes != NULL)) {
        return &snapshot->read_nodes[master];
    }
    if (!make_room(snapshot->read_counts, snapshot->nodes_count)) {
        return NULL;
    }
    snapshot->read_nodes = oh_memory_zeroed(snapshot->nodes_count, sizeof *snapshot->read_nodes);
    if (!snapshot->read_nodes) {
        return NULL;
    }
    if (snapshot->pool->read_from == OH_READ_SAME_ZONE) {
        for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
            snapshot->read_nodes[i].are_near = true;
        }
        list_nodes(snapshot, true);
        for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
            snapshot->read_nodes[i].are_near = snapshot->read_nodes[i].count > 0;
        }
    }
    list_nodes(snapshot, false);
    return &snapshot->read_nodes[master];
}

/* ---- Choosing one ---- */

/* Takes turns; all clients of the process count together. */
static uint32_t take_turn(const oh_snapshot *snapshot, uint32_t master)
{
    return snapshot->read_counts->turns[master]++;
}

/* The node of a list, which is not empty, whose turn it is. */
static uint32_t in_turn(
    const oh_snapshot *snapshot, const oh_read_nodes *read_nodes, uint32_t turns)
{
    uint32_t node = read_nodes->first;

    for (uint32_t turn = turns % read_nodes->count; turn > 0; turn--) {
        node = snapshot->read_nodes[node].next;
    }
    return node;
}

static bool is_resting(const oh_connections *connections, uint64_t now_ms)
{
    const oh_store_health *health = oh_pool_view_now(connections).health;

    return oh_health_until(atomic_load_explicit(&health->state, memory_order_relaxed)) > now_ms;
}

/*
 * True if the map does not report the node as failing, and the node does not rest. The clock is
 * read only if it may rest.
 */
static bool is_well(oh_snapshot *snapshot, uint32_t node)
{
    const oh_connections *connections = oh_snapshot_connections(snapshot, node);

    return connections && !snapshot->pool->servers[node].is_failing &&
           (OH_LIKELY(!is_resting(connections, 0)) || !is_resting(connections, oh_clock_now_ms()));
}

/* The next of a master's replicas that are well, but not `without`. */
static uint32_t find_replica(
    oh_snapshot *snapshot, uint32_t master, uint32_t without, uint32_t turn)
{
    const oh_read_nodes *read_nodes = nodes_for(snapshot, master);

    for (uint32_t i = 0; read_nodes && i < read_nodes->count; i++) {
        uint32_t node = in_turn(snapshot, read_nodes, turn + i);

        if (node != without && is_well(snapshot, node)) {
            return node;
        }
    }
    return OH_NO_FALLBACK;
}

/* With prefer_master: the node that answers instead of `without`. */
static uint32_t find_instead(
    oh_snapshot *snapshot, uint32_t master, uint32_t without, uint32_t turn)
{
    return without != master && is_well(snapshot, master)
               ? master
               : find_replica(snapshot, master, without, turn);
}

/* The master stays if no replica is well. */
static uint32_t prefer_master(oh_snapshot *snapshot, uint32_t master)
{
    if (OH_LIKELY(is_well(snapshot, master))) {
        return master;
    }
    uint32_t replica = find_replica(snapshot, master, master, take_turn(snapshot, master));
    return replica == OH_NO_FALLBACK ? master : replica;
}

/* The fastest of the nodes that do not rest; `master` if all do. */
static uint32_t take_fastest(
    oh_snapshot *snapshot, const oh_read_nodes *read_nodes, uint32_t master, uint32_t *last)
{
    oh_fastest_node nodes[OH_FASTEST_NODES_MAX];
    uint64_t now_ms = oh_clock_now_ms();
    uint32_t count = 0, node = read_nodes->first;

    for (uint32_t i = 0; i < read_nodes->count && count < OH_FASTEST_NODES_MAX;
        i++, node = snapshot->read_nodes[node].next) {
        const oh_connections *connections = oh_snapshot_connections(snapshot, node);
        const oh_metered *metered = oh_snapshot_metered(snapshot, node);

        if (connections && metered && !is_resting(connections, now_ms)) {
            nodes[count++] = (oh_fastest_node){
                node, atomic_load_explicit(&metered->meter->smoothed_ns, memory_order_relaxed)};
        }
    }
    if (OH_UNLIKELY(count == 0)) {
        return master;
    }
    *last = oh_fastest_choose(nodes, count, snapshot->read_counts->fastest++, *last);
    return *last;
}

bool oh_read_from_choose(oh_snapshot *snapshot, uint32_t *last, uint32_t *node, oh_failure *failure)
{
    const oh_read_nodes *read_nodes = nodes_for(snapshot, *node);

    if (OH_UNLIKELY(!read_nodes)) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return false;
    }
    if (snapshot->pool->read_from == OH_READ_LOWEST_LATENCY) {
        *node = take_fastest(snapshot, read_nodes, *node, last);
        return true;
    }
    if (oh_read_from_prefers_master(snapshot)) {
        *node = prefer_master(snapshot, *node);
        return true;
    }
    if (OH_LIKELY(read_nodes->count > 0)) {
        *node = in_turn(snapshot, read_nodes, take_turn(snapshot, *node));
        return true;
    }
    if (snapshot->pool->read_from != OH_READ_REPLICA) {
        return true;
    }
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NO_REPLICA);
    return false;
}

/* ---- The fallback ---- */

bool oh_read_from_may_fall_back(const oh_snapshot *snapshot, uint32_t node)
{
    switch (snapshot->pool->servers[node].role) {
    case OH_REPLICA: return snapshot->pool->read_from != OH_READ_REPLICA;
    case OH_MASTER: return oh_read_from_prefers_master(snapshot);
    default: return false;
    }
}

bool oh_read_from_has_fallback(oh_snapshot *snapshot, uint32_t node)
{
    const oh_server *server = &snapshot->pool->servers[node];
    uint32_t master = server->role == OH_REPLICA ? server->master : node;

    if (!oh_read_from_may_fall_back(snapshot, node)) {
        return false;
    }
    return !oh_read_from_prefers_master(snapshot) ||
           (nodes_for(snapshot, master) &&
               find_instead(snapshot, master, node, snapshot->read_counts->turns[master]) !=
                   OH_NO_FALLBACK);
}

uint32_t oh_read_from_fallback(oh_snapshot *snapshot, uint32_t master, uint32_t asked)
{
    if (!oh_read_from_prefers_master(snapshot)) {
        return asked == master ? OH_NO_FALLBACK : master;
    }
    return nodes_for(snapshot, master)
               ? find_instead(snapshot, master, asked, take_turn(snapshot, master))
               : OH_NO_FALLBACK;
}
