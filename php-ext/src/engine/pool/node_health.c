/*
 * A process reads the word, computes the next one and swaps it in, without a lock. The process that
 * counts a failure writes the reason. This happens a few times a second on the whole host. If two
 * processes write it at the same time, the text may be garbled, but nothing else breaks. Processes
 * of other users may write there, so the reason is escaped like a server's bytes.
 */
#include "engine/pool/node_health.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/limits.h"
#include "core/generated/timings.h"

#include "engine/base/log.h"
#include "engine/shared/segment.h"

#define OH_LABEL_BYTES 512
#define OH_DURATION_BYTES 32

static _Atomic uint64_t own_changes; /* Used without a segment. */

static char *make_label(const oh_server_pool *pool, const oh_server *server)
{
    char label[OH_LABEL_BYTES], address[OH_SERVER_ADDRESS_BYTES_MAX + 8];

    if (server->path.bytes) {
        snprintf(address, sizeof address, "%s", server->path.bytes);
    } else {
        snprintf(address, sizeof address, "%s:%u", server->host.bytes, (unsigned)server->port);
    }
    if (server->role == OH_SPARE && !server->id.length) {
        snprintf(label, sizeof label, "Sentinel %s of server pool %s", address, pool->name.bytes);
    } else if (strcmp(server->name.bytes, address) == 0) {
        snprintf(label, sizeof label, "node %s of server pool %s", address, pool->name.bytes);
    } else {
        snprintf(label, sizeof label, "node %s (%s) of server pool %s", server->name.bytes, address,
            pool->name.bytes);
    }
    return oh_memory_copy(label, strlen(label));
}

bool oh_node_health_begin(oh_node_health *health, oh_store_health *host, const oh_server_pool *pool,
    const oh_server *server)
{
    health->label = make_label(pool, server);
    health->has_keys = server->role != OH_SPARE || server->id.length > 0;
    health->known = host ? host : &health->own;
    health->rules = (oh_health_rules){.ejects = pool->auto_eject_hosts,
        .failure_limit = pool->server_failure_limit,
        .retry_ms = pool->server_retry_timeout_ms};
    return health->label != NULL;
}

void oh_node_health_end(oh_node_health *health)
{
    oh_memory_release(health->label);
}

void oh_node_health_move(oh_node_health *health, oh_store_health *host)
{
    health->known = host ? host : &health->own;
}

/* ---- The reason ---- */

static const char *quoted_reason(const oh_store_health *known, oh_quoted *quoted)
{
    char reason[sizeof known->reason + 1];

    oh_store_read_text(known->reason, OH_STORE_REASON_WORDS, reason);
    return oh_quote(quoted, reason, strlen(reason));
}

static void refuse(const oh_store_health *known, uint64_t state, uint64_t now, oh_failure *failure)
{
    oh_quoted reason;

    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_RESTING, quoted_reason(known, &reason));
    oh_failure_number(failure, OH_REASON_RESTING_NUMBERS, (unsigned)(oh_health_until(state) - now),
        (unsigned)oh_health_failures(state));
}

/* ---- The word ---- */

static _Atomic uint64_t *changes(void)
{
    oh_store *store = oh_segment_store();

    return store ? oh_store_ejections(store) : &own_changes;
}

/*
 * Counts the change after the word is written, so a process that sees the new count also sees the
 * new word.
 */
static void tell_change(const oh_node_health *health, uint64_t before, uint64_t after)
{
    if (health->rules.ejects && OH_UNLIKELY(oh_health_until(before) != oh_health_until(after))) {
        atomic_fetch_add(changes(), 1);
    }
}

/* Returns `born`: what an attempt remembers from its beginning. */
static uint64_t birth(const oh_node_health *health, uint64_t state)
{
    return oh_health_birth(
        state, atomic_load_explicit(&health->known->heard_ms, memory_order_relaxed));
}

static const char *seconds(uint64_t ms, char text[OH_DURATION_BYTES])
{
    snprintf(text, OH_DURATION_BYTES, "%llu.%llu s", (unsigned long long)(ms / 1000),
        (unsigned long long)(ms % 1000 / 100));
    return text;
}

static void note(
    const oh_node_health *health, oh_health_edge edge, const oh_health_line *line, const char *why)
{
    char duration[OH_DURATION_BYTES], times[64] = "";

    if (line->times) {
        snprintf(times, sizeof times, " (it went down %u more times since this was last told)",
            (unsigned)line->times);
    }
    if (edge == OH_HEALTH_BACK) {
        oh_log_note(LOG_NOTICE,
            health->rules.ejects ? "OneHop: %s is in again after %s, and its keys with it"
                                 : "OneHop: %s is back after %s",
            health->label, seconds(line->ms, duration));
    } else if (health->rules.ejects) {
        oh_log_note(LOG_WARNING, "OneHop: %s is ejected: %s; its keys move to other nodes for %s%s",
            health->label, why, seconds(health->rules.retry_ms, duration), times);
    } else {
        oh_log_note(LOG_WARNING, "OneHop: %s is down: %s%s%s", health->label, why,
            health->has_keys ? "; its keys fail until it answers again" : "", times);
    }
}

/*
 * Logs a change. Only the process that made the change calls this. `why` is used if the node goes
 * down.
 */
static void tell_log(const oh_node_health *health, uint64_t before, uint64_t after, const char *why)
{
    oh_health_edge edge = oh_health_edge_of(before, after);
    oh_health_line line;

    if (OH_LIKELY(edge == OH_HEALTH_NO_EDGE)) {
        return;
    }
    _Atomic uint64_t *word = &health->known->told;
    uint64_t told = atomic_load(word), next;
    do {
        next = oh_health_told(told, edge, oh_clock_now_ms(), &line);
    } while (next != told && !atomic_compare_exchange_weak(word, &told, next));
    if (line.is_due) {
        note(health, edge, &line, why);
    }
}

bool oh_node_health_ask(
    oh_node_health *health, uint64_t deadline_ns, uint64_t *born, oh_failure *failure)
{
    _Atomic uint64_t *word = &health->known->state;
    uint64_t state = atomic_load_explicit(word, memory_order_relaxed), next;
    oh_health_answer answer;

    *born = birth(health, state);
    if (OH_LIKELY(oh_health_until(state) == 0)) {
        return true;
    }
    uint64_t now = oh_clock_now_ms(), deadline_ms = deadline_ns / 1000000;
    uint32_t patience_ms = deadline_ms > now ? (uint32_t)OH_MIN(deadline_ms - now, INT_MAX)
                           : deadline_ns     ? 1
                                             : 0;
    do {
        next = oh_health_asked(state, &health->rules, now, patience_ms, &answer);
    } while (next != state && !atomic_compare_exchange_weak(word, &state, next));
    *born = birth(health, state);
    if (answer == OH_HEALTH_REFUSE) {
        refuse(health->known, state, now, failure);
    }
    return answer != OH_HEALTH_REFUSE;
}

bool oh_node_health_rests(const oh_node_health *health, oh_failure *failure)
{
    uint64_t state = atomic_load_explicit(&health->known->state, memory_order_relaxed);
    uint64_t now = oh_clock_now_ms();
    oh_health_answer answer;

    if (OH_LIKELY(oh_health_until(state) == 0)) {
        return false;
    }
    (void)oh_health_asked(state, &health->rules, now, 0, &answer);
    if (answer == OH_HEALTH_REFUSE) {
        refuse(health->known, state, now, failure);
    }
    return answer == OH_HEALTH_REFUSE;
}

bool oh_node_health_begin_late(const oh_node_health *health, uint64_t *born)
{
    uint64_t then = *born;

    *born = birth(health, atomic_load_explicit(&health->known->state, memory_order_relaxed));
    return oh_health_is_of_one_generation(then, *born);
}

bool oh_node_health_fail(
    oh_node_health *health, oh_health_cause cause, uint64_t born, const char *why)
{
    _Atomic uint64_t *word = &health->known->state;
    uint64_t heard_ms = atomic_load_explicit(&health->known->heard_ms, memory_order_relaxed);
    uint64_t state = atomic_load(word), next;
    uint32_t chance = (uint32_t)(oh_clock_now_ns() / 1000);

    do {
        next = oh_health_failed(
            state, heard_ms, &health->rules, cause, born, oh_clock_now_ms(), chance);
    } while (next != state && !atomic_compare_exchange_weak(word, &state, next));
    if (oh_health_generation(next) != oh_health_generation(state)) {
        oh_store_write_text(health->known->reason, OH_STORE_REASON_WORDS, why);
    }
    tell_change(health, state, next);
    tell_log(health, state, next, why);
    return oh_health_until(next) != 0;
}

/* One node may report a healthy replica as failed; for a moment even all nodes may. */
static bool has_hope(_Atomic uint64_t *heirless_ms, bool has_heir, uint64_t now_ms)
{
    uint64_t since_ms = atomic_load(heirless_ms);

    if (has_heir || since_ms == OH_STORE_HAS_HEIR) {
        atomic_store(heirless_ms, has_heir ? OH_STORE_HAS_HEIR : now_ms);
        return true;
    }
    return since_ms != 0 && since_ms <= now_ms && now_ms - since_ms < OH_FAILOVER_DOUBT_MS;
}

bool oh_node_health_awaits_heir(oh_node_health *health, bool has_heir)
{
    oh_store_health *known = health->known;
    uint64_t heard_ms = atomic_load_explicit(&known->heard_ms, memory_order_relaxed);
    uint64_t began_ms = atomic_load(&known->failing_ms), now_ms = oh_clock_now_ms();

    bool was_heard = heard_ms >= began_ms && heard_ms <= now_ms;

    if (began_ms == 0 || was_heard || began_ms > now_ms) {
        began_ms = now_ms;
        atomic_store(&known->failing_ms, now_ms);
        atomic_store(&known->heirless_ms, 0);
    }
    return has_hope(&known->heirless_ms, has_heir, now_ms) &&
           now_ms - began_ms < OH_FAILOVER_MS_MAX;
}

void oh_node_health_condemn(oh_node_health *health, uint64_t older_than_ms)
{
    _Atomic uint64_t *word = &health->known->condemned_ms;
    uint64_t known = atomic_load(word), now_ms = oh_clock_now_ms();

    while ((known < older_than_ms || known > now_ms) &&
           !atomic_compare_exchange_weak(word, &known, older_than_ms)) {
    }
}

void oh_node_health_answer(oh_node_health *health, uint64_t now_ms)
{
    _Atomic uint64_t *word = &health->known->state, *heard_ms = &health->known->heard_ms;

    /* Written at most once per millisecond. */
    if (atomic_load_explicit(heard_ms, memory_order_relaxed) != now_ms) {
        atomic_store_explicit(heard_ms, now_ms, memory_order_relaxed);
    }
    uint64_t state = atomic_load_explicit(word, memory_order_relaxed), next;

    do {
        next = oh_health_answered(state, &health->rules);
    } while (OH_UNLIKELY(next != state) && !atomic_compare_exchange_weak(word, &state, next));
    if (OH_UNLIKELY(next != state)) {
        tell_change(health, state, next);
        tell_log(health, state, next, NULL);
    }
}

/*
 * Workers of other users also write here, so an instant that no rule can produce counts as passed.
 * The clock is read after the word, because another process may have ejected the node after
 * `checked_ms`.
 */
uint64_t oh_node_health_out_until(oh_node_health *health, uint64_t checked_ms)
{
    _Atomic uint64_t *word = &health->known->state;
    uint64_t state = atomic_load(word), next, passed;

    do {
        uint64_t until = oh_health_until(state);

        passed = until > checked_ms && until > oh_clock_now_ms() + health->rules.retry_ms
                     ? until
                     : checked_ms;
        next = oh_health_rebuilt(state, passed);
    } while (next != state && !atomic_compare_exchange_weak(word, &state, next));
    tell_change(health, state, next);
    tell_log(health, state, next, NULL);
    return oh_health_until(next);
}

uint64_t oh_node_health_changes(void)
{
    return atomic_load_explicit(changes(), memory_order_acquire);
}
