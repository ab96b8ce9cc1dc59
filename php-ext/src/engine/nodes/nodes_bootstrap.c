/*
 * The bootstrap: one process of the host asks the seeds, and the others wait for it. It writes the
 * failure of each node to the store, so that all processes can report why there is no map.
 *
 * A word in the store holds the pid of the asking process and the time. If that process has failed,
 * the kind of failure replaces the pid.
 */
#include "engine/nodes/nodes_internal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/wait.h"
#include "engine/exchange/exchange.h"
#include "engine/shared/segment.h"
#include "engine/shared/worker.h"

/* A claim that is older than this, or whose process has died, is ignored. */
#define OH_CLAIM_MS 5000
/* The timeout of the bootstrap if the server pool has none. */
#define OH_CONTACT_MS UINT64_C(10000)
#define OH_LIST_BYTES_MAX 480

/* ---- The claim ---- */

static uint64_t claim_of(uint32_t who)
{
    return (uint64_t)who << 32 | (uint32_t)oh_clock_now_ms();
}

/* The value for a failed attempt; no process has such an id. */
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

/* True if another process has tried since then and failed. */
static bool has_failed_since(uint64_t word, uint64_t began_ms, oh_error_kind *kind)
{
    return is_failure(word, kind) && (int32_t)((uint32_t)word - (uint32_t)began_ms) >= 0;
}

/* ---- Asking ---- */

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
        oh_node node = oh_topology_node(nodes->seeds->topology, targets[i]);
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

/*
 * A node that was asked again may have been cut off by the deadline. That says less than the wrong
 * answer it gave before.
 */
static void keep_the_clearer(oh_failure *failure, const oh_failure *latest)
{
    if (failure->kind != OH_ERROR_PROTOCOL_VIOLATION || latest->outcome == OH_OUTCOME_ANSWERED) {
        *failure = *latest;
    }
}

/*
 * Asks seeds until a map is adopted. If that fails, returns false, with a kind and a
 * list of reasons in `what`. Nodes that are just joining or leaving a cluster may give wrong
 * answers for a moment, so they are asked again.
 */
static bool ask_all(oh_nodes *nodes, uint64_t deadline_ns, oh_failure *list)
{
    uint32_t count, at = 0, *targets = oh_targets_list(nodes->seeds, &count);
    oh_failure *failures = oh_call_zeroed(count, sizeof *failures);
    oh_failure *latest = oh_call_zeroed(OH_EXCHANGE_SET_MAX, sizeof *latest);
    bool is_done = false, is_strange = false;

    if (!targets || !failures || !latest) {
        oh_failure_set_no_memory(list, OH_OUTCOME_NOT_SENT);
        oh_call_release(latest);
        oh_call_release(failures);
        oh_call_release(targets);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        oh_targets_draw(targets + i, count - i);
    }
    while (!is_done && at < count && oh_clock_now_ns() < deadline_ns) {
        bool had_no_shards = nodes->has_no_shards;

        uint32_t asked = oh_refresh_ask_seeds(nodes, targets + at,
            OH_MIN(count - at, OH_EXCHANGE_SET_MAX), deadline_ns, latest, &is_done);
        for (uint32_t i = 0; i < asked; i++) {
            is_strange |= latest[i].kind == OH_ERROR_PROTOCOL_VIOLATION;
            keep_the_clearer(&failures[at + i], &latest[i]);
        }
        at += had_no_shards == nodes->has_no_shards ? asked : 0;
        if (at >= count && is_strange && !is_done) {
            oh_wait_poll(NULL, 0, OH_REFRESH_GRACE_MS);
            at = 0;
        }
    }
    if (!is_done) {
        list_failures(nodes, targets, count, failures, list);
    }
    oh_call_release(latest);
    oh_call_release(failures);
    oh_call_release(targets);
    return is_done;
}

/* Even if none answers there is a map then: the addresses of the configuration. */
static bool ask_sentinels(oh_nodes *nodes, uint64_t deadline_ns, oh_failure *list)
{
    oh_refresh_ask_sentinels(nodes, deadline_ns);
    if (!nodes->map) {
        oh_failure_set_no_memory(list, OH_OUTCOME_NOT_SENT);
    }
    return nodes->map != NULL;
}

/* ---- Failing ---- */

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
    bool is_done = nodes->sentinels ? ask_sentinels(nodes, deadline_ns, &list)
                                    : ask_all(nodes, deadline_ns, &list);

    if (claim && !is_done) {
        oh_store_write_text(
            oh_store_problem(oh_segment_store(), nodes->entry), OH_STORE_PROBLEM_WORDS, list.what);
    }
    if (claim) {
        atomic_store(claim, is_done ? 0 : claim_of(who_failed(list.kind)));
    }
    return is_done || fail(failure, list.kind, list.what);
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

/* ---- The bootstrap ---- */

uint64_t oh_bootstrap_deadline(const oh_nodes *nodes)
{
    uint64_t timeout_ms = nodes->seeds->pool->timeout_ms;

    return oh_clock_now_ns() + (timeout_ms ? timeout_ms : OH_CONTACT_MS) * 1000000;
}

bool oh_nodes_bootstrap(oh_nodes *nodes, oh_failure *failure)
{
    uint64_t began_ms = oh_clock_now_ms(), deadline_ns = oh_bootstrap_deadline(nodes);
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
        if (oh_clock_now_ns() > deadline_ns && nodes->sentinels) {
            break; /* Without time to ask, the addresses of the configuration are used. */
        }
        if (oh_clock_now_ns() > deadline_ns) {
            oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_UNMAPPED_WAITING);
            return false;
        }
        oh_wait_poll(NULL, 0, OH_LOOK_AGAIN_MS);
    }
    return ask(nodes, NULL, deadline_ns, failure);
}
