/*
 * The nodes of a server pool. The store holds the counters and connections of all workers. Counters
 * and connections that only this process has are added from its own snapshot, if it has one.
 */
#include "engine/status/status.h"

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/pool/pool_entry.h"
#include "engine/shared/segment.h"

/* What the processes of the host know about one node. */
typedef struct node_view {
    uint32_t leased, idle;
    bool is_of_host;      /* The workers share these connections. */
    bool is_up, is_known; /* In at least one process. */
    uint64_t until_ms;    /* When the last of the processes will use the node again. */
    /* The health of the node in that process; NULL if the node is up in all processes. */
    const oh_store_health *down;
    uint32_t failures;
    const oh_meter *meter;
    oh_metered_own own;
} node_view;

void oh_status_make_printable(char *text)
{
    char *to = text;

    for (const char *at = text; *at; at++) {
        *to = *at;
        to += *at >= ' ' && *at <= '~';
    }
    *to = '\0';
}

static void add_health(node_view *view, const oh_store_health *health)
{
    uint64_t state = atomic_load_explicit(&health->state, memory_order_relaxed);
    uint64_t until_ms = oh_health_until(state);

    view->is_known = true;
    view->is_up |= oh_health_is_up(state);
    if (until_ms > view->until_ms || (!view->down && !oh_health_is_up(state))) {
        view->until_ms = until_ms;
        view->down = health;
    }
    view->failures = OH_MAX(view->failures, oh_health_failures(state));
}

/*
 * If the directives of a node or the id behind its address have changed, it has a second entry for
 * a while: that of the node as it was. The health of that entry is not shown.
 */
static void add_host(node_view *view, const oh_store_meter *meter)
{
    const oh_store *store = oh_segment_store();

    for (uint32_t i = 0; i < oh_store_nodes_max(store); i++) {
        if (oh_store_is_tied(meter, i)) {
            const oh_store_node *node = oh_store_node_at(store, i);
            oh_store_usage usage = oh_store_usage_of(node, OH_STORE_CONNECTIONS_MAX);

            view->leased += usage.leased;
            view->idle += usage.idle;
            if (!oh_store_is_left(node)) {
                add_health(view, &node->health);
            }
        }
    }
}

/*
 * The index of the node in this process' snapshot, by name; NONE if it is not there or was never
 * used.
 */
static uint32_t own_index(const oh_snapshot *snapshot, oh_text name)
{
    for (uint32_t i = 0; snapshot && i < snapshot->nodes_count; i++) {
        if (snapshot->connections[i] && oh_text_is_same(snapshot->pool->servers[i].name, name)) {
            return i;
        }
    }
    return OH_STORE_NONE;
}

/* True if the workers share connections to a node that this process has not used. */
static bool is_shared(const oh_server_pool *pool, const oh_server *server)
{
    bool is_encrypted = pool->tls.is_on && server->host.bytes;

    return oh_host_is_shared() && !is_encrypted;
}

static node_view collect(const uint8_t *identity, const oh_snapshot *snapshot,
    const oh_server_pool *pool, const oh_server *server)
{
    const oh_store_meter *shared = oh_metered_find(identity, server->name);
    uint32_t own = own_index(snapshot, server->name);
    node_view view = {.is_of_host = is_shared(pool, server)};

    if (shared) {
        add_host(&view, shared);
        view.meter = &shared->meter;
        view.own = oh_metered_own_of(shared);
    }
    if (own != OH_STORE_NONE) {
        oh_pool_view used = oh_pool_view_now(snapshot->connections[own]);

        view.is_of_host = used.is_of_host;
        view.own = *snapshot->meters[own].own;
        if (!used.is_of_host) {
            view.leased += used.leased;
            view.idle += used.idle;
        }
        if (!shared) {
            add_health(&view, used.health);
            view.meter = snapshot->meters[own].meter;
        }
    }
    return view;
}

static oh_node_state state_of(const oh_server_pool *pool, const node_view *view, uint64_t now_ms)
{
    bool is_left_alone = view->until_ms > now_ms;

    if (!is_left_alone && (view->is_up || !view->is_known)) {
        return OH_NODE_UP;
    }
    return !pool->auto_eject_hosts ? OH_NODE_RESTING
           : is_left_alone         ? OH_NODE_EJECTED
                                   : OH_NODE_RETURNED;
}

static void describe(const oh_server_pool_status *status, const node_view *view, uint32_t index,
    oh_node_status *node)
{
    uint64_t now_ms = oh_clock_now_ms();
    oh_node described = oh_topology_node(status->topology, index);
    oh_node master = oh_topology_node(status->topology, described.master);
    bool is_following = described.role == OH_REPLICA && master.role != OH_GONE;

    *node = (oh_node_status){.node = described,
        .state = state_of(&status->pool, view, now_ms),
        .rests_ms = view->until_ms > now_ms ? view->until_ms - now_ms : 0,
        .failures = view->failures,
        .leased = view->leased,
        .idle = view->idle,
        .is_of_host = view->is_of_host,
        .meter = view->meter,
        .own = view->own};
    if (is_following) {
        node->master = master.name;
    }
    if (node->state != OH_NODE_UP && view->down) {
        node->has_reason = true;
        oh_store_read_text(view->down->reason, OH_STORE_REASON_WORDS, node->reason);
        oh_status_make_printable(node->reason);
    }
}

/* Computes the shares in the ring without ejected nodes. False if there is no memory. */
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

/*
 * Removes nodes that have left a Redis Cluster. The map still has them, because nodes keep their
 * indexes.
 */
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
            node_view view = collect(identity, snapshot, &status->pool, &status->pool.servers[i]);

            describe(status, &view, i, &status->nodes[i]);
        }
        has_memory = share_out(status, ejected, shares);
        leave_out_gone(status, shares);
    }
    oh_call_release(shares);
    oh_call_release(ejected);
    return has_memory;
}
