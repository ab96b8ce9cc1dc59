/*
 * An inquiry: CLUSTER INFO and CLUSTER SHARDS to two nodes at once, by the exchanges that also carry commands, so with
 * the same connections, sign-in and deadline. What one of them says is judged and compared by room cluster_map.
 */
#include "engine/cluster/cluster.h"

#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/random.h"
#include "engine/base/wait.h"
#include "engine/exchange/exchange.h"

#define OH_ASKED_MAX 2
#define OH_LIST_BYTES_MAX 480
#define OH_INFO_BYTES_MAX 65536 /* Of CLUSTER INFO: it has a dozen lines. */
#define OH_LARGE_BYTES 262144  /* A reply of so much, or less, is not worth the question whether there is memory for it. */
#define OH_GRACE_MS 100 /* So long at least the second answer is waited for once the first is there. */

#define ASK_INFO   "*2\r\n$7\r\nCLUSTER\r\n$4\r\nINFO\r\n"
#define ASK_SHARDS "*2\r\n$7\r\nCLUSTER\r\n$6\r\nSHARDS\r\n"
#define ASK_SLOTS  "*2\r\n$7\r\nCLUSTER\r\n$5\r\nSLOTS\r\n"

typedef struct oh_inquiry {
    oh_snapshot *snapshot; /* Whose nodes are asked. */
    oh_snapshot *before;   /* The map of that moment; NULL: there was none. */
    uint64_t began_ns, deadline_ns;
    uint64_t answered_ns;  /* When the first answer was seen; 0: there is none. */
    uint32_t count;
    uint32_t nodes[OH_ASKED_MAX];
    oh_failure failures[OH_ASKED_MAX];
    oh_exchange exchanges[OH_ASKED_MAX];
} oh_inquiry;

/* Those with an inquiry that goes on. */
static OH_PER_THREAD oh_cluster *inquiring;

oh_cluster *oh_inquiry_going_on(void)
{
    return inquiring;
}

/* ---- Asking ---- */

/* False: there is no memory to ask this node. */
static bool ask(oh_cluster *cluster, oh_inquiry *inquiry, uint32_t node, uint64_t deadline_ns)
{
    oh_exchange *exchange = &inquiry->exchanges[inquiry->count];
    const char *request = cluster->has_no_shards ? ASK_INFO ASK_SLOTS : ASK_INFO ASK_SHARDS;
    oh_connections *connections = oh_snapshot_connections(inquiry->snapshot, node);

    if (!connections) {
        return false;
    }
    inquiry->nodes[inquiry->count] = node;
    oh_exchange_make(exchange,
        (oh_peer){.connections = connections, .meter = oh_snapshot_meter(inquiry->snapshot, node)},
        &inquiry->failures[inquiry->count]);
    inquiry->deadline_ns = deadline_ns;
    /* The timeout is shorter than a call's: a node that is slow about this is not to be blamed for it. */
    const oh_call_terms terms = {.timeout_ms = inquiry->snapshot->pool->timeout_ms / 2 + 1,
        .deadline_ns = deadline_ns,
        .is_read_only = true,
        .gathers = true,
        .goes_beyond = true};

    oh_exchange_prepare(exchange, &terms, NULL);
    oh_exchange_start(exchange, request, strlen(request));
    inquiry->count++;
    return true;
}

/* NULL: there is no memory. */
static oh_inquiry *begin(oh_cluster *cluster, oh_snapshot *snapshot)
{
    oh_inquiry *inquiry = oh_call_zeroed(1, sizeof *inquiry);

    if (!inquiry) {
        return NULL;
    }
    snapshot->references++;
    inquiry->snapshot = snapshot;
    inquiry->began_ns = oh_clock_now_ns();
    inquiry->before = cluster->map ? oh_cluster_newest(cluster) : NULL;
    cluster->inquiry = inquiry;
    cluster->next = inquiring;
    inquiring = cluster;
    return inquiry;
}

void oh_inquiry_end(oh_cluster *cluster)
{
    oh_inquiry *inquiry = cluster->inquiry;

    oh_cluster **place = &inquiring;

    while (*place != cluster) {
        place = &(*place)->next;
    }
    *place = cluster->next;
    cluster->inquiry = NULL;
    for (uint32_t i = 0; i < inquiry->count; i++) {
        oh_exchange_end(&inquiry->exchanges[i]);
    }
    oh_snapshot_release(inquiry->snapshot);
    if (inquiry->before) {
        oh_snapshot_release(inquiry->before);
    }
    oh_call_release(inquiry);
}

/* ---- Understanding ---- */

/* The first of the two values that were answered. */
static oh_bytes first_value(oh_bytes both)
{
    oh_wire wire;

    oh_wire_reset(&wire);
    wire.written = 1;
    return (oh_bytes){both.bytes, oh_wire_read_value(&wire, both.bytes, both.length)};
}

static bool is_error(oh_bytes value)
{
    return value.length > 0 && value.bytes[0] == '-';
}

/* The map that a node has given; NULL, and why not in its failure. */
static oh_cluster_map *read_answer(oh_cluster *cluster, oh_inquiry *inquiry, uint32_t index)
{
    const oh_exchange *exchange = &inquiry->exchanges[index];
    oh_failure *failure = &inquiry->failures[index];
    oh_bytes both = oh_exchange_replies(exchange);
    char reason[OH_CLUSTER_REASON_BYTES];
    oh_cluster_map *map = NULL;

    if (!oh_exchange_is_complete(exchange)) {
        return NULL;
    }
    oh_bytes info = first_value(both), reply = {both.bytes + info.length, both.length - info.length};
    oh_cluster_answer answer = {.reply = reply, .info = info, .zone = inquiry->snapshot->pool->zone};
    answer.host = inquiry->snapshot->pool->servers[inquiry->nodes[index]].host;
    if (is_error(reply)) {
        cluster->has_no_shards |= !is_error(info);
        oh_failure_set(failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_ANSWERED, "check what listens there", "it answered: ");
        oh_failure_quote(failure, (const char *)reply.bytes + 1, reply.length - 3);
    } else if (!oh_cluster_read(&answer, &map, reason)) {
        oh_failure_set(failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_ANSWERED, "check what listens there",
            "its picture of the cluster is refused: %s", reason);
    }
    return map;
}

/* Fit or not, none of the maps there are is taken: each has a reason then. */
static void refuse(oh_inquiry *inquiry, oh_cluster_map *const *maps, const char *reason)
{
    for (uint32_t i = 0; i < inquiry->count; i++) {
        if (maps[i]) {
            oh_failure_set(&inquiry->failures[i], OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_ANSWERED, "check the nodes of the cluster",
                "its picture of the cluster is refused: %s", reason);
        }
    }
}

/* A map was chosen, and there is no memory to take it. */
static void lack_memory(oh_inquiry *inquiry, oh_cluster_map *const *maps)
{
    for (uint32_t i = 0; i < inquiry->count; i++) {
        if (maps[i]) {
            oh_failure_set_no_memory(&inquiry->failures[i], OH_OUTCOME_ANSWERED);
        }
    }
}

/* Meanwhile another process may have gone over to another cluster, or this one: then nobody asks what this node says. */
static bool still_counts(const oh_cluster *cluster, const oh_inquiry *inquiry, uint32_t index)
{
    const oh_snapshot *asked = inquiry->snapshot;

    return asked->cluster ? oh_cluster_has(cluster, asked->pool->servers[inquiry->nodes[index]].name) : asked == cluster->seeds;
}

/* True: the map that has come of it is the newest, or as good as that was. Otherwise the failures say why there is none. */
static bool conclude(oh_cluster *cluster)
{
    oh_inquiry *inquiry = cluster->inquiry;
    oh_cluster_map *maps[OH_ASKED_MAX] = {NULL, NULL};
    char reason[OH_CLUSTER_REASON_BYTES] = "there is not enough memory";
    bool is_answered = false, is_adopted = false;

    oh_cluster_catch_up(cluster); /* What has moved meanwhile stays moved, unless the nodes know better. */
    for (uint32_t i = 0; i < inquiry->count; i++) {
        maps[i] = read_answer(cluster, inquiry, i);
        is_answered |= maps[i] != NULL;
        if (maps[i] && !still_counts(cluster, inquiry, i)) {
            oh_cluster_free(maps[i]);
            maps[i] = NULL;
        }
    }
    const oh_topology *current = cluster->map ? cluster->map->topology : NULL;
    oh_cluster_map *chosen = maps[0] || maps[1] ? oh_cluster_choose(current, maps[0], maps[1], reason) : NULL;
    if (chosen && oh_cluster_keep_places(chosen, current)) {
        oh_cluster_keep_moved(chosen, inquiry->before ? inquiry->before->topology : NULL, current);
        oh_pool pool = oh_cluster_pool(chosen, current ? cluster->map->pool : cluster->seeds->pool);

        is_adopted = oh_cluster_adopt(cluster, &pool);
        if (!cluster->map) {
            lack_memory(inquiry, maps);
        }
    } else if (is_answered) {
        refuse(inquiry, maps, reason);
    }
    cluster->doubts_nodes = !is_answered;
    oh_cluster_free(maps[0]);
    oh_cluster_free(maps[1]);
    return is_adopted;
}

/* ---- Going on ---- */

/* Whether there is still something worth waiting for. */
static bool goes_on(oh_inquiry *inquiry)
{
    uint32_t active = 0;

    for (uint32_t i = 0; i < inquiry->count; i++) {
        active += oh_exchange_is_active(&inquiry->exchanges[i]);
        if (oh_exchange_is_complete(&inquiry->exchanges[i]) && !inquiry->answered_ns) {
            inquiry->answered_ns = oh_clock_now_ns();
        }
    }
    uint64_t grace_ns = OH_MAX(inquiry->answered_ns - inquiry->began_ns, OH_GRACE_MS * UINT64_C(1000000));

    return active > 0 && (!inquiry->answered_ns || oh_clock_now_ns() < inquiry->answered_ns + grace_ns);
}

/* The memory is that of whoever happens to ask: a request that has little left must not die of a large reply. */
static bool has_memory(const oh_exchange *exchange)
{
    size_t length = oh_exchange_replies(exchange).length, capacity = oh_exchange_capacity(exchange);

    return length < capacity || length < OH_LARGE_BYTES || oh_surroundings.memory_left() > 3 * capacity;
}

/* What is longer than any map is not received to its end. */
static void refuse_long(oh_exchange *exchange)
{
    bool is_long = oh_exchange_replies(exchange).length > OH_CLUSTER_REPLY_BYTES_MAX + OH_INFO_BYTES_MAX;

    if (!oh_exchange_is_active(exchange) || (!is_long && has_memory(exchange))) {
        return;
    }
    if (is_long) {
        oh_failure_set(exchange->failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED, "check what listens there",
            "its picture of the cluster is refused: the reply is longer than %d bytes", OH_CLUSTER_REPLY_BYTES_MAX);
    } else {
        oh_failure_set(exchange->failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED, "raise memory_limit",
            "memory_limit leaves too little memory for its picture of the cluster");
    }
    oh_exchange_fail(exchange);
}

static void glance(oh_inquiry *inquiry, uint32_t milliseconds)
{
    oh_exchange *members[OH_ASKED_MAX] = {&inquiry->exchanges[0], &inquiry->exchanges[1]};

    oh_exchange_glance(members, inquiry->count, (int)milliseconds);
    for (uint32_t i = 0; i < inquiry->count; i++) {
        refuse_long(members[i]);
    }
}

void oh_inquiry_move(oh_cluster *cluster, uint32_t milliseconds)
{
    oh_inquiry *inquiry = cluster->inquiry;

    if (goes_on(inquiry)) {
        glance(inquiry, milliseconds);
    }
    if (goes_on(inquiry)) {
        return;
    }
    uint64_t deadline_ns = inquiry->deadline_ns;
    bool had_no_shards = cluster->has_no_shards, has_doubted = cluster->doubts_nodes, is_adopted = conclude(cluster);

    oh_inquiry_end(cluster);
    if (OH_UNLIKELY(cluster->has_no_shards != had_no_shards) && !is_adopted) {
        cluster->doubts_nodes = has_doubted; /* Nothing is wrong with them: they are asked again, for what they know. */
        oh_inquiry_begin(cluster, deadline_ns);
    }
}

/* ---- Whom ---- */

/* Nodes that may know, to be drawn from: memory of the call. NULL: there is none. */
static uint32_t *list_nodes(const oh_snapshot *snapshot, uint32_t *count)
{
    uint32_t *nodes = oh_call_zeroed(snapshot->nodes_count, sizeof *nodes);

    *count = 0;
    for (uint32_t i = 0; nodes && i < snapshot->nodes_count; i++) {
        const oh_server *server = &snapshot->pool->servers[i];

        if (server->role != OH_GONE && !server->is_failing) {
            nodes[(*count)++] = i;
        }
    }
    return nodes;
}

/* One of them by chance, which is put in front of the rest. */
static uint32_t draw(uint32_t *nodes, uint32_t count)
{
    uint32_t chosen = oh_random_below(count), node = nodes[chosen];

    nodes[chosen] = nodes[0];
    return nodes[0] = node;
}

/* Puts a node in front of the rest. False: it is not among them. */
static bool put_first(uint32_t *nodes, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i] == node) {
            nodes[i] = nodes[0];
            nodes[0] = node;
            return true;
        }
    }
    return false;
}

/* Without memory for it there is no inquiry: the next one asks. */
void oh_inquiry_begin(oh_cluster *cluster, uint64_t deadline_ns)
{
    oh_snapshot *snapshot = cluster->doubts_nodes ? cluster->seeds : cluster->map;
    uint32_t count, *nodes = list_nodes(snapshot, &count);
    oh_inquiry *inquiry = nodes ? begin(cluster, snapshot) : NULL;

    if (!inquiry) {
        oh_call_release(nodes);
        return;
    }
    bool is_named = cluster->has_hint && snapshot == cluster->map && put_first(nodes, count, cluster->hint);

    cluster->has_hint = false;
    for (uint32_t i = 0; i < count && inquiry->count < OH_ASKED_MAX; i++) {
        uint32_t node = i == 0 && is_named ? nodes[0] : draw(nodes + i, count - i);

        if (ask(cluster, inquiry, node, deadline_ns) &&
            oh_exchange_has_failed(&inquiry->exchanges[inquiry->count - 1]) && i + 1 < count) {
            oh_exchange_end(&inquiry->exchanges[--inquiry->count]); /* It rests: the next one instead. */
            memset(&inquiry->exchanges[inquiry->count], 0, sizeof *inquiry->exchanges);
        }
    }
    oh_call_release(nodes);
}

/* ---- The first contact ---- */

/* Two of the seeds, the first of which are these. True: there is a map. Otherwise there is a failure of each. */
static bool ask_seeds(oh_cluster *cluster, const uint32_t *nodes, uint32_t count, uint64_t deadline_ns, oh_failure *failures)
{
    oh_inquiry *inquiry = begin(cluster, cluster->seeds);

    for (uint32_t i = 0; i < OH_MIN(count, OH_ASKED_MAX); i++) {
        oh_failure_set_no_memory(&failures[i], OH_OUTCOME_NOT_SENT); /* Unless there is another one. */
    }
    if (!inquiry) {
        return false;
    }
    for (uint32_t i = 0; i < count && inquiry->count < OH_ASKED_MAX && ask(cluster, inquiry, nodes[i], deadline_ns); i++) {
    }
    while (goes_on(inquiry)) {
        glance(inquiry, OH_GRACE_MS);
    }
    for (uint32_t i = 0; i < inquiry->count; i++) {
        if (oh_exchange_is_active(&inquiry->exchanges[i])) {
            oh_failure_set(&inquiry->failures[i], OH_ERROR_DEADLINE_EXCEEDED, OH_OUTCOME_MAYBE_EXECUTED, "try again", "it has not answered yet");
        }
    }
    bool is_done = conclude(cluster) || cluster->map;
    memcpy(failures, inquiry->failures, inquiry->count * sizeof *failures);
    oh_inquiry_end(cluster);
    return is_done;
}

/* Node by node, as far as there is room; of the kind of the first that has answered, if there is one. */
static void list_failures(const oh_cluster *cluster, const uint32_t *nodes, uint32_t count, const oh_failure *failures, oh_failure *list)
{
    const oh_failure *worst = &failures[0];

    oh_failure_set(list, OH_ERROR_NODE_DOWN, OH_OUTCOME_NOT_SENT, "", "%s", "");
    for (uint32_t i = 0; i < count; i++) {
        oh_node node = oh_topology_node(cluster->seeds->topology, nodes[i]);
        const char *what = failures[i].advice ? failures[i].what : "there was no time left to ask it";

        worst = worst->outcome != OH_OUTCOME_ANSWERED && failures[i].outcome == OH_OUTCOME_ANSWERED ? &failures[i] : worst;
        if (strlen(list->what) + node.name.length + strlen(what) > OH_LIST_BYTES_MAX && i > 0) {
            char rest[32];

            snprintf(rest, sizeof rest, "; and %u more", (unsigned)(count - i));
            oh_failure_append(list, rest);
            break;
        }
        oh_failure_append(list, i ? "; " : "");
        oh_failure_quote(list, node.name.bytes, node.name.length);
        oh_failure_append(list, ": ");
        oh_failure_append(list, what);
    }
    list->kind = worst->kind;
}

/* Nodes that are just meeting, or forgetting one of them, tell strange things for a moment: they are asked again. */
bool oh_inquiry_contact(oh_cluster *cluster, uint64_t deadline_ns, oh_failure *list)
{
    uint32_t count, at = 0, *nodes = list_nodes(cluster->seeds, &count);
    oh_failure *failures = oh_call_zeroed(count, sizeof *failures);
    bool is_done = false, is_strange = false;

    if (!nodes || !failures) {
        oh_failure_set_no_memory(list, OH_OUTCOME_NOT_SENT);
        oh_call_release(failures);
        oh_call_release(nodes);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        draw(nodes + i, count - i);
    }
    while (!is_done && at < count && oh_clock_now_ns() < deadline_ns) {
        bool had_no_shards = cluster->has_no_shards;

        is_done = ask_seeds(cluster, nodes + at, count - at, deadline_ns, failures + at);
        for (uint32_t i = at; i < OH_MIN(at + OH_ASKED_MAX, count); i++) {
            is_strange |= failures[i].kind == OH_ERROR_PROTOCOL_VIOLATION;
        }
        at += had_no_shards == cluster->has_no_shards ? OH_ASKED_MAX : 0;
        if (at >= count && is_strange && !is_done) {
            oh_wait_poll(NULL, 0, OH_GRACE_MS);
            at = 0;
        }
    }
    if (!is_done) {
        list_failures(cluster, nodes, count, failures, list);
    }
    oh_call_release(failures);
    oh_call_release(nodes);
    return is_done;
}
