/*
 * The steps of a call: prepare, run, read, finish.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/decimal.h"

#include "engine/exchange/exchange_internal.h"

/* ---- Beginning ---- */

void oh_exchange_prepare(oh_exchange *exchange, const oh_call_terms *terms, oh_exchange_set *set)
{
    oh_discards_drop(&exchange->terms.discards);
    exchange->terms = *terms;
    exchange->is_called = true;
    exchange->state = OH_EXCHANGE_IDLE;
    exchange->times.deadline_ns = terms->deadline_ns;
    exchange->times.block_ms = terms->block_ms;
    exchange->set = set;
    exchange->found.has_error_reply = exchange->found.has_error = exchange->found.was_interrupted =
        false;
}

/* Ends the current exchange: closes a leased connection and drops unread bytes. */
static void abandon(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    oh_replies_forget(&exchange->replies);
    exchange->is_waiting = false;
    exchange->state = OH_EXCHANGE_IDLE;
}

/* Makes a copy of the request as it will be sent. False if there is no memory. */
static bool write_down(oh_exchange *exchange)
{
    oh_request *request = &exchange->request;
    oh_call_terms *terms = &exchange->terms;

    if (terms->cursor && !oh_request_put_cursor(request, *terms->cursor)) {
        return false;
    }
    if (terms->preface && !oh_request_put_in_front(request, terms->preface)) {
        return false;
    }
    if (terms->discards.count > 0) {
        if (!oh_request_write_discards(request, &terms->discards)) {
            return false;
        }
        oh_discards_drop(&terms->discards);
    }
    return true;
}

/* The first write of a call sets the deadline; in an iterated call each write does. */
static void set_times(oh_exchange *exchange)
{
    oh_call_times *times = &exchange->times;
    uint64_t now_ns = oh_clock_now_ns();

    times->begun_ns = now_ns;
    times->waits_since_ns = times->left_ns = times->check_ns = 0;
    times->has_waited = times->deadline_ns != 0;
    if (OH_UNLIKELY(times->block_ms)) {
        times->waits_since_ns = now_ns;
        times->begun_ns = 0;
        times->has_waited = true;
    }
    if (!times->deadline_ns || exchange->terms.is_iterated) {
        times->deadline_ns = now_ns + (uint64_t)exchange->terms.timeout_ms * 1000000;
    }
}

/*
 * Prepares the bytes and the deadline. Returns false if nothing must be sent now, because the
 * exchange has failed or waits for the other nodes of an SSDB call.
 */
static bool begin(oh_exchange *exchange, const char *request, size_t length)
{
    /* Drops the remains of an exchange that its caller gave up. */
    abandon(exchange);
    if (OH_UNLIKELY(!exchange->peer.connections || !exchange->peer.metered)) {
        oh_failure_set_no_memory(exchange->failure, OH_OUTCOME_NOT_SENT);
        exchange->state = OH_EXCHANGE_FAILED;
        return false;
    }
    exchange->replies.dropped = 0;
    exchange->found.received = 0;
    exchange->found.leaving = OH_LEAVING_STAY;
    exchange->found.has_heard = exchange->use.was_retried = exchange->use.was_sent = false;
    exchange->request.bytes = (const uint8_t *)request;
    exchange->request.length = length;
    exchange->request.sent = 0;
    set_times(exchange);
    if (OH_UNLIKELY(!oh_exchange_is_whole(exchange)) && OH_UNLIKELY(!write_down(exchange))) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    if (OH_UNLIKELY(oh_pool_endpoint(exchange->peer.connections)->is_ssdb)) {
        oh_exchange_translate(exchange);
        return false;
    }
    if (OH_UNLIKELY(exchange->interceptor != NULL) && exchange->interceptor->prepare) {
        return exchange->interceptor->prepare(exchange->interceptor, exchange);
    }
    return true;
}

/* ---- Other nodes ---- */

/*
 * Bringing keys took a part of the call's time. If less than half of the call's time is left, the
 * node is not to blame for a late answer.
 */
static void note_preparation(oh_exchange *exchange)
{
    uint64_t half_ns = exchange->terms.timeout_ms * UINT64_C(500000);

    exchange->times.has_waited = true;
    if (exchange->use.connection) {
        exchange->use.connection->has_waited |=
            oh_clock_now_ns() + half_ns > exchange->times.deadline_ns;
    }
}

static void send_prepared(oh_exchange *exchange)
{
    if (exchange->terms.timeout_ms && oh_clock_now_ns() >= exchange->times.deadline_ns) {
        oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_LATE_SENDING,
            (unsigned)exchange->terms.timeout_ms);
        oh_exchange_fail(exchange);
        return;
    }
    oh_exchange_lease(exchange, false);
    note_preparation(exchange);
    oh_exchange_send(exchange);
}

static void send_if_waiting(oh_exchange *exchange, const oh_failure *refusal)
{
    if (!exchange->is_waiting) {
        return;
    }
    exchange->is_waiting = false;
    if (refusal) {
        *exchange->failure = *refusal;
        oh_exchange_fail(exchange);
    } else if (exchange->request.length == 0) {
        exchange->state = OH_EXCHANGE_COMPLETE;
    } else if (exchange->interceptor && exchange->interceptor->prepare_set) {
        send_prepared(exchange);
    } else {
        oh_exchange_lease(exchange, false);
        oh_exchange_send(exchange);
    }
}

/* Sends the requests that wait until all members of the set are prepared. */
static OH_NOINLINE void send_waiting(oh_exchange *exchange)
{
    oh_exchange_set *set = exchange->set;

    if (exchange->interceptor && exchange->interceptor->prepare_set) {
        exchange->interceptor->prepare_set(exchange->interceptor, exchange);
    }
    for (uint32_t i = 0; set && i < set->members_count; i++) {
        send_if_waiting(set->members[i], set->refusal);
    }
    send_if_waiting(exchange, NULL);
}

void oh_exchange_set_send_waiting(oh_exchange_set *set)
{
    set->has_waiting = false;
    for (uint32_t i = 0; i < set->members_count; i++) {
        if (set->members[i]->is_waiting) {
            send_waiting(set->members[i]);
        }
    }
}

void oh_exchange_start(oh_exchange *exchange, const char *request, size_t length)
{
    if (begin(exchange, request, length)) {
        oh_exchange_lease(exchange, false);
        oh_exchange_send(exchange);
    } else if (exchange->is_waiting && !exchange->set) {
        send_waiting(exchange);
    }
    if (exchange->set) {
        oh_exchange_set_join(exchange);
    }
}

/* Starts the calls of the other nodes, so that all have sent before any of them waits. */
static void start_other_nodes(oh_exchange *exchange)
{
    if (exchange->set) {
        oh_exchange_set_join(exchange);
    }
    if (exchange->set) {
        exchange->set->start_others(exchange->set);
    }
    if (OH_UNLIKELY(exchange->is_waiting)) {
        send_waiting(exchange);
    }
}

/* ---- Running ---- */

/*
 * Checks EXEC's reply. An error becomes nil. Anything but nil or a list with one reply per queued
 * command fails the exchange: the caller would give replies to the wrong commands.
 */
static void judge_exec(oh_exchange *exchange)
{
    oh_replies *replies = &exchange->replies;
    oh_bytes reply = oh_replies_unread(replies);
    oh_values values = oh_values_of(reply.bytes, reply.length);
    int64_t count;

    if (exchange->state == OH_EXCHANGE_FAILED) {
        return;
    }
    if (oh_value_take_head(&values, OH_RESP_LIST, &count) && count == exchange->terms.exec_count) {
        return;
    }
    if (oh_bytes_is(reply, OH_RESP_NIL_LIST)) {
        return;
    }
    if (exchange->found.has_error_reply && replies->capacity >= strlen(OH_RESP_NIL_LIST)) {
        memcpy(replies->bytes, OH_RESP_NIL_LIST, strlen(OH_RESP_NIL_LIST));
        replies->begin = 0;
        replies->end = strlen(OH_RESP_NIL_LIST);
        return;
    }
    oh_exchange_refuse_bytes(exchange, OH_WHAT_EXEC_SHORT);
}

/* Checks that the replies are those that the request promises. SSDB's are checked before. */
static void judge_promise(oh_exchange *exchange)
{
    const oh_promise *promise = exchange->terms.promise;
    oh_bytes request = {exchange->request.bytes, exchange->request.length};

    if (exchange->state == OH_EXCHANGE_COMPLETE && !exchange->ssdb &&
        !promise->holds(promise, request, oh_exchange_unread(exchange))) {
        oh_exchange_refuse_form(exchange);
    }
}

/* Takes the cursor of SCAN's reply. If it is not a number of 64 bits, the exchange fails. */
static void take_cursor(oh_exchange *exchange)
{
    oh_bytes reply = oh_replies_unread(&exchange->replies);
    oh_values values = oh_values_of(reply.bytes, reply.length);
    oh_text own;
    size_t count;

    if (exchange->state == OH_EXCHANGE_FAILED || !oh_value_take_list(&values, &count) ||
        (count == 2 && oh_value_take_text(&values, &own) &&
            oh_decimal_read(own, exchange->terms.cursor) &&
            (*exchange->terms.cursor < UINT64_MAX || oh_text_is(own, "18446744073709551615")))) {
        return;
    }
    oh_failure_set(exchange->failure, OH_OUTCOME_ANSWERED, OH_SAY_CURSOR_TOO_LARGE);
    oh_exchange_fail(exchange);
}

static void judge_replies(oh_exchange *exchange)
{
    const oh_call_terms *terms = &exchange->terms;

    if (terms->is_exec) {
        judge_exec(exchange);
    }
    if (terms->promise) {
        judge_promise(exchange);
    }
    if (terms->cursor) {
        take_cursor(exchange);
    }
}

/* True if the caller can continue: there is a reply to read, or there will be none. */
static bool is_readable(const oh_exchange *exchange)
{
    return !oh_exchange_is_active(exchange) || oh_exchange_is_full(exchange);
}

bool oh_exchange_run(oh_exchange *exchange, const char *request, size_t length)
{
    if (OH_UNLIKELY(!exchange->is_called)) {
        abandon(exchange);
        return false;
    }
    if (OH_LIKELY(begin(exchange, request, length))) { /* The bytes and the deadline. */
        oh_exchange_lease(exchange, false);            /* An idle connection, or a new one. */
        oh_exchange_send(exchange);                    /* As much as its socket takes. */
    }
    /* The same on the other nodes, if there are any. */
    start_other_nodes(exchange);
    return oh_exchange_conclude(exchange);
}

void oh_exchange_start_whole(
    oh_exchange *exchange, const char *request, size_t length, uint32_t commands_count)
{
    exchange->terms.commands_count = commands_count;
    exchange->terms.promise = NULL;
    oh_exchange_start(exchange, request, length);
}

/*
 * The interceptor may wait for other nodes. Meanwhile the deadlines of the other members of the set
 * keep running.
 */
static OH_NOINLINE void intercept(oh_exchange *exchange)
{
    oh_exchange_set *set = exchange->set;

    if (set) {
        oh_exchange_set_leave_caller(set);
    }
    exchange->interceptor->before_return(exchange->interceptor, exchange);
    if (set) {
        oh_exchange_set_return_to_caller(set);
    }
}

bool oh_exchange_conclude(oh_exchange *exchange)
{
    /* Receives; the last reply settles the connection. */
    oh_exchange_wait_until(exchange, is_readable);
    if (OH_UNLIKELY(exchange->interceptor != NULL)) {
        intercept(exchange); /* Redirects are followed. */
    }
    if (OH_UNLIKELY(!oh_exchange_is_whole(exchange))) {
        judge_replies(exchange);
    }
    oh_request_drop_own(&exchange->request);
    exchange->request.bytes = NULL; /* They are the caller's, and valid only during its write. */
    return !oh_exchange_has_failed(exchange);
}

/* ---- Reading ---- */

/* How many bytes of the replies the caller may read. */
static inline size_t readable_count(const oh_exchange *exchange)
{
    return OH_LIKELY(!exchange->interceptor)
               ? oh_replies_length(&exchange->replies)
               : exchange->interceptor->readable(exchange->interceptor, exchange);
}

static bool has_bytes_or_ended(const oh_exchange *exchange)
{
    return readable_count(exchange) > 0 || !oh_exchange_is_active(exchange);
}

/* Reads translated replies. A reply of SSDB may become no bytes, or more bytes than it had. */
static size_t read_shaped(oh_exchange *exchange, char *bytes, size_t size)
{
    size_t count;

    while ((count = oh_exchange_give_shaped(exchange, bytes, size)) == 0 &&
           oh_exchange_is_active(exchange)) {
        oh_exchange_wait_until(exchange, has_bytes_or_ended);
    }
    return count;
}

static size_t read_plain(oh_exchange *exchange, char *bytes, size_t size)
{
    if (OH_UNLIKELY(oh_exchange_is_active(exchange))) {
        oh_exchange_wait_until(exchange, has_bytes_or_ended);
    }
    if (OH_UNLIKELY(exchange->interceptor != NULL)) {
        intercept(exchange);
    }
    size_t readable = readable_count(exchange), count = OH_MIN(size, readable);

    if (OH_LIKELY(count > 0)) {
        oh_replies_give(&exchange->replies, bytes, count);
    }
    return count;
}

size_t oh_exchange_read(oh_exchange *exchange, char *bytes, size_t size)
{
    bool is_shaped = OH_UNLIKELY(exchange->ssdb != NULL) && exchange->ssdb->is_shaped;
    size_t count =
        is_shaped ? read_shaped(exchange, bytes, size) : read_plain(exchange, bytes, size);

    if (OH_UNLIKELY(count == 0)) {
        oh_exchange_fail_at_end(exchange);
    }
    return count;
}

oh_bytes oh_exchange_unread(const oh_exchange *exchange)
{
    return (oh_bytes){exchange->replies.bytes + exchange->replies.begin, readable_count(exchange)};
}

void oh_exchange_skip(oh_exchange *exchange, size_t count)
{
    exchange->replies.begin += count;
}

bool oh_exchange_receive_more(oh_exchange *exchange)
{
    if (is_readable(exchange)) {
        return false;
    }
    oh_exchange_wait_until(exchange, is_readable);
    if (OH_UNLIKELY(exchange->interceptor != NULL)) {
        intercept(exchange);
    }
    return !oh_exchange_has_failed(exchange);
}

bool oh_exchange_receive_all(oh_exchange *exchange)
{
    exchange->replies.gathers = true;
    while (oh_exchange_receive_more(exchange)) {
    }
    return !oh_exchange_has_failed(exchange);
}

/* ---- Ending ---- */

void oh_exchange_finish(oh_exchange *exchange)
{
    oh_exchange_drop_connection(exchange);
    exchange->set = NULL;
    exchange->times.deadline_ns = 0;
    exchange->is_called = false;
}

void oh_exchange_shut(oh_exchange *exchange)
{
    abandon(exchange);
    oh_exchange_give_back(exchange, false);
    exchange->peer.connections = NULL;
    exchange->peer.lookout = NULL;
    if (exchange->peer.succession) {
        exchange->peer.succession = exchange->interceptor = NULL;
    }
}

void oh_exchange_end(oh_exchange *exchange)
{
    abandon(exchange);
    oh_exchange_give_back(exchange, false);
    oh_exchange_set_leave(exchange);
    oh_request_drop_own(&exchange->request);
    oh_discards_drop(&exchange->terms.discards);
    oh_exchange_release_ssdb(exchange);
    if (exchange->interceptor) {
        exchange->interceptor->free(exchange->interceptor);
        exchange->interceptor = NULL;
    }
    oh_replies_free(&exchange->replies);
}
