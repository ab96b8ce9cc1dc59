/*
 * The map of a Redis Cluster for clients: the newest one of this process, and the rules when it is
 * refreshed and by which process.
 */
#include "engine/nodes/nodes_internal.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"
#include "core/hash/md5.h"

#include "engine/base/wait.h"
#include "engine/shared/segment.h"

/* How many calls a client makes between two checks of the clock. */
#define OH_CALLS_PER_LOOK 1024
#define OH_ANSWER_MS 200     /* How long to wait for a refresh by another process. */
#define OH_LAST_MOMENT_MS 50 /* How long the end of a request waits for a refresh. */

/* How often a watched pool checks if the Sentinels are to be asked. */
#define OH_LOOK_EVERY_NS UINT64_C(50000000)

/* ---- Opening and closing ---- */

oh_map_kind oh_map_kind_of(const oh_server_pool *pool)
{
    return pool->is_cluster        ? OH_MAP_OF_CLUSTER
           : pool->sentinels.bytes ? OH_MAP_OF_SENTINELS
                                   : OH_MAP_KINDS_COUNT;
}

void oh_map_identify(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_map_kind kind,
    uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    static const char *const names[OH_MAP_KINDS_COUNT] = {"cluster", "sentinels"};
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, pool, OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, names[kind], strlen(names[kind]));
    oh_md5_end(&md5, identity);
}

oh_nodes *oh_nodes_open(
    const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_map_kind kind, const char *path)
{
    oh_nodes *nodes = oh_memory_zeroed(1, sizeof *nodes);

    if (!nodes) {
        return NULL;
    }
    oh_map_identify(pool, kind, nodes->identity);
    nodes->entry =
        oh_segment_store() ? oh_store_find(oh_segment_store(), nodes->identity) : OH_STORE_NONE;
    if (nodes->entry == OH_STORE_NONE && oh_segment_store() && oh_segment_lock()) {
        nodes->entry = oh_store_add(oh_segment_store(), nodes->identity, path);
        oh_segment_unlock();
    }
    return nodes;
}

void oh_nodes_forget(oh_nodes *nodes)
{
    oh_map_set(&nodes->map, NULL);
    oh_map_set(&nodes->seeds, NULL);
    oh_map_set(&nodes->sentinels, NULL);
    oh_memory_release(nodes);
}

/* ---- What clients call ---- */

/* True if none of the configured servers is a node of the map. */
static bool is_elsewhere(const oh_nodes *nodes, const oh_snapshot *seeds)
{
    for (uint32_t i = 0; i < seeds->nodes_count; i++) {
        if (oh_map_has(nodes, seeds->pool->servers[i].name)) {
            return false;
        }
    }
    return true;
}

/*
 * Applies a changed configuration: the nodes stay, the directives are new. If the map has none of
 * the configured servers, they may belong to another cluster, so they are asked.
 */
static void reconfigure(oh_nodes *nodes, oh_snapshot *seeds)
{
    oh_snapshot *before = nodes->seeds;
    bool has_others = before && strcmp(oh_topology_fingerprint(seeds->topology),
                                    oh_topology_fingerprint(before->topology)) != 0;

    seeds->references++;
    oh_map_set(&nodes->seeds, seeds);
    nodes->foreign = 0;
    if (!nodes->map) {
        return;
    }
    oh_map_catch_up(nodes);
    oh_nodes_request_refresh(nodes);
    nodes->doubts_nodes = has_others && is_elsewhere(nodes, seeds);
    nodes->trusts_seeds = nodes->doubts_nodes;
    if (nodes->doubts_nodes) {
        oh_nodes_ask(nodes, oh_bootstrap_deadline(nodes));
        nodes->doubts_nodes = is_elsewhere(nodes, seeds);
    }
    oh_map_catch_up(nodes);
    const oh_server_pool *now = nodes->map->pool;
    oh_server_pool pool = *seeds->pool;
    pool.servers = now->servers;
    pool.servers_count = now->servers_count;
    pool.slots = now->slots;
    pool.epoch = now->epoch;
    oh_map_adopt(nodes, &pool);
}

/*
 * Reconfigures a watched pool: the addresses stay. If no Sentinel has named a master for one of its
 * names yet, asks the Sentinels. False if there is no memory.
 */
static bool reconfigure_watched(oh_nodes *nodes, oh_snapshot *seeds)
{
    oh_snapshot *sentinels = oh_sentinels_open(seeds->pool, nodes->identity);

    if (!sentinels) {
        return false;
    }
    if (nodes->seeds && !oh_text_is_same(nodes->seeds->pool->sentinels, seeds->pool->sentinels)) {
        oh_sentinels_doubt(nodes);
    }
    seeds->references++;
    oh_map_set(&nodes->seeds, seeds);
    oh_map_set(&nodes->sentinels, sentinels);
    nodes->foreign = 0;
    oh_map_catch_up(nodes);
    if (nodes->map && !oh_sentinels_reconfigure(nodes)) {
        oh_nodes_ask(nodes, oh_bootstrap_deadline(nodes));
    }
    return true;
}

oh_snapshot *oh_nodes_discover(oh_nodes *nodes, oh_snapshot *seeds, oh_failure *failure)
{
    if (OH_UNLIKELY(nodes->seeds != seeds)) {
        if (!seeds->pool->sentinels.bytes) {
            reconfigure(nodes, seeds);
        } else if (!reconfigure_watched(nodes, seeds)) {
            oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
            return NULL;
        }
    }
    oh_map_catch_up(nodes);
    if (OH_UNLIKELY(!nodes->map) && !oh_nodes_bootstrap(nodes, failure)) {
        return NULL;
    }
    nodes->calls = OH_CALLS_PER_LOOK;
    nodes->due_ns = 0;
    oh_nodes_tick(nodes);
    return oh_nodes_hold_newest(nodes);
}

/* True if a refresh was requested and no process has refreshed since. */
static bool is_wanted(oh_nodes *nodes)
{
    if (oh_refresh_asked_ms(nodes) > nodes->wanted_ms) {
        nodes->wanted_ms = 0;
    }
    return nodes->wanted_ms != 0;
}

/* How soon a map is refreshed that may be wrong. */
static uint32_t soon_ms(const oh_nodes *nodes)
{
    return nodes->sentinels ? OH_SENTINELS_SOON_MS : OH_REFRESH_EVERY_MS;
}

/* True if the age of the map is to be checked. */
static bool is_due(oh_nodes *nodes)
{
    if (OH_UNLIKELY(nodes->wanted_ms != 0)) {
        return true;
    }
    if (OH_LIKELY(!nodes->sentinels)) {
        return ++nodes->calls >= OH_CALLS_PER_LOOK;
    }
    uint64_t now_ns = oh_clock_coarse_ns();
    if (OH_LIKELY(now_ns < nodes->due_ns)) {
        return false;
    }
    nodes->due_ns = now_ns + OH_LOOK_EVERY_NS;
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
    uint32_t every_ms = is_wanted(nodes)   ? soon_ms(nodes)
                        : nodes->sentinels ? OH_SENTINELS_EVERY_MS
                                           : OH_REFRESH_ANYWAY_MS;
    /*
     * The jitter is computed from the time of the last refresh. So it differs between hosts but is
     * the same for all processes of a host. If each process drew a random number, the smallest
     * would decide, and there would be hardly any jitter.
     */
    uint32_t later_ms = (uint32_t)(oh_refresh_asked_ms(nodes) % (every_ms / 4));
    nodes->calls = 0;
    if (oh_refresh_is_my_turn(nodes, every_ms + later_ms)) {
        oh_refresh_begin(nodes, oh_clock_now_ns() + OH_REFRESH_EVERY_MS * UINT64_C(1000000));
    }
}

void oh_nodes_tick_waiting(oh_nodes *nodes)
{
    nodes->calls = OH_CALLS_PER_LOOK;
    nodes->due_ns = 0;
    oh_nodes_tick(nodes);
}

void oh_nodes_ask(oh_nodes *nodes, uint64_t deadline_ns)
{
    const oh_snapshot *before = nodes->map;
    bool has_asked = false;

    oh_nodes_request_refresh(nodes);
    while (nodes->map == before && oh_clock_now_ns() < deadline_ns) {
        if (nodes->refresh) {
            oh_refresh_move(nodes, OH_LOOK_AGAIN_MS);
        } else if (has_asked ||
                   (!is_wanted(nodes) &&
                       oh_clock_now_ms() > oh_refresh_asked_ms(nodes) + OH_ANSWER_MS)) {
            break;
        } else if (is_wanted(nodes) && oh_refresh_is_my_turn(nodes, soon_ms(nodes))) {
            oh_refresh_begin(nodes, deadline_ns);
            has_asked = true;
        } else {
            oh_wait_poll(NULL, 0, OH_LOOK_AGAIN_MS);
        }
        oh_map_catch_up(nodes);
    }
    if (nodes->refresh) {
        oh_refresh_move(nodes, 0); /* Takes what arrived while this process was stopped. */
    }
}

void oh_nodes_finish_refreshes(void)
{
    uint64_t end_ns =
        oh_refresh_going_on() ? oh_clock_now_ns() + OH_LAST_MOMENT_MS * UINT64_C(1000000) : 0;

    while (oh_refresh_going_on() && oh_clock_now_ns() < end_ns) {
        oh_refresh_move(oh_refresh_going_on(), OH_LAST_MOMENT_MS);
    }
    for (oh_nodes *nodes = oh_refresh_going_on(), *next; nodes; nodes = next) {
        next = nodes->next;
        oh_refresh_finish(nodes);
    }
}

void oh_nodes_drop_refreshes(void)
{
    while (oh_refresh_going_on()) {
        oh_refresh_end(oh_refresh_going_on());
    }
}
