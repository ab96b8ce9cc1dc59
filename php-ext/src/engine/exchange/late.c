/*
 * Late: the end of an exchange whose time is over, or that still waits although another node could
 * answer.
 *
 * The first check for another node comes OH_LEAVING_CHECK_MS after the call begins, so calls that
 * are answered sooner pay nothing for it.
 *
 * Implements spec/health (what to report about a passed deadline) and spec/wire, section 5, "While
 * a call waits".
 */
#include "core/base/clock.h"
#include "core/generated/timings.h"

#include "engine/exchange/exchange_internal.h"

/* ---- The deadline ---- */

uint64_t oh_exchange_limit_ns(const oh_exchange *exchange)
{
    bool has_request =
        exchange->state == OH_EXCHANGE_MOVING && oh_request_is_sent(&exchange->request);

    if (!exchange->terms.timeout_ms ||
        (has_request && exchange->times.block_ms == OH_BLOCK_FOR_EVER)) {
        return 0;
    }
    return exchange->times.deadline_ns +
           (has_request ? (uint64_t)exchange->times.block_ms * 1000000 : 0);
}

/*
 * True if a deadline that passed at that instant is the node's failure. The node must have had the
 * whole timeout of the server pool, not only the rest after a wait for a connection; after keys
 * were brought, half of it is enough. And this process must have been running when the deadline
 * passed: if it was stopped or swapped out, all its deadlines pass at once.
 */
static bool is_for_the_node(const oh_exchange *exchange, uint64_t limit_ns)
{
    const oh_connection *connection = exchange->use.connection;

    return connection && !connection->has_waited &&
           exchange->terms.timeout_ms >= oh_pool_timeout(exchange->peer.connections) &&
           oh_clock_now_ns() < limit_ns + OH_CLOCK_PAUSE_MS * UINT64_C(1000000);
}

void oh_exchange_note_late(const oh_exchange *exchange)
{
    if (is_for_the_node(exchange, oh_exchange_limit_ns(exchange))) {
        oh_pool_note_late(exchange->use.connection);
    }
}

void oh_exchange_pass_deadline(oh_exchange *exchange)
{
    bool has_request = oh_request_is_sent(&exchange->request);
    bool is_opening = exchange->state == OH_EXCHANGE_OPENING;
    bool is_resolving = is_opening && exchange->use.connection->state == OH_RESOLVING;
    bool is_encrypting = is_opening && exchange->use.connection->state == OH_ENCRYPTING;
    unsigned limit_ms = exchange->terms.timeout_ms + (has_request ? exchange->times.block_ms : 0);
    oh_outcome outcome = oh_exchange_outcome(exchange);

    if (is_resolving) {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_RESOLVING, limit_ms);
    } else if (is_encrypting) {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_TLS, limit_ms);
    } else if (is_opening) {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_CONNECTING, limit_ms);
    } else if (!has_request) {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_SENDING, limit_ms);
    } else if (exchange->found.has_heard) {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_REST, limit_ms);
    } else {
        oh_failure_set(exchange->failure, outcome, OH_SAY_LATE_REPLY, limit_ms);
    }
    if (exchange->request.sent) {
        exchange->failure->advice = OH_ADVICE_LATE_REPLY;
    }
    if (is_for_the_node(exchange, oh_exchange_limit_ns(exchange))) {
        oh_pool_report_late(exchange->use.connection, exchange->failure->what);
    }
    if (is_opening && exchange->use.connection) {
        oh_exchange_put_off(exchange);
    } else if (exchange->use.connection && has_request && !exchange->use.is_reused) {
        oh_pool_note_slow(exchange->use.connection);
    }
    oh_exchange_fail(exchange);
}

bool oh_exchange_is_ready_too_late(const oh_exchange *exchange)
{
    const oh_connection *connection = exchange->use.connection;

    return exchange->terms.timeout_ms && oh_pool_is_slow(connection) &&
           oh_clock_now_ns() + connection->step_ms * UINT64_C(1000000) >
               exchange->times.deadline_ns;
}

void oh_exchange_refuse_late_connection(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;

    oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_LATE_READY,
        (unsigned)exchange->terms.timeout_ms);
    oh_pool_report_ready(connection);
    oh_exchange_put_off(exchange);
    oh_exchange_fail(exchange);
}

/* ---- Leaving ---- */

/*
 * True if the lookout of the exchange is asked: either no byte of the request was sent, or no byte
 * of the answer has come and the command does not block. A write that was sent stays with its node.
 * The lookout is asked for such a write, too: if the write waits for long, its node may be gone.
 */
static bool may_leave(const oh_exchange *exchange)
{
    const oh_call_terms *terms = &exchange->terms;
    bool is_bound = exchange->use.keeps || terms->is_pinned || terms->has_multi || terms->is_exec ||
                    terms->preface;

    return exchange->peer.lookout && !is_bound &&
           (exchange->request.sent == 0 ||
               (!exchange->times.block_ms && !exchange->found.has_heard));
}

/*
 * The instant at which a read that may fall back has used half of its time; UINT64_MAX for all
 * others.
 */
static uint64_t half_ns(const oh_exchange *exchange)
{
    uint64_t half_ns = exchange->terms.timeout_ms * UINT64_C(500000);

    return half_ns && oh_exchange_may_fall_back(exchange) ? exchange->times.deadline_ns - half_ns
                                                          : UINT64_MAX;
}

static void plan_check(oh_exchange *exchange, uint64_t from_ns, uint32_t every_ms)
{
    uint64_t next_ns = from_ns + every_ms * UINT64_C(1000000), at_half_ns = half_ns(exchange);

    exchange->times.check_ns = at_half_ns > from_ns && at_half_ns < next_ns ? at_half_ns : next_ns;
}

uint64_t oh_exchange_check_ns(oh_exchange *exchange)
{
    if (!may_leave(exchange)) {
        return UINT64_MAX;
    }
    if (!exchange->times.check_ns) {
        plan_check(exchange, oh_exchange_begun_ns(exchange), OH_LEAVING_CHECK_MS);
    }
    return exchange->times.check_ns;
}

bool oh_exchange_should_leave(oh_exchange *exchange, uint64_t now_ns)
{
    if (now_ns < oh_exchange_check_ns(exchange)) {
        return false;
    }
    oh_lookout *lookout = exchange->peer.lookout;

    exchange->found.leaving = lookout->check(lookout, exchange, now_ns);
    plan_check(exchange, now_ns, lookout->every_ms);
    switch (exchange->found.leaving) {
    case OH_LEAVING_FOR_SUCCESSOR:
        oh_failure_set(exchange->failure, oh_exchange_outcome(exchange), OH_SAY_SUPERSEDED);
        return true;
    case OH_LEAVING_FOR_FALLBACK:
        oh_failure_set(exchange->failure, oh_exchange_outcome(exchange), OH_SAY_LATE_HALF,
            (unsigned)exchange->terms.timeout_ms);
        if (is_for_the_node(exchange, half_ns(exchange))) {
            oh_pool_note_late(exchange->use.connection);
        }
        return true;
    default: return false;
    }
}

void oh_exchange_go_away(oh_exchange *exchange)
{
    /*
     * The node had half of the call's time and did not answer. Its health hears of that as of a
     * passed deadline.
     */
    if (exchange->found.leaving == OH_LEAVING_FOR_FALLBACK &&
        is_for_the_node(exchange, half_ns(exchange))) {
        oh_pool_report_late(exchange->use.connection, exchange->failure->what);
    }
    oh_exchange_fail(exchange);
}
