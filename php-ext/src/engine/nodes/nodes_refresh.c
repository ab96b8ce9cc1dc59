/*
 * A refresh sends CLUSTER INFO and CLUSTER SHARDS to two nodes in parallel, or the question of
 * sentinels.c to all Sentinels. It uses exchanges, like any command, so connections, handshake and
 * deadlines work in the same way. core/cluster reads and compares the answers.
 */
#include "engine/nodes/nodes_internal.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/generated/limits.h"
#include "core/generated/timings.h"

#include "engine/base/environment.h"
#include "engine/exchange/exchange.h"
#include "engine/shared/segment.h"

/* A longer reply is read only if there is enough memory. */
#define OH_LARGE_BYTES 262144

typedef struct oh_refresh {
    oh_snapshot *snapshot; /* The snapshot with the asked nodes. */
    /* The map when the refresh began; NULL, or with Sentinels the seeds, if there was none. */
    oh_snapshot *before;
    oh_buffer question; /* For Sentinels. */
    uint64_t began_ns, deadline_ns;
    uint64_t answered_ns; /* When the first answer arrived; 0 before that. */
    uint32_t silent;      /* How many were still to come then. */
    uint32_t answers;     /* So many have arrived, */
    bool is_certain;      /* and no further one can change the result. */
    bool ends_now;        /* The request ends. */
    bool is_trusting;     /* The configuration has just named those that are asked. */
    bool asks_all;        /* All nodes of the map, because a foreign answer came. */
    uint32_t count;
    uint32_t *asked; /* These have room for all that are asked. */
    oh_failure *failures;
    oh_exchange *exchanges;
} oh_refresh;

/* Those with a running refresh. */
static OH_PER_THREAD oh_nodes *refreshing;

oh_nodes *oh_refresh_going_on(void)
{
    return refreshing;
}

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

uint64_t oh_refresh_asked_ms(const oh_nodes *nodes)
{
    return nodes->entry == OH_STORE_NONE ? nodes->asked_ms
                                         : oh_store_looked_ms(oh_segment_store(), nodes->entry);
}

/* ---- Asking ---- */

/* The request, which stays where it is until the refresh ends. */
static oh_text request_of(const oh_nodes *nodes, const oh_refresh *refresh)
{
    /* SLOTS names the ports for the kind of connection that asks; SHARDS may lack those for TLS. */
    bool wants_slots = nodes->has_no_shards || refresh->snapshot->pool->tls.is_on;
    const char *request = wants_slots ? OH_RESP_CLUSTER_INFO OH_RESP_CLUSTER_SLOTS
                                      : OH_RESP_CLUSTER_INFO OH_RESP_CLUSTER_SHARDS;

    return nodes->sentinels ? (oh_text){refresh->question.bytes, refresh->question.length}
                            : (oh_text){request, strlen(request)};
}

/* Sends the request to a node. False if there is no memory. */
static bool ask(oh_nodes *nodes, oh_refresh *refresh, uint32_t node, uint64_t deadline_ns)
{
    oh_exchange *exchange = &refresh->exchanges[refresh->count];
    oh_text request = request_of(nodes, refresh);
    oh_connections *connections = oh_snapshot_connections(refresh->snapshot, node);

    if (!connections) {
        return false;
    }
    refresh->asked[refresh->count] = node;
    oh_exchange_make(exchange,
        (oh_peer){.connections = connections, .meter = oh_snapshot_meter(refresh->snapshot, node)},
        &refresh->failures[refresh->count]);
    refresh->deadline_ns = deadline_ns;
    /*
     * The timeout is shorter than that of calls, so that a slow answer does not count as a failure
     * of the node.
     */
    const oh_call_terms terms = {.timeout_ms = refresh->snapshot->pool->timeout_ms / 2 + 1,
        .deadline_ns = deadline_ns,
        .is_read_only = true,
        .gathers = true,
        .goes_beyond = !nodes->sentinels}; /* No call uses the connections of a Sentinel. */

    oh_exchange_prepare(exchange, &terms, NULL);
    oh_exchange_start(exchange, request.bytes, request.length);
    refresh->count++;
    return true;
}

static void free_refresh(oh_refresh *refresh)
{
    oh_call_release(refresh->asked);
    oh_call_release(refresh->failures);
    oh_call_release(refresh->exchanges);
    oh_buffer_free(&refresh->question);
    oh_call_release(refresh);
}

/* Makes one for so many nodes. NULL if there is no memory. */
static oh_refresh *make_refresh(uint32_t nodes_max)
{
    oh_refresh *refresh = oh_call_zeroed(1, sizeof *refresh);

    if (!refresh) {
        return NULL;
    }
    refresh->asked = oh_call_zeroed(nodes_max, sizeof *refresh->asked);
    refresh->failures = oh_call_zeroed(nodes_max, sizeof *refresh->failures);
    refresh->exchanges = oh_call_zeroed(nodes_max, sizeof *refresh->exchanges);
    if (!refresh->asked || !refresh->failures || !refresh->exchanges) {
        free_refresh(refresh);
        return NULL;
    }
    return refresh;
}

/* NULL if there is no memory. */
static oh_refresh *begin(oh_nodes *nodes, oh_snapshot *snapshot, uint32_t nodes_max)
{
    oh_refresh *refresh = make_refresh(nodes_max);

    if (!refresh) {
        return NULL;
    }
    snapshot->references++;
    refresh->snapshot = snapshot;
    refresh->began_ns = oh_clock_now_ns();
    refresh->before = nodes->map ? oh_nodes_hold_newest(nodes) : NULL;
    if (nodes->sentinels && !refresh->before) {
        refresh->before = nodes->seeds;
        refresh->before->references++;
    }
    nodes->refresh = refresh;
    nodes->next = refreshing;
    refreshing = nodes;
    return refresh;
}

void oh_refresh_end(oh_nodes *nodes)
{
    oh_refresh *refresh = nodes->refresh;
    oh_nodes **place = &refreshing;

    while (*place != nodes) {
        place = &(*place)->next;
    }
    *place = nodes->next;
    nodes->refresh = NULL;
    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_exchange_end(&refresh->exchanges[i]);
    }
    oh_snapshot_release(refresh->snapshot);
    if (refresh->before) {
        oh_snapshot_release(refresh->before);
    }
    free_refresh(refresh);
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
    const oh_exchange *exchange = &refresh->exchanges[index];
    oh_failure *failure = &refresh->failures[index];
    oh_bytes both = oh_exchange_unread(exchange);
    char reason[OH_CLUSTER_REASON_BYTES];
    oh_cluster_map *map = NULL;

    if (!oh_exchange_is_complete(exchange)) {
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

/* Writes the failure of each node when no map is adopted. */
static void refuse(oh_refresh *refresh, oh_cluster_map *const *maps, const char *reason)
{
    for (uint32_t i = 0; i < refresh->count; i++) {
        if (maps[i]) {
            oh_failure_set(&refresh->failures[i], OH_OUTCOME_ANSWERED, OH_SAY_MAP_REFUSED, reason);
        }
    }
}

/* Writes the failures when a map was chosen but there is no memory to adopt it. */
static void lack_memory(oh_refresh *refresh, oh_cluster_map *const *maps)
{
    for (uint32_t i = 0; i < refresh->count; i++) {
        if (maps[i]) {
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

/* The replies of the Sentinels so far; those of a silent one are empty. */
static void list_replies(const oh_refresh *refresh, oh_values replies[OH_POOL_SENTINELS_MAX])
{
    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_bytes all = oh_exchange_is_complete(&refresh->exchanges[i])
                           ? oh_exchange_unread(&refresh->exchanges[i])
                           : (oh_bytes){NULL, 0};

        replies[i] = oh_values_of(all.bytes, all.length);
    }
}

/* Adopts what the Sentinels have answered. */
static bool conclude_watched(oh_nodes *nodes)
{
    const oh_refresh *refresh = nodes->refresh;
    oh_values replies[OH_POOL_SENTINELS_MAX];
    const char *why = NULL;
    oh_quoted error;

    oh_map_catch_up(nodes);
    list_replies(refresh, replies);
    for (uint32_t i = 0; i < refresh->count; i++) {
        oh_bytes all = {replies[i].at, (size_t)(replies[i].end - replies[i].at)};

        if (oh_exchange_has_failed(&refresh->exchanges[i])) {
            why = refresh->failures[i].what;
        } else if (is_error(all) && !oh_sentinel_is_none(all.bytes, all.length)) {
            /* Not of one name: NOAUTH, for example. */
            oh_text text = oh_value_error_text(all.bytes, all.length);
            why = oh_quote(&error, text.bytes, text.length);
        }
    }
    return oh_sentinels_adopt(nodes, refresh->before->pool, replies, refresh->count, why);
}

/*
 * True if the refresh gave the newest map, or one equally good. Otherwise the failures say why not.
 */
static bool conclude(oh_nodes *nodes)
{
    if (nodes->sentinels) {
        return conclude_watched(nodes);
    }
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
        if (maps[i] && (!still_counts(nodes, refresh, i) || (is_foreign && refresh->asks_all))) {
            oh_cluster_free(maps[i]);
            maps[i] = NULL;
        }
        second = first ? maps[i] : NULL;
        first = first ? first : maps[i];
    }
    oh_strangers_note(nodes, has_known, refresh->asks_all);
    oh_cluster_map *chosen = first ? oh_cluster_choose(current, first, second, reason) : NULL;
    if (chosen && !oh_strangers_are_believed(
                      nodes, refresh->is_trusting, oh_cluster_is_foreign(current, chosen))) {
        is_answered = true; /* By others: the nodes of the map are asked next. */
    } else if (chosen && oh_cluster_keep_indexes(chosen, current)) {
        nodes->strangers = OH_STRANGERS_NONE;
        nodes->trusts_seeds = false;
        oh_cluster_keep_moved(chosen, refresh->before ? refresh->before->topology : NULL, current);
        oh_server_pool pool =
            oh_cluster_pool(chosen, current ? nodes->map->pool : nodes->seeds->pool);

        is_adopted = oh_map_adopt(nodes, &pool);
        if (!nodes->map) {
            lack_memory(refresh, maps);
        }
    } else if (is_answered) {
        refuse(refresh, maps, reason);
    }
    nodes->doubts_nodes = !is_answered;
    oh_cluster_free(first);
    oh_cluster_free(second);
    return is_adopted;
}

/* ---- Advancing ---- */

/* Notes the answers that have arrived. Returns how many are still to come. */
static uint32_t note_answers(oh_nodes *nodes)
{
    oh_refresh *refresh = nodes->refresh;
    oh_values replies[OH_POOL_SENTINELS_MAX];
    uint32_t active = 0, answers = 0;

    for (uint32_t i = 0; i < refresh->count; i++) {
        active += oh_exchange_is_active(&refresh->exchanges[i]);
        answers += oh_exchange_is_complete(&refresh->exchanges[i]);
    }
    if (answers > 0 && !refresh->answered_ns) {
        refresh->answered_ns = oh_clock_now_ns();
        refresh->silent = active;
    }
    if (answers > refresh->answers && nodes->sentinels) {
        list_replies(refresh, replies);
        refresh->is_certain =
            oh_sentinels_are_certain(refresh->before->pool, replies, refresh->count);
    }
    refresh->answers = answers;
    return active;
}

/* True if there is still an answer to wait for. */
static bool goes_on(oh_nodes *nodes)
{
    const oh_refresh *refresh = nodes->refresh;
    uint32_t active = note_answers(nodes);
    uint32_t least_ms = nodes->sentinels ? refresh->silent * OH_STEP_MS_MAX : OH_REFRESH_GRACE_MS;
    uint64_t grace_ns =
        OH_MAX(refresh->answered_ns - refresh->began_ns, least_ms * UINT64_C(1000000));

    if (active == 0 || refresh->is_certain) {
        return false;
    }
    if (refresh->asks_all) {
        return true;
    }
    if (nodes->sentinels && refresh->ends_now) {
        return true; /* A Sentinel that answers sooner than the others must not decide alone. */
    }
    return !refresh->answered_ns || oh_clock_now_ns() < refresh->answered_ns + grace_ns;
}

/*
 * A refresh uses memory of the request in which it runs. A request with little memory left must not
 * fail because of a large reply.
 */
static bool has_memory(const oh_exchange *exchange)
{
    size_t length = oh_exchange_unread(exchange).length, capacity = oh_exchange_capacity(exchange);

    return length < capacity || length < OH_LARGE_BYTES ||
           oh_surroundings.memory_left() > 3 * capacity;
}

/* Refuses a reply that is longer than any map, before its end. */
static void refuse_long(oh_exchange *exchange)
{
    bool is_long = oh_exchange_unread(exchange).length >
                   OH_CLUSTER_REPLY_BYTES_MAX + OH_CLUSTER_INFO_BYTES_MAX;

    if (!oh_exchange_is_active(exchange) || (!is_long && has_memory(exchange))) {
        return;
    }
    if (is_long) {
        char reason[OH_CLUSTER_REASON_BYTES];

        snprintf(
            reason, sizeof reason, OH_REASON_MAP_TOO_LONG, (unsigned)OH_CLUSTER_REPLY_BYTES_MAX);
        oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_REFUSED, reason);
    } else {
        oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_WITHOUT_MEMORY);
    }
    oh_exchange_fail(exchange);
}

static void glance(oh_refresh *refresh, uint32_t milliseconds)
{
    oh_exchange *members[OH_EXCHANGE_SET_MAX];

    for (uint32_t i = 0; i < refresh->count; i++) {
        members[i] = &refresh->exchanges[i];
    }
    oh_exchange_glance(members, refresh->count, (int)milliseconds);
    for (uint32_t i = 0; i < refresh->count; i++) {
        refuse_long(members[i]);
    }
}

void oh_refresh_move(oh_nodes *nodes, uint32_t milliseconds)
{
    oh_refresh *refresh = nodes->refresh;

    /* Even without a wait: answers may have arrived since the last check, perhaps long ago. */
    glance(refresh, goes_on(nodes) ? milliseconds : 0);
    if (goes_on(nodes)) {
        return;
    }
    uint64_t deadline_ns = refresh->deadline_ns, length_ns = deadline_ns - refresh->began_ns;
    oh_strangers before = nodes->strangers;
    bool had_no_shards = nodes->has_no_shards, has_doubted = nodes->doubts_nodes,
         is_adopted = conclude(nodes);

    oh_refresh_end(nodes);
    if (OH_UNLIKELY(nodes->strangers > before)) {
        oh_refresh_begin(nodes, oh_clock_now_ns() + length_ns);
        return;
    }
    if (OH_UNLIKELY(nodes->has_no_shards != had_no_shards) && !is_adopted) {
        /* The nodes work but are older than 7.0, so they are asked again, with CLUSTER SLOTS. */
        nodes->doubts_nodes = has_doubted;
        oh_refresh_begin(nodes, deadline_ns);
    }
}

void oh_refresh_finish(oh_nodes *nodes)
{
    nodes->refresh->ends_now = true;
    oh_refresh_move(nodes, 0);
}

/* Asks all Sentinels. A dead one that rests fails immediately. */
static void begin_watched(oh_nodes *nodes, uint64_t deadline_ns)
{
    oh_refresh *refresh = begin(nodes, nodes->sentinels, nodes->sentinels->nodes_count);

    if (!refresh) {
        return;
    }
    oh_sentinels_write_question(&refresh->question, refresh->before->pool);
    for (uint32_t i = 0; i < refresh->snapshot->nodes_count && !refresh->question.is_broken; i++) {
        if (!ask(nodes, refresh, i, deadline_ns)) {
            break;
        }
    }
}

/* Without memory there is no refresh; a later call tries again. */
void oh_refresh_begin(oh_nodes *nodes, uint64_t deadline_ns)
{
    if (nodes->sentinels) {
        begin_watched(nodes, deadline_ns);
        return;
    }
    bool asks_all = nodes->strangers == OH_STRANGERS_DOUBTED;
    uint32_t most = asks_all ? OH_EXCHANGE_SET_MAX : OH_ASKED_MAX;
    oh_snapshot *snapshot = nodes->doubts_nodes && !asks_all ? nodes->seeds : nodes->map;
    uint32_t count, *targets = oh_targets_list(snapshot, &count);
    oh_refresh *refresh = targets ? begin(nodes, snapshot, most) : NULL;

    if (!refresh) {
        oh_call_release(targets);
        return;
    }
    bool is_named = nodes->has_preferred_source && snapshot == nodes->map &&
                    oh_targets_put_first(targets, count, nodes->preferred_source);

    refresh->asks_all = asks_all;
    refresh->is_trusting = nodes->trusts_seeds && snapshot == nodes->seeds;
    nodes->has_preferred_source = false;
    for (uint32_t i = 0; i < count && refresh->count < most; i++) {
        uint32_t node = i == 0 && is_named ? targets[0] : oh_targets_draw(targets + i, count - i);

        if (ask(nodes, refresh, node, deadline_ns) &&
            oh_exchange_has_failed(&refresh->exchanges[refresh->count - 1]) && i + 1 < count) {
            /* The node rests, so the next one is asked. */
            oh_exchange_end(&refresh->exchanges[--refresh->count]);
            memset(&refresh->exchanges[refresh->count], 0, sizeof *refresh->exchanges);
        }
    }
    oh_call_release(targets);
}

void oh_refresh_ask_sentinels(oh_nodes *nodes, uint64_t deadline_ns)
{
    oh_refresh_begin(nodes, deadline_ns);
    while (nodes->refresh) {
        oh_refresh_move(nodes, OH_REFRESH_GRACE_MS);
    }
}

/* ---- Asking seeds ---- */

/*
 * Asks two, and one more whenever one has failed or, as long as there is no answer, all are silent
 * for a step.
 */
static void ask_in_steps(
    oh_nodes *nodes, const uint32_t *targets, uint32_t count, uint64_t deadline_ns)
{
    oh_refresh *refresh = nodes->refresh;
    uint64_t step = oh_targets_step_ns(nodes, count), next_ns = 0;

    while (refresh->count == 0 || goes_on(nodes) ||
           (!refresh->answered_ns && refresh->count < count)) {
        uint32_t active = note_answers(nodes);
        uint64_t now_ns = oh_clock_now_ns();
        bool is_left = !refresh->answered_ns && refresh->count < count;

        if (is_left && (active < OH_ASKED_MAX || now_ns >= next_ns)) {
            if (!ask(nodes, refresh, targets[refresh->count], deadline_ns)) {
                return;
            }
            next_ns = now_ns + step;
        } else {
            uint64_t left_ms = is_left ? (next_ns - now_ns) / 1000000 + 1 : OH_REFRESH_GRACE_MS;

            glance(refresh, (uint32_t)OH_MIN(left_ms, OH_REFRESH_GRACE_MS));
        }
    }
}

uint32_t oh_refresh_ask_seeds(oh_nodes *nodes, const uint32_t *targets, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures, bool *is_done)
{
    oh_refresh *refresh = begin(nodes, nodes->seeds, count);

    *is_done = false;
    for (uint32_t i = 0; i < count; i++) {
        /* A later failure replaces this one. */
        oh_failure_set_no_memory(&failures[i], OH_OUTCOME_NOT_SENT);
    }
    if (!refresh) {
        return count;
    }
    refresh->is_trusting = true;
    ask_in_steps(nodes, targets, count, deadline_ns);
    for (uint32_t i = 0; i < refresh->count; i++) {
        if (oh_exchange_is_active(&refresh->exchanges[i])) {
            oh_failure_set(&refresh->failures[i], OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_MAP_LATE);
        }
    }
    uint32_t asked = refresh->count;
    *is_done = conclude(nodes) || nodes->map;
    memcpy(failures, refresh->failures, asked * sizeof *failures);
    oh_refresh_end(nodes);
    return OH_MAX(asked, 1);
}
