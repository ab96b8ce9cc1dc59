/*
 * The nodes of a server pool for clients: opens them, gets the first map, and gives the newest one.
 *
 * One process of the host gets the first map, and the others wait for it. The asking process writes
 * the failure of each node to the store, so that all processes can report why there is no map. A
 * word in the store holds the pid of the asking process and the time. If that process has failed,
 * the kind of failure replaces the pid.
 */
#include "engine/nodes/nodes_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/hash/md5.h"

#include "engine/base/environment.h"
#include "engine/base/wait.h"
#include "engine/shared/segment.h"

/* A claim that is older than this, or whose process has died, is ignored. */
#define OH_CLAIM_MS 5000
#define OH_LIST_BYTES_MAX 480

static const oh_protocol *const protocols[OH_MAP_KINDS_COUNT] = {
    [OH_MAP_OF_CLUSTER] = &oh_protocol_of_cluster,
    [OH_MAP_OF_SENTINELS] = &oh_protocol_of_sentinels};

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
    const char *name = protocols[kind]->name;
    oh_md5 md5;

    oh_md5_begin(&md5);
    oh_md5_add(&md5, pool, OH_STORE_IDENTITY_BYTES);
    oh_md5_add(&md5, name, strlen(name));
    oh_md5_end(&md5, identity);
}

oh_nodes *oh_nodes_open(
    const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_map_kind kind, const char *path)
{
    oh_nodes *nodes = oh_memory_zeroed(1, sizeof *nodes);

    if (!nodes) {
        return NULL;
    }
    nodes->protocol = protocols[kind];
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
    oh_map_set(&nodes->contacts, NULL);
    oh_memory_release(nodes);
}

/* ---- The claim ---- */

static uint64_t claim_of(uint32_t who)
{
    return (uint64_t)who << 32 | (uint32_t)oh_clock_now_ms();
}

/* The value that stands for a failed attempt. No process has such a pid. */
static uint32_t who_failed(oh_error_kind kind)
{
    return UINT32_MAX - (uint32_t)kind;
}

static bool is_failure(uint64_t word, oh_error_kind *kind)
{
    uint32_t number = UINT32_MAX - (uint32_t)(word >> 32);

    *kind = (oh_error_kind)number;
    return number < OH_ERROR_KINDS_COUNT;
}

static bool is_claimed(uint64_t word)
{
    uint64_t now = oh_clock_now_ms();
    uint32_t age_ms = (uint32_t)now - (uint32_t)word;
    oh_error_kind kind;

    return word != 0 && !is_failure(word, &kind) && age_ms < OH_CLAIM_MS &&
           oh_worker_is_alive((uint32_t)(word >> 32), now - age_ms);
}

/* True if another process has tried after `began_ms` and failed. */
static bool has_failed_since(uint64_t word, uint64_t began_ms, oh_error_kind *kind)
{
    return is_failure(word, kind) && (int32_t)((uint32_t)word - (uint32_t)began_ms) >= 0;
}

/* ---- Asking for the first map ---- */

/*
 * Lists the failures of the nodes, as far as there is room. The kind is that of the first node that
 * answered, if one did.
 */
static void list_failures(const oh_nodes *nodes, const uint32_t *targets, uint32_t count,
    const oh_failure *failures, oh_failure *list)
{
    const oh_failure *worst = &failures[0];

    oh_failure_set(list, OH_OUTCOME_NOT_SENT, OH_SAY_CONNECTION_LOST_UNSENT, "");
    for (uint32_t i = 0; i < count; i++) {
        oh_node node = oh_topology_node(nodes->contacts->topology, targets[i]);
        const char *what = failures[i].advice ? failures[i].what : OH_REASON_NOT_ASKED;

        worst = worst->outcome != OH_OUTCOME_ANSWERED && failures[i].outcome == OH_OUTCOME_ANSWERED
                    ? &failures[i]
                    : worst;
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

static bool is_strange(const oh_failure *failures, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (failures[i].kind == OH_ERROR_PROTOCOL_VIOLATION) {
            return true;
        }
    }
    return false;
}

/*
 * Asks contacts until there is a map, or each has a failure. Nodes that are just joining or leaving
 * a cluster may give wrong answers for a moment, so they are asked again.
 */
static void ask_contacts(
    oh_nodes *nodes, uint32_t *targets, uint32_t count, uint64_t deadline_ns, oh_failure *failures)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < count && !nodes->protocol->is_quorum; i++) {
        oh_refresh_draw(targets + i, count - i);
    }
    do {
        at += oh_refresh_ask_contacts(nodes, targets + at, OH_MIN(count - at, OH_EXCHANGE_SET_MAX),
            deadline_ns, failures + at);
        if (at >= count && !nodes->map && is_strange(failures, count)) {
            oh_wait_poll(NULL, 0, OH_REFRESH_GRACE_MS);
            at = 0;
        }
    } while (!nodes->map && at < count && oh_clock_now_ns() < deadline_ns);
}

/*
 * Asks until a map is adopted. If there is none, `list` has a kind, and a list of reasons in
 * `what`. With Sentinels there is a map in the end even if none of them answers, unless there is no
 * memory.
 */
static void ask_all(oh_nodes *nodes, uint64_t deadline_ns, oh_failure *list)
{
    uint32_t count, *targets = oh_refresh_targets(nodes->contacts, &count);
    oh_failure *failures = oh_call_zeroed(count, sizeof *failures);

    if (targets && failures) {
        ask_contacts(nodes, targets, count, deadline_ns, failures);
    }
    if (!targets || !failures || nodes->protocol->is_quorum) {
        oh_failure_set_no_memory(list, OH_OUTCOME_NOT_SENT);
    } else if (!nodes->map) {
        list_failures(nodes, targets, count, failures, list);
    }
    oh_call_release(failures);
    oh_call_release(targets);
}

/* ---- The first map ---- */

/* `list` holds the reason of each node that gave no map. */
static bool fail(oh_failure *failure, oh_error_kind kind, const char *list)
{
    switch (kind) {
    case OH_ERROR_CONFIG_INVALID:
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED_REFUSED, list);
        break;
    case OH_ERROR_PROTOCOL_VIOLATION:
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED_STRANGE, list);
        break;
    case OH_ERROR_DEADLINE_EXCEEDED:
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED_LATE, list);
        break;
    default: oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED, list);
    }
    return false;
}

/* Asks, and writes the result for the waiting processes. Without a store there is no claim. */
static bool ask(oh_nodes *nodes, _Atomic uint64_t *claim, uint64_t deadline_ns, oh_failure *failure)
{
    oh_failure list;

    ask_all(nodes, deadline_ns, &list);
    if (claim && !nodes->map) {
        oh_store_write_text(
            oh_store_problem(oh_segment_store(), nodes->entry), OH_STORE_PROBLEM_WORDS, list.what);
    }
    if (claim) {
        atomic_store(claim, nodes->map ? 0 : claim_of(who_failed(list.kind)));
    }
    return nodes->map || fail(failure, list.kind, list.what);
}

/*
 * Fails with another process' list of failures. Any process may have written it, so it is escaped.
 */
static bool fail_as_another(const oh_nodes *nodes, oh_error_kind kind, oh_failure *failure)
{
    char list[OH_STORE_PROBLEM_WORDS * sizeof(uint64_t) + 1];

    oh_store_read_text(
        oh_store_problem(oh_segment_store(), nodes->entry), OH_STORE_PROBLEM_WORDS, list);
    for (char *at = list; *at; at++) {
        *at = *at < ' ' || *at > '~' ? '?' : *at;
    }
    return fail(failure, kind, list);
}

/* Gets the first map. True if there is one. Otherwise the failure lists the reason of each node. */
static bool bootstrap(oh_nodes *nodes, oh_failure *failure)
{
    uint64_t began_ms = oh_clock_now_ms(), deadline_ns = oh_refresh_first_deadline(nodes);
    oh_error_kind kind;

    /* The bootstrap counts as a refresh, so that the next one is not due soon. */
    oh_refresh_is_my_turn(nodes, 0);
    while (nodes->entry != OH_STORE_NONE) {
        _Atomic uint64_t *claim = oh_store_version(oh_segment_store(), nodes->entry);
        uint64_t word = atomic_load(claim);

        oh_map_catch_up(nodes);
        if (nodes->map) {
            return true;
        }
        if (has_failed_since(word, began_ms, &kind)) {
            return fail_as_another(nodes, kind, failure);
        }
        if (!is_claimed(word) &&
            atomic_compare_exchange_strong(claim, &word, claim_of((uint32_t)getpid()))) {
            return ask(nodes, claim, deadline_ns, failure);
        }
        if (oh_clock_now_ns() > deadline_ns && nodes->protocol->is_quorum) {
            break; /* Without time to ask, the addresses of the configuration are used. */
        }
        if (oh_clock_now_ns() > deadline_ns) {
            oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED_WAITING);
            return false;
        }
        oh_wait_poll(NULL, 0, OH_CHECK_AGAIN_MS);
    }
    return ask(nodes, NULL, deadline_ns, failure);
}
/* ---- What clients call ---- */

/* Takes over a changed configuration. False if there is no memory. */
static bool reconfigure(oh_nodes *nodes, oh_snapshot *seeds)
{
    oh_snapshot *before = nodes->seeds,
                *contacts = nodes->protocol->contacts(seeds, nodes->identity);

    if (!contacts) {
        return false;
    }
    seeds->references++;
    nodes->seeds = seeds;
    oh_map_set(&nodes->contacts, contacts);
    nodes->foreign = 0;
    nodes->protocol->reconfigure(nodes, before);
    oh_map_set(&before, NULL);
    return true;
}

oh_snapshot *oh_nodes_discover(oh_nodes *nodes, oh_snapshot *seeds, oh_failure *failure)
{
    if (OH_UNLIKELY(nodes->seeds != seeds) && !reconfigure(nodes, seeds)) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    oh_map_catch_up(nodes);
    if (OH_UNLIKELY(!nodes->map) && !bootstrap(nodes, failure)) {
        return NULL;
    }
    oh_nodes_tick_waiting(nodes);
    return oh_nodes_hold_newest(nodes);
}
