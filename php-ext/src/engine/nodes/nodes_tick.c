/*
 * When the map is refreshed, and by which process: after a redirect or a failure, and now and then.
 * Calls advance a refresh and wait for none, except for oh_nodes_ask.
 */
#include "engine/nodes/nodes_internal.h"

#include <poll.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/wait.h"
#include "engine/shared/segment.h"

/* How many calls a client makes between two checks of the clock. */
#define OH_CALLS_PER_CHECK 1024
#define OH_ANSWER_MS 200 /* How long to wait for a refresh by another process. */
/* How often a call that waits for a failover checks if another process is done. */
#define OH_FAILOVER_POLL_MS 10
/* The timeout of the bootstrap if the server pool has none. */
#define OH_CONTACT_MS UINT64_C(10000)

/* How often the age of the map is checked if the check depends on time instead of on calls. */
#define OH_CHECK_EVERY_NS UINT64_C(50000000)

/* ---- Turns ---- */

bool oh_refresh_is_my_turn(oh_nodes *nodes, uint32_t every_ms)
{
    uint64_t now = oh_clock_now_ms();

    if (nodes->entry != OH_STORE_NONE) {
        return oh_store_is_my_turn(oh_segment_store(), nodes->entry, now, every_ms);
    }
    if (now < nodes->asked_ms + every_ms) {
        return false;
    }
    nodes->asked_ms = now;
    return true;
}

static uint64_t asked_ms(const oh_nodes *nodes)
{
    return nodes->entry == OH_STORE_NONE ? nodes->asked_ms
                                         : oh_store_checked_ms(oh_segment_store(), nodes->entry);
}

/* True if a refresh was requested and no process has refreshed since. */
static bool is_wanted(oh_nodes *nodes)
{
    if (asked_ms(nodes) > nodes->wanted_ms) {
        nodes->wanted_ms = 0;
    }
    return nodes->wanted_ms != 0;
}

/* True if the age of the map is to be checked. */
static bool is_due(oh_nodes *nodes)
{
    if (OH_UNLIKELY(nodes->wanted_ms != 0)) {
        return true;
    }
    if (OH_LIKELY(nodes->protocol->counts_calls)) {
        return ++nodes->calls >= OH_CALLS_PER_CHECK;
    }
    uint64_t now_ns = oh_clock_coarse_ns();
    if (OH_LIKELY(now_ns < nodes->due_ns)) {
        return false;
    }
    nodes->due_ns = now_ns + OH_CHECK_EVERY_NS;
    return true;
}

void oh_nodes_tick(oh_nodes *nodes)
{
    if (OH_UNLIKELY(nodes->refresh != NULL)) {
        oh_refresh_move(nodes, 0);
        return;
    }
    if (OH_LIKELY(!is_due(nodes))) {
        return;
    }
    const oh_protocol *protocol = nodes->protocol;
    uint32_t every_ms = is_wanted(nodes) ? protocol->soon_ms : protocol->anyway_ms;
    /*
     * The jitter is computed from the time of the last refresh. So it differs between hosts but is
     * the same for all processes of a host. If each process drew a random number, the smallest
     * would decide, and there would be hardly any jitter.
     */
    uint32_t later_ms = (uint32_t)(asked_ms(nodes) % (every_ms / 4));
    nodes->calls = 0;
    if (oh_refresh_is_my_turn(nodes, every_ms + later_ms)) {
        protocol->begin(nodes, oh_clock_now_ns() + OH_REFRESH_EVERY_MS * UINT64_C(1000000));
    }
}

void oh_nodes_tick_waiting(oh_nodes *nodes)
{
    nodes->calls = OH_CALLS_PER_CHECK;
    nodes->due_ns = 0;
    oh_nodes_tick(nodes);
}

/* ---- Waiting for an answer ---- */

uint64_t oh_refresh_first_deadline(const oh_nodes *nodes)
{
    uint64_t timeout_ms = nodes->seeds->pool->timeout_ms;

    return oh_clock_now_ns() + (timeout_ms ? timeout_ms : OH_CONTACT_MS) * 1000000;
}

void oh_nodes_ask(oh_nodes *nodes, uint64_t deadline_ns)
{
    const oh_snapshot *before = nodes->map;
    bool has_asked = false;

    oh_nodes_request_refresh(nodes);
    while (nodes->map == before && oh_clock_now_ns() < deadline_ns) {
        if (nodes->refresh) {
            oh_refresh_move(nodes, OH_CHECK_AGAIN_MS);
        } else if (has_asked ||
                   (!is_wanted(nodes) && oh_clock_now_ms() > asked_ms(nodes) + OH_ANSWER_MS)) {
            break;
        } else if (is_wanted(nodes) && oh_refresh_is_my_turn(nodes, nodes->protocol->soon_ms)) {
            nodes->protocol->begin(nodes, deadline_ns);
            has_asked = true;
        } else {
            oh_wait_poll(NULL, 0, OH_CHECK_AGAIN_MS);
        }
        oh_map_catch_up(nodes);
    }
    if (nodes->refresh) {
        oh_refresh_move(nodes, 0); /* Takes what arrived while this process was stopped. */
    }
}

/* ---- Waiting for a failover ---- */

static bool has_heir(const oh_snapshot *map, uint32_t master)
{
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        const oh_server *server = &map->pool->servers[i];

        if (server->role == OH_REPLICA && server->master == master &&
            (!server->is_failing || server->is_loading)) {
            return true;
        }
    }
    return false;
}

bool oh_nodes_may_fail_over(const oh_snapshot *map, uint32_t node)
{
    oh_text name = map->pool->servers[node].name;
    oh_snapshot *newest = oh_nodes_hold_newest(map->known_by);
    uint32_t master = oh_topology_find(newest->topology, name.bytes, name.length);
    bool is_master = oh_snapshot_has_keys(map, node) && master < newest->nodes_count &&
                     oh_snapshot_has_keys(newest, master);
    oh_connections *connections = is_master ? oh_snapshot_connections(newest, master) : NULL;
    bool may = connections && oh_pool_awaits_heir(connections, has_heir(newest, master));

    oh_snapshot_release(newest);
    return may;
}

void oh_nodes_await_failover(const oh_snapshot *map, uint64_t deadline_ns)
{
    oh_nodes *nodes = map->known_by;
    uint64_t end_ns = oh_clock_now_ns() + OH_FAILOVER_CHECK_MS * UINT64_C(1000000);

    end_ns = OH_MIN(end_ns, deadline_ns);
    oh_nodes_request_refresh(nodes);
    oh_map_catch_up(nodes);
    while (nodes->map == map && oh_clock_now_ns() < end_ns) {
        if (nodes->refresh) {
            oh_refresh_move(nodes, OH_CHECK_AGAIN_MS);
        } else if (oh_refresh_is_my_turn(nodes, OH_FAILOVER_CHECK_MS)) {
            nodes->protocol->begin(
                nodes, oh_clock_now_ns() + OH_REFRESH_EVERY_MS * UINT64_C(1000000));
        } else {
            /* Sleeps even if an interrupt of the program is pending. */
            poll(NULL, 0, OH_FAILOVER_POLL_MS);
        }
        oh_map_catch_up(nodes);
    }
}
