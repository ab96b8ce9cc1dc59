/*
 * Late: the end of an exchange whose time is over.
 *
 * Implements spec/health, what is reported of a passed deadline.
 */
#include "core/base/clock.h"
#include "core/generated/timings.h"

#include "engine/exchange/exchange_internal.h"

/*
 * True if a passed deadline is the node's failure. The node must have had the whole timeout of the
 * server pool, not only the rest after a wait for a connection. And this process must have been
 * running when the deadline passed: after it was stopped or swapped out, all its deadlines have
 * passed.
 */
static bool is_for_the_node(const oh_exchange *exchange)
{
    const oh_connection *connection = exchange->use.connection;
    uint64_t limit_ns = exchange->times.deadline_ns + (uint64_t)exchange->times.block_ms * 1000000;

    return connection && !connection->has_waited &&
           exchange->terms.timeout_ms >= oh_pool_timeout(exchange->peer.connections) &&
           exchange->times.block_ms != OH_BLOCK_FOR_EVER &&
           oh_clock_now_ns() < limit_ns + OH_CLOCK_PAUSE_MS * UINT64_C(1000000);
}

void oh_exchange_note_late(const oh_exchange *exchange)
{
    if (is_for_the_node(exchange)) {
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
    if (is_for_the_node(exchange)) {
        oh_pool_report_late(exchange->use.connection, exchange->failure->what);
    }
    oh_exchange_fail(exchange);
}
