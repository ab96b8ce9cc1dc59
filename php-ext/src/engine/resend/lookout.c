/*
 * Finds the successor of a node: in a Redis Cluster by the map, elsewhere by the name.
 */
#include "core/generated/timings.h"

#include "engine/resend/resend_internal.h"

/* While a refresh is under way, its answers are read without delay. */
#define OH_CHECK_SOON_MS 10

oh_snapshot *(*oh_lookout_newest)(oh_snapshot *snapshot);

/* ---- What the client knows ---- */

oh_snapshot *oh_lookout_known(oh_snapshot *snapshot)
{
    if (snapshot->known_by) {
        return oh_nodes_hold_newest(snapshot->known_by);
    }
    if (oh_lookout_newest) {
        return oh_lookout_newest(snapshot);
    }
    snapshot->references++;
    return snapshot;
}

bool oh_lookout_find(oh_snapshot *newest, oh_text name, uint32_t *node)
{
    *node = oh_topology_find(newest->topology, name.bytes, name.length);
    return newest->pool->is_redis && !newest->is_cluster && !newest->pool->is_ssdb &&
           *node < newest->nodes_count && oh_snapshot_connections(newest, *node);
}

bool oh_lookout_has_moved(const oh_snapshot *map, uint32_t node, oh_bytes commands)
{
    size_t end = oh_request_end_of_command(commands.bytes, commands.length, 0);
    uint32_t slot;
    oh_state state;

    if (!oh_snapshot_has_keys(map, node) ||
        !oh_resend_find_slot((oh_bytes){commands.bytes, end}, &slot, &state)) {
        return false;
    }
    oh_snapshot *newest = oh_nodes_hold_newest(map->known_by);
    bool has_moved = slot < OH_SLOTS_COUNT && oh_snapshot_node_of(newest, slot) != node;
    oh_snapshot_release(newest);
    return has_moved;
}

/* True if the node's name leads to another one by now. */
static bool is_replaced(const oh_node_lookout *it)
{
    const oh_server *asked = &it->snapshot->pool->servers[it->node];
    oh_snapshot *newest = oh_lookout_known(it->snapshot);
    uint32_t node;
    bool is_replaced = newest != it->snapshot && asked->role != OH_REPLICA &&
                       oh_lookout_find(newest, asked->name, &node) &&
                       newest->connections[node] != it->snapshot->connections[it->node];

    oh_snapshot_release(newest);
    return is_replaced;
}

static bool has_successor(const oh_node_lookout *it, const oh_exchange *exchange)
{
    oh_bytes request = {exchange->request.bytes, exchange->request.length};

    return it->snapshot->is_cluster ? oh_lookout_has_moved(it->snapshot, it->node, request)
                                    : is_replaced(it);
}

/* ---- Looking ---- */

/* Advances the refresh of the client. A node that lets a call wait for long may be gone. */
static void learn(oh_node_lookout *it, const oh_exchange *exchange, uint64_t now_ns)
{
    oh_nodes *nodes = it->snapshot->known_by;

    it->lookout.every_ms = OH_LEAVING_CHECK_MS;
    if (!nodes) {
        return;
    }
    if (now_ns >= oh_exchange_begun_ns(exchange) + OH_LEAVING_DOUBT_MS * UINT64_C(1000000)) {
        oh_nodes_request_refresh(nodes);
    }
    oh_nodes_tick_waiting(nodes);
    if (nodes->refresh) {
        it->lookout.every_ms = OH_CHECK_SOON_MS;
    }
}

static oh_leaving check(oh_lookout *lookout, const oh_exchange *exchange, uint64_t now_ns)
{
    oh_node_lookout *it = (oh_node_lookout *)lookout;
    const oh_call_terms *terms = &exchange->terms;
    uint64_t deadline_ns = exchange->times.deadline_ns;

    learn(it, exchange, now_ns);
    uint64_t left_ns = deadline_ns > now_ns ? deadline_ns - now_ns : 0;
    bool is_half_over = left_ns <= terms->timeout_ms * UINT64_C(500000);
    const oh_leaving_case waiting = {.is_sent = exchange->request.sent > 0,
        .has_heard = exchange->found.has_heard,
        .may_repeat = terms->is_read_only && !terms->never_repeats,
        .is_blocking = exchange->times.block_ms > 0,
        .has_successor = has_successor(it, exchange),
        .has_fallback = is_half_over && oh_resend_may_fall_back(exchange, it->snapshot, it->node),
        .left_ns = left_ns,
        .timeout_ms = terms->timeout_ms};

    return oh_leaving_decide(&waiting);
}

void oh_node_lookout_set(oh_node_lookout *lookout, oh_snapshot *snapshot, uint32_t node)
{
    *lookout = (oh_node_lookout){{check, OH_LEAVING_CHECK_MS}, snapshot, node};
}
