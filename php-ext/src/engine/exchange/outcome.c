/*
 * Outcome: ends an exchange, settles, holds or closes its connection, and counts the call.
 *
 *     keep ─► leased ─► complete: held ─► next write: taken if sound ─► held ─► ... ─► give_back
 *
 * The state of a transaction (WATCH, MULTI) is bound to the held connection. So that connection is
 * never replaced: if it is lost, the exchange fails, and with it the transaction.
 *
 * Implements spec/meter, calls.
 */
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/cluster/fastest.h"
#include "core/cluster/redirect.h"
#include "core/generated/words.h"

#include "engine/exchange/exchange_internal.h"

/* ---- The connection ---- */

static void count_bytes(oh_exchange *exchange)
{
    oh_meter *meter = exchange->peer.metered->meter;

    oh_meter_add(meter, OH_METER_BYTES_SENT, exchange->request.sent);
    oh_meter_add(meter, OH_METER_BYTES_RECEIVED, exchange->found.received);
    exchange->found.received = 0;
}

void oh_exchange_drop_connection(oh_exchange *exchange)
{
    if (exchange->use.connection) {
        count_bytes(exchange);
        oh_pool_discard(exchange->use.connection);
        exchange->use.connection = NULL;
    }
}

void oh_exchange_put_off(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;

    count_bytes(exchange);
    exchange->use.connection = NULL;
    oh_pool_put_off(connection);
}

static void drop_held(oh_connection_use *use)
{
    if (use->held) {
        oh_pool_discard(use->held);
        use->held = NULL;
    }
}

static void hold(oh_connection_use *use)
{
    if (oh_wire_is_clean(&use->connection->wire)) {
        use->held = use->connection;
    } else {
        oh_pool_discard(use->connection);
    }
    use->was_held = true;
}

void oh_exchange_keep(oh_exchange *exchange)
{
    exchange->use.keeps = true;
    exchange->use.was_held = false;
}

void oh_exchange_give_back(oh_exchange *exchange, bool is_clean)
{
    oh_connection_use *use = &exchange->use;

    if (use->held && is_clean) {
        oh_pool_settle(use->held);
        use->held = NULL;
    }
    drop_held(use);
    use->keeps = use->was_held = false;
    /* Further writes of a current call were meant only for this connection. */
    exchange->is_called = false;
}

/* ---- Latency ---- */

/* Records the latency of this read if reads go to the fastest node. */
static void remember_time(const oh_exchange *exchange, uint64_t took_ns)
{
    _Atomic uint64_t *smoothed_ns = &exchange->peer.metered->meter->smoothed_ns;
    uint64_t known = atomic_load_explicit(smoothed_ns, memory_order_relaxed);

    atomic_store_explicit(smoothed_ns, oh_fastest_smooth(known, took_ns), memory_order_relaxed);
}

static bool is_compared(const oh_exchange *exchange)
{
    return OH_UNLIKELY(exchange->peer.compares_reads) && exchange->terms.is_read_only &&
           exchange->times.begun_ns;
}

/* True for one command that was answered with a value, over a reused connection. */
static bool is_typical(const oh_exchange *exchange)
{
    return is_compared(exchange) && exchange->use.is_reused && !exchange->found.has_error_reply &&
           exchange->use.connection->wire.written - exchange->request.before == 1;
}

/* ---- Success ---- */

/* The word with which an error reply says that the node is unwell; NULL if it does not. */
static const char *unwell_word(oh_text error)
{
    static const char *const words[] = OH_WORDS_UNWELL;

    for (size_t i = 0; words[i]; i++) {
        size_t length = strlen(words[i]);

        if (oh_text_begins(error, words[i]) &&
            (error.length == length || error.bytes[length] == ' ')) {
            return words[i];
        }
    }
    return NULL;
}

/*
 * Reports an error reply as a failure of the node if nutcracker counts it so. The caller still gets
 * the reply.
 */
static void judge_error_reply(const oh_exchange *exchange)
{
    const char *word = oh_pool_ejects(exchange->peer.connections)
                           ? unwell_word(oh_wire_error_text(&exchange->use.connection->wire))
                           : NULL;

    if (word) {
        oh_pool_report_failure(exchange->use.connection, OH_HEALTH_EXCHANGE, word);
    }
}

void oh_exchange_say_multi_refused(oh_failure *failure, oh_outcome outcome, oh_text error)
{
    oh_quoted answer;

    oh_quote(&answer, error.bytes, error.length);
    if (unwell_word(error)) {
        oh_failure_set(failure, outcome, OH_SAY_MULTI_REFUSED_NOW, answer.text);
    } else {
        oh_failure_set(failure, outcome, OH_SAY_MULTI_REFUSED, answer.text);
    }
}

/* The succession, if there is one, becomes the interceptor before the caller reads. */
static void call_succession(oh_exchange *exchange)
{
    if (exchange->peer.succession) {
        oh_exchange_intercept(exchange, exchange->peer.succession);
    }
}

/*
 * A node of a plain server pool that answers READONLY has become a replica. Its name may lead to
 * another node by now, so the connection is not used again. A connection whose blocking command the
 * node has ended is not used again either, because the node closes it. In a Redis Cluster there is
 * no succession.
 */
static void judge_refusal(oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->use.connection->wire;
    const oh_peer *peer = &exchange->peer;
    oh_text error = oh_wire_error_text(wire);
    bool is_refusal =
        oh_redirect_is_refusal(error, peer->is_watched, oh_exchange_may_fall_back(exchange));

    exchange->use.connection->is_spent |=
        oh_redirect_ends_wait(error) || (peer->is_of_plain_pool && oh_redirect_is_readonly(error));
    /* If there are several errors, only the last one is known here. */
    if (is_refusal || wire->written - exchange->request.before > 1) {
        call_succession(exchange);
    }
}

/*
 * True if another client has ended the wait of this command (CLIENT UNBLOCK). Its caller then gets
 * a failure, not the answer. Sets the failure.
 */
static bool was_unblocked(const oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->use.connection->wire;
    oh_text error = oh_wire_error_text(wire);
    oh_quoted answer;

    if (!exchange->terms.block_ms || exchange->terms.is_pinned ||
        wire->written - exchange->request.before != 1 ||
        !oh_text_begins(error, OH_UNBLOCKED_BY_CLIENT)) {
        return false;
    }
    oh_failure_set(exchange->failure, OH_OUTCOME_ANSWERED, OH_SAY_UNBLOCKED,
        oh_quote(&answer, error.bytes, error.length));
    return true;
}

/* The connection has done its work for this request. */
static void release(oh_exchange *exchange, uint64_t now_ns)
{
    oh_connection_use *use = &exchange->use;

    oh_pool_report_success(use->connection, now_ns / 1000000);
    if (OH_UNLIKELY(use->keeps)) {
        hold(use);
    } else {
        oh_pool_settle(use->connection);
    }
    use->connection = NULL;
}

/*
 * The request was SELECT. If the node has said OK, the connection is in that database; after an
 * error it is where it was. After any other answer it is not used again.
 */
static OH_NOINLINE void note_selected(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;

    if (oh_bytes_is(oh_replies_unread(&exchange->replies), "+OK\r\n")) {
        connection->database = oh_database_number(exchange->terms.selects);
    } else {
        connection->is_spent |= !exchange->found.has_error_reply;
    }
}

static void end_with_error_reply(oh_exchange *exchange, uint64_t now_ns)
{
    judge_error_reply(exchange);
    judge_refusal(exchange);
    bool has_failed = was_unblocked(exchange);

    release(exchange, now_ns);
    if (has_failed) {
        oh_exchange_fail(exchange);
    }
}

void oh_exchange_end_well(oh_exchange *exchange)
{
    const oh_metered *metered = exchange->peer.metered;
    uint64_t begun_ns = exchange->times.begun_ns, now_ns = oh_clock_now_ns();

    exchange->state = OH_EXCHANGE_COMPLETE;
    count_bytes(exchange);
    if (OH_UNLIKELY(oh_database_is_chosen(exchange->terms.selects))) {
        note_selected(exchange);
    }
    metered->own->calls++;
    if (OH_LIKELY(begun_ns)) {
        metered->own->took_ns += now_ns - begun_ns;
        oh_meter_answered(metered->meter, now_ns, now_ns - begun_ns);
        if (is_typical(exchange)) {
            remember_time(exchange, now_ns - begun_ns);
        }
    } else {
        metered->own->took_ns += now_ns - exchange->times.waits_since_ns;
        oh_meter_answered_untimed(metered->meter, now_ns);
    }
    if (OH_UNLIKELY(exchange->found.has_error_reply)) {
        end_with_error_reply(exchange, now_ns);
    } else {
        release(exchange, now_ns);
    }
}

void oh_exchange_mark_complete(oh_exchange *exchange)
{
    exchange->state = OH_EXCHANGE_COMPLETE;
    oh_replies_forget(&exchange->replies);
    exchange->replies.dropped = 0;
    exchange->found.leaving = OH_LEAVING_STAY;
}

void oh_exchange_replace(
    oh_exchange *exchange, uint8_t *replies, size_t length, bool has_error_reply, bool has_error)
{
    oh_replies_replace(&exchange->replies, replies, length, length);
    exchange->found.has_error_reply = has_error_reply;
    exchange->found.has_error = has_error;
}

/* ---- Failure ---- */

/* The exchange may have failed before its caller began to wait. */
static void count_failure(const oh_exchange *exchange, uint64_t now_ns)
{
    const oh_metered *metered = exchange->peer.metered;
    uint64_t begun_ns = oh_exchange_begun_ns(exchange);

    metered->own->calls++;
    metered->own->errors++;
    metered->own->took_ns += begun_ns ? now_ns - begun_ns : 0;
    oh_meter_failed(metered->meter, now_ns);
}

void oh_exchange_fail(oh_exchange *exchange)
{
    uint64_t now_ns = oh_clock_now_ns();

    oh_exchange_drop_connection(exchange);
    drop_held(&exchange->use);
    if (exchange->use.was_sent && exchange->failure->outcome == OH_OUTCOME_NOT_SENT) {
        exchange->failure->outcome = OH_OUTCOME_MAYBE_EXECUTED;
    }
    exchange->state = OH_EXCHANGE_FAILED;
    oh_replies_forget(&exchange->replies);
    count_failure(exchange, now_ns);
    if (OH_UNLIKELY(exchange->peer.is_watched || exchange->peer.may_fall_back ||
                    oh_exchange_has_left(exchange))) {
        call_succession(exchange);
    }
    bool is_late = exchange->failure->kind == OH_ERROR_DEADLINE_EXCEEDED ||
                   exchange->found.leaving == OH_LEAVING_FOR_FALLBACK;
    if (is_late && is_compared(exchange)) {
        remember_time(exchange, now_ns - exchange->times.begun_ns);
    }
}

void oh_exchange_fail_without_memory(oh_exchange *exchange)
{
    oh_failure_set_no_memory(exchange->failure, oh_exchange_outcome(exchange));
    oh_exchange_fail(exchange);
}

void oh_exchange_fail_like(oh_exchange *exchange, const oh_exchange *other)
{
    exchange->found.was_interrupted = other->found.was_interrupted;
    oh_exchange_fail(exchange);
}

void oh_exchange_refuse_bytes(oh_exchange *exchange, const char *reason)
{
    oh_failure_set(
        exchange->failure, oh_exchange_outcome(exchange), OH_SAY_PROTOCOL_BROKEN, reason);
    oh_pool_report_failure(exchange->use.connection, OH_HEALTH_EXCHANGE, exchange->failure->what);
    oh_exchange_fail(exchange);
}

void oh_exchange_fail_of_other_process(oh_exchange *exchange)
{
    oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_OTHER_PROCESS);
    oh_exchange_fail(exchange);
}

void oh_exchange_refuse_form(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    drop_held(&exchange->use);
    oh_replies_forget(&exchange->replies);
    exchange->state = OH_EXCHANGE_FAILED;
    oh_failure_set(exchange->failure, OH_OUTCOME_ANSWERED, OH_SAY_UNEXPECTED_FORM);
}

void oh_exchange_fail_at_end(oh_exchange *exchange)
{
    if (exchange->state == OH_EXCHANGE_COMPLETE) {
        exchange->state = OH_EXCHANGE_FAILED;
        oh_failure_set(exchange->failure, OH_OUTCOME_ANSWERED, OH_SAY_UNEXPECTED_FORM);
    }
}
