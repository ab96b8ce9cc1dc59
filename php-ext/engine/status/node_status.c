/*
 * The nodes of a server pool: the store has numbers and connections of all workers; what a process
 * keeps for itself alone is added from its own snapshot, if it has one.
 */
#include "engine/status/status_internal.h"

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/shared/segment.h"

/* What is found out of one of its nodes. */
typedef struct sight {
    uint32_t leased, idle;
    bool is_up, is_known;        /* By somebody. */
    uint64_t until_ms;           /* The latest instant until which somebody leaves it alone. */
    const oh_store_health *down; /* Of the one who does; NULL: everybody asks it. */
    uint32_t failures;
    const oh_meter *meter;
} sight;

void oh_status_make_printable(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        *to = *at;
        to += *at >= ' ' && *at <= '~';
    }
    *to = '\0';
}

static void see_health(sight *seen, const oh_store_health *health)
{
    uint64_t state = atomic_load_explicit(&health->state, memory_order_relaxed);
    uint64_t until_ms = oh_health_until(state);

    seen->is_known = true;
    seen->is_up |= until_ms == 0;
    if (until_ms > seen->until_ms) {
        seen->until_ms = until_ms;
        seen->down = health;
    }
    seen->failures = OH_MAX(seen->failures, oh_health_failures(state));
}

static void see_host(sight *seen, const oh_store_meter *meter)
{
    const oh_store *store = oh_segment_store();

    for (uint32_t i = 0; i < oh_store_nodes_max(store); i++) {
        if (oh_store_is_tied(meter, i)) {
            const oh_store_node *node = oh_store_node_at(store, i);
            oh_store_usage usage = oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX);

            seen->leased += usage.leased;
            seen->idle += usage.idle;
            see_health(seen, &node->health);
        }
    }
}

/* Where this process has the node, by its name; NONE: nowhere, or nobody has used it. */
static uint32_t own_index(const oh_snapshot *snapshot, oh_text name)
{
    for (uint32_t i = 0; snapshot && i < snapshot->nodes_count; i++) {
        if (snapshot->connections[i] && oh_text_is_same(snapshot->pool->servers[i].name, name)) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

static sight look(const uint8_t *identity, const oh_snapshot *snapshot, oh_text name)
{
    const oh_store_meter *shared = oh_metered_find(identity, name);
    uint32_t own = own_index(snapshot, name);
    sight seen = {.leased = 0};

    if (shared) {
        see_host(&seen, shared);
        seen.meter = &shared->meter;
    }
    if (own != OH_STORE_NONE) {
        oh_pool_view view = oh_pool_look(snapshot->connections[own]);

        if (!view.is_of_host) {
            seen.leased += view.leased;
            seen.idle += view.idle;
        }
        if (!shared) {
            see_health(&seen, view.health);
            seen.meter = snapshot->meters[own].meter;
        }
    }
    return seen;
}

static oh_node_state state_of(const oh_server_pool *pool, const sight *seen, uint64_t now_ms)
{
    bool is_left_alone = seen->until_ms > now_ms;

    if (pool->auto_eject_hosts) {
        return is_left_alone ? OH_NODE_EJECTED : OH_NODE_UP;
    }
    return is_left_alone || (seen->is_known && !seen->is_up) ? OH_NODE_RESTING : OH_NODE_UP;
}

static void describe(
    const oh_server_pool_status *status, const sight *seen, uint32_t index, oh_node_status *node)
{
    uint64_t now_ms = oh_clock_now_ms();
    oh_node described = oh_topology_node(status->topology, index);
    oh_node master = oh_topology_node(status->topology, described.master);
    bool is_following =
        described.id.length > 0 && described.role == OH_REPLICA && master.role != OH_GONE;

    *node = (oh_node_status){.node = described,
        .state = state_of(&status->pool, seen, now_ms),
        .rests_ms = seen->until_ms > now_ms ? seen->until_ms - now_ms : 0,
        .failures = seen->failures,
        .leased = seen->leased,
        .idle = seen->idle,
        .meter = seen->meter};
    if (is_following) {
        node->master = master.name;
    }
    if (node->state != OH_NODE_UP && seen->down) {
        node->has_reason = true;
        oh_store_read_text(seen->down->reason, OH_STORE_REASON_WORDS, node->reason);
        oh_status_make_printable(node->reason);
    }
}

/* Shares are those of the ring without the nodes that are ejected. False: there is no memory. */
static bool share_out(const oh_server_pool_status *status, bool *ejected, uint32_t *shares)
{
    size_t size = oh_topology_size(&status->pool);
    bool is_any_ejected = false;

    for (uint32_t i = 0; i < status->nodes_count; i++) {
        ejected[i] = status->nodes[i].state == OH_NODE_EJECTED;
        is_any_ejected |= ejected[i];
    }
    oh_topology *now = is_any_ejected ? oh_call_allocate(size) : NULL;
    if (now) {
        oh_topology_build(&status->pool, ejected, now, size);
    } else if (is_any_ejected) {
        return false;
    }
    oh_topology_shares(now ? now : status->topology, shares);
    oh_call_release(now);
    return true;
}

/* Only nodes that are there are told: a node of a Redis Cluster that has left keeps its index. */
static void leave_out_gone(oh_server_pool_status *status, const uint32_t *shares)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < status->nodes_count; i++) {
        if (status->nodes[i].node.role != OH_GONE) {
            status->nodes[count] = status->nodes[i];
            status->nodes[count++].share = shares[i];
        }
    }
    status->nodes_count = count;
}

bool oh_status_describe_nodes(
    oh_server_pool_status *status, const uint8_t *identity, const oh_snapshot *snapshot)
{
    uint32_t count = oh_topology_nodes_count(status->topology);
    uint32_t *shares = oh_call_zeroed(count, sizeof *shares);
    bool *ejected = oh_call_zeroed(count, sizeof *ejected);

    status->nodes = oh_call_zeroed(count, sizeof *status->nodes);
    bool has_memory = status->nodes && shares && ejected;
    if (has_memory) {
        status->nodes_count = count;
        for (uint32_t i = 0; i < count; i++) {
            sight seen = look(identity, snapshot, status->pool.servers[i].name);

            describe(status, &seen, i, &status->nodes[i]);
        }
        has_memory = share_out(status, ejected, shares);
        leave_out_gone(status, shares);
    }
    oh_call_release(shares);
    oh_call_release(ejected);
    return has_memory;
}
