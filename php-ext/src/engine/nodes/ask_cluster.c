/*
 * What the nodes of a Redis Cluster are asked, and the map in their answers. CLUSTER INFO and
 * CLUSTER SHARDS go to two nodes in parallel; core/cluster reads and compares the answers.
 *
 * An answer without any node of the map is foreign: it comes from another cluster, or from one that
 * was set up again. A foreign answer is not adopted until all nodes of the map were asked and none
 * has answered.
 *
 * Implements spec/topology/cluster.md.
 */
#include "engine/nodes/nodes_internal.h"

#include <string.h>
#include <syslog.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/log.h"

/* ---- The configuration ---- */

static bool is_map(const oh_topology *topology)
{
    return oh_topology_slots(topology) != NULL;
}

static oh_snapshot *contacts_of(oh_snapshot *seeds, const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    (void)identity;
    seeds->references++;
    return seeds;
}

/* True if none of the configured servers is a node of the map. */
static bool is_elsewhere(const oh_nodes *nodes)
{
    for (uint32_t i = 0; i < nodes->seeds->nodes_count; i++) {
        if (oh_map_has(nodes, nodes->seeds->pool->servers[i].name)) {
            return false;
        }
    }
    return true;
}

/*
 * The nodes stay, the directives are new. If the map has none of the configured servers, they may
 * belong to another cluster, so they are asked.
 */
static void reconfigure(oh_nodes *nodes, const oh_snapshot *before)
{
    bool has_others = before && strcmp(oh_topology_fingerprint(nodes->seeds->topology),
                                    oh_topology_fingerprint(before->topology)) != 0;

    if (!nodes->map) {
        return;
    }
    oh_map_catch_up(nodes);
    oh_nodes_request_refresh(nodes);
    nodes->doubts_nodes = has_others && is_elsewhere(nodes);
    nodes->trusts_seeds = nodes->doubts_nodes;
    if (nodes->doubts_nodes) {
        oh_nodes_ask(nodes, oh_refresh_first_deadline(nodes));
        nodes->doubts_nodes = is_elsewhere(nodes);
    }
    oh_map_catch_up(nodes);
    const oh_server_pool *now = nodes->map->pool;
    oh_server_pool pool = *nodes->seeds->pool;
    pool.servers = now->servers;
    pool.servers_count = now->servers_count;
    pool.slots = now->slots;
    pool.epoch = now->epoch;
    oh_map_adopt(nodes, &pool);
}

/* ---- Asking ---- */

/*
 * CLUSTER SLOTS names ports for the kind of connection that asks; CLUSTER SHARDS may lack TLS
 * ports.
 */
static void write_question(const oh_nodes *nodes, oh_refresh *refresh)
{
    bool wants_slots = nodes->has_no_shards || refresh->snapshot->pool->tls.is_on;

    oh_buffer_append_text(&refresh->question, wants_slots
                                                  ? OH_RESP_CLUSTER_INFO OH_RESP_CLUSTER_SLOTS
                                                  : OH_RESP_CLUSTER_INFO OH_RESP_CLUSTER_SHARDS);
}

/* Moves the node that a redirect has named to the front. Returns how many such nodes there are. */
static uint32_t put_preferred_first(const oh_nodes *nodes, uint32_t *targets, uint32_t count)
{
    for (uint32_t i = 0; i < count && nodes->has_preferred_source; i++) {
        if (targets[i] == nodes->preferred_source) {
            oh_refresh_put_first(targets, i);
            return 1;
        }
    }
    return 0;
}

/* Asks two nodes of the map or, if no node of the map has answered before, two seeds. */
static void begin(oh_nodes *nodes, uint64_t deadline_ns)
{
    bool asks_all = nodes->strangers == OH_STRANGERS_DOUBTED;
    oh_snapshot *snapshot = nodes->doubts_nodes && !asks_all ? nodes->seeds : nodes->map;
    uint32_t count, *targets = oh_refresh_targets(snapshot, &count);

    if (!targets) {
        return;
    }
    uint32_t in_order = snapshot == nodes->map ? put_preferred_first(nodes, targets, count) : 0;
    oh_refresh *refresh = oh_refresh_ask(nodes, snapshot, targets, count, in_order,
        asks_all ? OH_EXCHANGE_SET_MAX : OH_ASKED_MAX, deadline_ns);

    if (refresh) {
        refresh->needs_all = asks_all;
        refresh->is_trusting = nodes->trusts_seeds && refresh->snapshot == nodes->seeds;
        nodes->has_preferred_source = false;
    }
    oh_call_release(targets);
}

/* ---- Reading the answers ---- */

/* The first of the two replies. */
static oh_bytes first_value(oh_bytes both)
{
    oh_wire wire;

    oh_wire_reset(&wire);
    wire.written = 1;
    return (oh_bytes){both.bytes, oh_wire_read_value(&wire, both.bytes, both.length)};
}

static bool is_error(oh_bytes value)
{
    return oh_value_begins_error(value.bytes, value.length);
}

/* Reads the map in a node's answer. NULL if it has none; the reason is in its failure. */
static oh_cluster_map *read_answer(oh_nodes *nodes, oh_refresh *refresh, uint32_t index)
{
    oh_failure *failure = &refresh->failures[index];
    oh_bytes both = oh_refresh_answer(refresh, index);
    char reason[OH_CLUSTER_REASON_BYTES];
    oh_cluster_map *map = NULL;

    if (both.length == 0) {
        return NULL;
    }
    oh_bytes info = first_value(both),
             reply = {both.bytes + info.length, both.length - info.length};
    oh_cluster_answer answer = {
        .reply = reply, .info = info, .zone = refresh->snapshot->pool->zone};
    answer.host = refresh->snapshot->pool->servers[refresh->asked[index]].host;
    if (is_error(reply)) {
        nodes->has_no_shards |= !is_error(info);
        oh_quoted text;

        oh_failure_set(failure, OH_OUTCOME_ANSWERED, OH_SAY_MAP_ERROR,
            oh_quote(&text, reply.bytes + 1, reply.length - 3));
    } else if (!oh_cluster_read(&answer, &map, reason)) {
        oh_failure_set(failure, OH_OUTCOME_ANSWERED, OH_SAY_MAP_REFUSED, reason);
    }
    return map;
}

/*
 * Writes the failure of each node whose map is not adopted: the reason or, if that is NULL, that
 * there is no memory.
 */
static void refuse(oh_refresh *refresh, oh_cluster_map *const *maps, const char *reason)
{
    for (uint32_t i = 0; i < refresh->count; i++) {
        if (maps[i] && reason) {
            oh_failure_set(&refresh->failures[i], OH_OUTCOME_ANSWERED, OH_SAY_MAP_REFUSED, reason);
        } else if (maps[i]) {
            oh_failure_set_no_memory(&refresh->failures[i], OH_OUTCOME_ANSWERED);
        }
    }
}

/*
 * False if this or another process has switched to another cluster since the refresh began. Then
 * the answer is ignored.
 */
static bool still_counts(const oh_nodes *nodes, const oh_refresh *refresh, uint32_t index)
{
    const oh_snapshot *asked = refresh->snapshot;

    return asked->known_by ? oh_map_has(nodes, asked->pool->servers[refresh->asked[index]].name)
                           : asked == nodes->seeds;
}

/* ---- Foreign answers ---- */

static void note_strangers(oh_nodes *nodes, bool has_known)
{
    if (has_known) {
        nodes->strangers = OH_STRANGERS_NONE;
    } else if (nodes->refresh->needs_all) {
        nodes->strangers = OH_STRANGERS_BELIEVED;
    }
}

/*
 * True if a map may be adopted: a foreign one only if no known node answers, or if the
 * configuration has just named its nodes.
 */
static bool is_believed(oh_nodes *nodes, bool is_foreign)
{
    if (!is_foreign || nodes->refresh->is_trusting) {
        return true;
    }
    if (nodes->strangers == OH_STRANGERS_BELIEVED) {
        oh_log_note(LOG_WARNING,
            "OneHop: server pool %s goes over to another Redis Cluster: no node of the one before "
            "answers, and the nodes that do are none of its",
            nodes->seeds->pool->name.bytes);
        return true;
    }
    nodes->strangers = OH_STRANGERS_DOUBTED;
    return false;
}

/* ---- Adopting ---- */

/* Adopts the chosen map. False if it is not better than the present one, or there is no memory. */
static bool adopt(oh_nodes *nodes, oh_cluster_map *chosen, const oh_topology *current)
{
    const oh_snapshot *before = nodes->refresh->before;

    nodes->strangers = OH_STRANGERS_NONE;
    nodes->trusts_seeds = false;
    oh_cluster_keep_moved(chosen, before->known_by ? before->topology : NULL, current);
    oh_server_pool pool = oh_cluster_pool(chosen, current ? nodes->map->pool : nodes->seeds->pool);

    return oh_map_adopt(nodes, &pool);
}

/* True if the refresh gave the newest map, or one equally good. */
static bool conclude(oh_nodes *nodes)
{
    oh_refresh *refresh = nodes->refresh;
    oh_cluster_map *maps[OH_EXCHANGE_SET_MAX] = {NULL}, *first = NULL, *second = NULL;
    char reason[OH_CLUSTER_REASON_BYTES] = "there is not enough memory";
    bool is_answered = false, is_adopted = false, has_known = false;

    /* Slots that have moved during the refresh stay moved, unless the nodes' epochs are newer. */
    oh_map_catch_up(nodes);
    const oh_topology *current = nodes->map ? nodes->map->topology : NULL;
    for (uint32_t i = 0; i < refresh->count && !second; i++) {
        maps[i] = read_answer(nodes, refresh, i);
        is_answered |= maps[i] != NULL;
        bool is_foreign = maps[i] && oh_cluster_is_foreign(current, maps[i]);
        has_known |= maps[i] && !is_foreign;
        if (maps[i] && (!still_counts(nodes, refresh, i) || (is_foreign && refresh->needs_all))) {
            oh_cluster_free(maps[i]);
            maps[i] = NULL;
        }
        second = first ? maps[i] : NULL;
        first = first ? first : maps[i];
    }
    note_strangers(nodes, has_known);
    oh_cluster_map *chosen = first ? oh_cluster_choose(current, first, second, reason) : NULL;
    if (chosen && !is_believed(nodes, oh_cluster_is_foreign(current, chosen))) {
        is_answered = true; /* The answers are foreign, so the nodes of the map are asked next. */
    } else if (chosen && oh_cluster_keep_indexes(chosen, current)) {
        is_adopted = adopt(nodes, chosen, current);
        if (!nodes->map) {
            refuse(refresh, maps, NULL);
        }
    } else if (is_answered) {
        refuse(refresh, maps, reason);
    }
    nodes->doubts_nodes = !is_answered;
    oh_cluster_free(first);
    oh_cluster_free(second);
    return is_adopted;
}

static uint64_t judge(oh_nodes *nodes)
{
    const oh_refresh *refresh = nodes->refresh;
    oh_strangers before = nodes->strangers;
    bool had_no_shards = nodes->has_no_shards, has_doubted = nodes->doubts_nodes,
         is_adopted = conclude(nodes);

    if (OH_UNLIKELY(nodes->strangers > before)) {
        return oh_clock_now_ns() + refresh->deadline_ns - refresh->began_ns;
    }
    if (OH_UNLIKELY(nodes->has_no_shards != had_no_shards) && !is_adopted) {
        /* The nodes work but are older than 7.0, so they are asked again, with CLUSTER SLOTS. */
        nodes->doubts_nodes = has_doubted;
        return refresh->deadline_ns;
    }
    return 0;
}

const oh_protocol oh_protocol_of_cluster = {.kind = OH_MAP_OF_CLUSTER,
    .name = "cluster",
    .soon_ms = OH_REFRESH_EVERY_MS,
    .anyway_ms = OH_REFRESH_ANYWAY_MS,
    .counts_calls = true,
    .is_map = is_map,
    .contacts = contacts_of,
    .reconfigure = reconfigure,
    .begin = begin,
    .write_question = write_question,
    .judge = judge};
