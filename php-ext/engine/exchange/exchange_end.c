/*
 * How an exchange ends: well, failed, or given up; what becomes of its connection; and what is counted of it.
 *
 * Implements spec/meter, calls.
 */
#include <string.h>

#include "core/base/compiler.h"
#include "engine/base/environment.h"
#include "core/base/clock.h"
#include "core/cluster/fastest.h"

#include "engine/exchange/exchange_wait.h"

void oh_exchange_drop_connection(oh_exchange *exchange)
{
    if (exchange->connection) {
        oh_exchange_count_bytes(exchange);
        oh_pool_poison(exchange->connection);
        exchange->connection = NULL;
    }
}

/* Where reads go to whoever answers fastest: how long one of them took. */
static void remember_time(const oh_exchange *exchange, uint64_t took_ns)
{
    _Atomic uint64_t *smoothed_ns = &exchange->peer.meter->smoothed_ns;
    uint64_t known = atomic_load_explicit(smoothed_ns, memory_order_relaxed);

    atomic_store_explicit(smoothed_ns, oh_fastest_smooth(known, took_ns), memory_order_relaxed);
}

static bool is_compared(const oh_exchange *exchange)
{
    return OH_UNLIKELY(exchange->peer.compares_reads) && exchange->terms.is_read_only && exchange->begun_ns;
}

/* One command, answered by a value, over a connection that did not have to be made. */
static bool is_typical(const oh_exchange *exchange)
{
    return is_compared(exchange) && exchange->is_reused && !exchange->has_refusal && exchange->redirects &&
           exchange->connection->wire.written - exchange->redirects->first == 1;
}

void oh_exchange_fail(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    oh_exchange_drop_held(exchange);
    if (exchange->was_sent && exchange->failure->outcome == OH_OUTCOME_NOT_SENT) {
        exchange->failure->outcome = OH_OUTCOME_MAYBE_EXECUTED;
    }
    exchange->state = OH_EXCHANGE_FAILED;
    exchange->begin = exchange->end = 0;
    oh_meter_count(exchange->peer.meter, OH_METER_ERRORS);
    if (exchange->failure->kind == OH_ERROR_DEADLINE_EXCEEDED && is_compared(exchange)) {
        remember_time(exchange, oh_clock_now_ns() - exchange->begun_ns);
    }
}

/* What nutcracker counts against a node among its errors; of these the answer is the caller's all the same. */
static void weigh_refusal(const oh_exchange *exchange)
{
    static const char *const words[] = {"OOM", "LOADING", "BUSY"};
    const oh_wire *wire = &exchange->connection->wire;

    for (size_t i = 0; i < sizeof words / sizeof *words && oh_pool_ejects(exchange->peer.connections); i++) {
        size_t length = strlen(words[i]);
        bool is_whole = wire->refusal_length == length || (wire->refusal_length > length && wire->refusal[length] == ' ');

        if (is_whole && memcmp(wire->refusal, words[i], length) == 0) {
            oh_pool_blame(exchange->connection, OH_HEALTH_EXCHANGE, words[i]);
        }
    }
}

void oh_exchange_end_well(oh_exchange *exchange)
{
    uint64_t now_ns = oh_clock_now_ns();

    exchange->state = OH_EXCHANGE_COMPLETE;
    oh_exchange_count_bytes(exchange);
    if (OH_LIKELY(exchange->begun_ns)) {
        oh_meter_answered(exchange->peer.meter, now_ns - exchange->begun_ns);
        if (is_typical(exchange)) {
            remember_time(exchange, now_ns - exchange->begun_ns);
        }
    } else {
        oh_meter_count(exchange->peer.meter, OH_METER_UNTIMED);
    }
    if (OH_UNLIKELY(exchange->has_refusal)) {
        weigh_refusal(exchange);
    }
    oh_pool_praise(exchange->connection, now_ns / 1000000);
    if (OH_UNLIKELY(exchange->keeps)) {
        oh_exchange_hold(exchange);
    } else {
        oh_pool_settle(exchange->connection);
        exchange->connection = NULL;
    }
}

void oh_exchange_refuse_bytes(oh_exchange *exchange, const char *reason)
{
    oh_failure_set(exchange->failure, OH_ERROR_PROTOCOL_VIOLATION, oh_exchange_outcome(exchange),
        "check what listens there", "The node broke the protocol (%s)", reason);
    oh_pool_blame(exchange->connection, OH_HEALTH_EXCHANGE, exchange->failure->what);
    oh_exchange_fail(exchange);
}

void oh_exchange_fail_without_memory(oh_exchange *exchange)
{
    oh_failure_set_no_memory(exchange->failure, oh_exchange_outcome(exchange));
    oh_exchange_fail(exchange);
}

void oh_exchange_disown(oh_exchange *exchange)
{
    oh_failure_set(exchange->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED,
        "do not fork while replies are being read", "The connection belongs to another process");
    oh_exchange_fail(exchange);
}

void oh_exchange_run_dry(oh_exchange *exchange)
{
    if (exchange->state == OH_EXCHANGE_COMPLETE) {
        exchange->state = OH_EXCHANGE_FAILED;
        oh_failure_set(exchange->failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_ANSWERED,
            "check what listens there", "The answer has not the form that phpredis expects");
    }
}

/* ---- What transport calls ---- */

void oh_exchange_finish(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    exchange->flight = NULL;
    exchange->deadline_ns = 0;
    exchange->is_called = false;
}

void oh_exchange_abandon(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    exchange->begin = exchange->end = 0;
    exchange->is_waiting = false;
    exchange->state = OH_EXCHANGE_IDLE;
}

void oh_exchange_shut(oh_exchange *exchange)
{
    oh_exchange_abandon(exchange);
    oh_exchange_give_back(exchange, false);
    exchange->peer.connections = NULL;
}

void oh_exchange_end(oh_exchange *exchange)
{
    oh_exchange_abandon(exchange);
    oh_exchange_give_back(exchange, false);
    oh_flight_leave(exchange);
    oh_exchange_drop_joined(exchange);
    oh_discards_drop(&exchange->terms.discards);
    oh_exchange_release_ssdb(exchange);
    oh_redirects_free(exchange);
    if (exchange->replies) {
        oh_call_release(exchange->replies);
        exchange->replies = NULL;
        exchange->capacity = 0;
    }
}
