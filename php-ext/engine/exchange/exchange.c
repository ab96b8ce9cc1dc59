/*
 * The state machine of an exchange: how it moves when it can, and when it ends. (exchange_wait has the
 * waiting, exchange_end the ends.)
 *
 *     run ─► lease ─► opening ─► moving ─► complete: settled
 *              ▲         │         │
 *              └─ again ─┴─────────┴─────► failed: poisoned, and the failure says how
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/compiler.h"
#include "core/base/clock.h"

#include "engine/base/environment.h"
#include "engine/exchange/exchange.h"
#include "engine/exchange/exchange_wait.h"
#include "engine/pool/greeting.h"

#define OH_REPLIES_BYTES_MIN 32768

/* ---- When to try again ---- */

/*
 * A connection that idled may have died unnoticed. If it did before anything came back, and nothing was sent or
 * sending twice does no harm, one new connection is tried within the same deadline.
 */
static void lose_connection(oh_exchange *exchange, const char *reason)
{
    bool may_repeat = !exchange->terms.never_repeats && (exchange->sent == 0 || exchange->terms.is_read_only);

    if (exchange->is_reused && !exchange->was_retried && !exchange->has_heard && may_repeat) {
        exchange->was_retried = true;
        exchange->was_sent = exchange->sent > 0;
        oh_exchange_drop_connection(exchange);
        exchange->sent = 0;
        oh_exchange_lease(exchange, true);
        return;
    }
    oh_failure_set(exchange->failure, OH_ERROR_NODE_DOWN, oh_exchange_outcome(exchange),
        exchange->sent ? OH_ADVICE_RETRY : "try again", "%s", reason);
    oh_pool_blame(exchange->connection, OH_HEALTH_EXCHANGE, exchange->failure->what);
    oh_exchange_fail(exchange);
}

/* ---- Receiving ---- */

/* False: there is no memory for more; the exchange has failed. */
static bool make_room(oh_exchange *exchange)
{
    if (exchange->begin == exchange->end) {
        exchange->dropped += exchange->end;
        exchange->begin = exchange->end = 0;
    }
    if (exchange->end < exchange->capacity) {
        return true;
    }
    if (exchange->begin > 0) {
        memmove(exchange->replies, exchange->replies + exchange->begin, exchange->end - exchange->begin);
        exchange->dropped += exchange->begin;
        exchange->end -= exchange->begin;
        exchange->begin = 0;
        return true;
    }
    size_t capacity = exchange->capacity ? exchange->capacity * 2 : OH_REPLIES_BYTES_MIN;
    uint8_t *replies = oh_call_resize(exchange->replies, capacity, 1);

    if (!replies) {
        oh_exchange_fail_without_memory(exchange);
        return false;
    }
    exchange->replies = replies;
    exchange->capacity = capacity;
    return true;
}

/* The first answer on a connection that needed no sign-in may be the node's way to turn it away. */
static bool is_turned_away(oh_exchange *exchange)
{
    oh_connection *connection = exchange->connection;

    if (!connection->is_unproven || connection->wire.answered == 0) {
        return false;
    }
    connection->is_unproven = false;
    if (connection->wire.refusal_reply == 1 && oh_greeting_is_refusal(&connection->wire, exchange->failure)) {
        oh_exchange_fail(exchange);
        return true;
    }
    return false;
}

/* A server pool whose nodes are a Redis Cluster, unknown to its configuration: no reply of it is of use. */
static bool is_of_a_cluster(oh_exchange *exchange)
{
    static const char word[] = "MOVED ";
    const oh_wire *wire = &exchange->connection->wire;

    if (!exchange->peer.is_of_plain_pool || wire->refusal_length < sizeof word ||
        memcmp(wire->refusal, word, sizeof word - 1) != 0) {
        return false;
    }
    oh_failure_set(exchange->failure, OH_ERROR_CONFIG_INVALID, OH_OUTCOME_ANSWERED,
        "set \"cluster: true\" in the server pool", "The node belongs to a Redis Cluster: it answered ");
    oh_failure_quote(exchange->failure, wire->refusal, wire->refusal_length);
    oh_exchange_fail(exchange);
    return true;
}

/* Frames `count` bytes that were received behind `end`. */
static void take(oh_exchange *exchange, size_t count)
{
    oh_wire *wire = &exchange->connection->wire;
    exchange->received += count;
    if (OH_UNLIKELY(exchange->preface_number)) {
        count = oh_exchange_take_preface(exchange, count);
        if (!exchange->connection) {
            return;
        }
    }
    uint64_t answered = wire->answered;

    exchange->has_heard |= count > 0;
    exchange->end += OH_LIKELY(!exchange->redirects) ? oh_wire_read(wire, exchange->replies + exchange->end, count)
                                                    : oh_redirects_read(exchange, count);
    if (OH_UNLIKELY(!exchange->connection)) {
        return; /* There was no memory to note a redirect. */
    }
    exchange->has_refusal |= wire->refusal_reply > answered;
    exchange->has_error |= wire->error_reply > answered;
    if (OH_UNLIKELY(exchange->wait_ms) && exchange->begin < exchange->end) {
        oh_exchange_end_patience(exchange);
    }
    if (OH_UNLIKELY(wire->error != NULL)) {
        if (!is_turned_away(exchange)) {
            oh_exchange_refuse_bytes(exchange, wire->error);
        }
        return;
    }
    if (OH_UNLIKELY(wire->pushed > 0)) {
        oh_exchange_refuse_bytes(exchange, "a push frame in RESP2"); /* phpredis would take it for a reply. */
        return;
    }
    if (OH_UNLIKELY(exchange->connection->is_unproven) && is_turned_away(exchange)) {
        return;
    }
    if (OH_UNLIKELY(wire->refusal_reply > answered) && is_of_a_cluster(exchange)) {
        return;
    }
    if (OH_UNLIKELY(exchange->fence_reply) && !oh_exchange_pass_fence(exchange)) {
        return;
    }
    if (oh_wire_owed(wire) == 0 && exchange->sent == exchange->request_length) {
        if (OH_UNLIKELY(exchange->ssdb != NULL) && !oh_exchange_fits_ssdb(exchange)) {
            return;
        }
        oh_exchange_end_well(exchange);
    }
}

bool oh_exchange_receive(oh_exchange *exchange, int flags)
{
    if (OH_UNLIKELY(!make_room(exchange))) {
        return true;
    }
    ssize_t count = recv(exchange->connection->socket, exchange->replies + exchange->end,
        exchange->capacity - exchange->end, flags);

    if (OH_LIKELY(count > 0)) {
        take(exchange, (size_t)count);
        return true;
    }
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return false;
    }
    lose_connection(exchange, count < 0 ? strerror(errno) : "Connection closed by the node");
    return true;
}

/* ---- Sending ---- */

static void send_more(oh_exchange *exchange)
{
    ssize_t count = send(exchange->connection->socket, exchange->request + exchange->sent,
        exchange->fence - exchange->sent, MSG_DONTWAIT | MSG_NOSIGNAL);

    if (OH_LIKELY(count >= 0)) {
        exchange->sent += (size_t)count;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose_connection(exchange, strerror(errno));
    }
}

/* phpredis writes lengths that are well-formed, so one that wire refuses is too large. */
static void refuse_to_write(oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->connection->wire;

    if (strcmp(wire->error, OH_WIRE_LENGTH) != 0) {
        oh_failure_set(exchange->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, "report this as a bug",
            "phpredis wrote something that is no command (%s)", wire->error);
    } else if (wire->writer.type == '$') {
        oh_failure_set(exchange->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, "store it in parts",
            "A key or a value is larger than %u MiB, the most that a node takes", OH_WIRE_BULK_BYTES_MAX >> 20);
    } else {
        oh_failure_set(exchange->failure, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT, "send it in parts",
            "The command has more than %u keys, values and options", OH_WIRE_ELEMENTS_MAX);
    }
    oh_exchange_fail(exchange);
}

/* The connection is ready: the replies are owed from before the first byte leaves. */
void oh_exchange_begin_moving(oh_exchange *exchange)
{
    oh_connection *connection = exchange->connection;

    exchange->state = OH_EXCHANGE_MOVING;
    connection->is_spent |= exchange->terms.is_unknown;
    exchange->preface_number = exchange->terms.preface ? connection->wire.written + 1 : 0;
    exchange->preface_reply_length = 0;
    exchange->gathers = exchange->terms.gathers;
    if (OH_UNLIKELY(exchange->redirects != NULL)) {
        oh_redirects_begin(exchange);
    }
    oh_exchange_put_fence(exchange, connection->wire.written);
    if (OH_UNLIKELY(connection->timeout_ms != exchange->terms.timeout_ms)) {
        oh_connection_set_timeout(connection, exchange->terms.timeout_ms);
    }
    if (OH_UNLIKELY(exchange->wait_ms == OH_WAIT_FOR_EVER)) {
        oh_connection_keep_alive(connection);
    }
    if (OH_UNLIKELY(!oh_wire_wrote(&connection->wire, exchange->request, exchange->request_length))) {
        refuse_to_write(exchange);
        return;
    }
    send_more(exchange);
}

static void advance_opening(oh_exchange *exchange)
{
    oh_connection *connection = exchange->connection;

    switch (oh_connection_advance(connection, oh_pool_endpoint(exchange->peer.connections), exchange->failure)) {
        case OH_PROGRESS_WAITS:
            return;
        case OH_PROGRESS_READY:
            oh_connection_count_opened(connection, exchange->peer.meter);
            if (exchange->terms.timeout_ms && oh_clock_now_ns() >= exchange->deadline_ns) {
                oh_exchange_pass_deadline(exchange); /* This process was late: nothing is sent any more. */
            } else {
                oh_exchange_begin_moving(exchange);
            }
            return;
        case OH_PROGRESS_BROKEN:
            oh_pool_blame_opening(connection, exchange->failure->what);
            oh_exchange_fail(exchange);
            return;
    }
}

void oh_exchange_lease(oh_exchange *exchange, bool must_be_new)
{
    if (OH_UNLIKELY(exchange->was_held)) {
        oh_exchange_take_held(exchange);
        return;
    }
    uint64_t deadline_ns = exchange->terms.timeout_ms ? exchange->deadline_ns : 0;

    exchange->connection = OH_UNLIKELY(exchange->terms.goes_beyond)
                               ? oh_pool_lease_beyond(exchange->peer.connections, exchange->peer.meter, must_be_new, deadline_ns, exchange->failure)
                               : oh_pool_lease(exchange->peer.connections, exchange->peer.meter, must_be_new, deadline_ns, exchange->failure);
    if (!exchange->connection) {
        oh_exchange_fail(exchange);
        return;
    }
    exchange->is_reused = exchange->connection->state == OH_READY;
    if (OH_LIKELY(exchange->is_reused)) {
        exchange->has_waited |= exchange->connection->has_waited;
        oh_exchange_begin_moving(exchange);
    } else {
        exchange->state = OH_EXCHANGE_OPENING;
        exchange->has_waited = true;
        advance_opening(exchange);
    }
}

/* ---- Moving ---- */

bool oh_exchange_is_full(const oh_exchange *exchange)
{
    return exchange->end - exchange->begin >= OH_EXCHANGE_AHEAD_BYTES && exchange->sent == exchange->request_length &&
           !exchange->gathers;
}

short oh_exchange_events(const oh_exchange *exchange)
{
    if (exchange->state == OH_EXCHANGE_OPENING) {
        return exchange->connection->events;
    }
    short events = exchange->sent < exchange->fence ? POLLOUT : 0;

    return (short)(events | (oh_exchange_is_full(exchange) ? 0 : POLLIN));
}

void oh_exchange_step(oh_exchange *exchange, short revents)
{
    if (exchange->state == OH_EXCHANGE_OPENING) {
        advance_opening(exchange);
        return;
    }
    if (exchange->sent < exchange->fence && (revents & (POLLOUT | POLLERR | POLLHUP))) {
        send_more(exchange);
    }
    if (exchange->state == OH_EXCHANGE_MOVING && !oh_exchange_is_full(exchange) &&
        (revents & (POLLIN | POLLERR | POLLHUP))) {
        oh_exchange_receive(exchange, MSG_DONTWAIT);
    }
}

/* ---- What transport calls ---- */

void oh_exchange_prepare(oh_exchange *exchange, const oh_call_terms *terms, oh_flight *flight)
{
    oh_discards_drop(&exchange->terms.discards);
    exchange->terms = *terms;
    exchange->is_called = true;
    exchange->state = OH_EXCHANGE_IDLE;
    exchange->deadline_ns = terms->deadline_ns;
    exchange->wait_ms = terms->wait_ms;
    exchange->flight = flight;
    exchange->has_refusal = exchange->has_error = exchange->was_interrupted = false;
}

/* Whether phpredis may go on: there is a reply to read, or there will be none. */
static bool is_readable(const oh_exchange *exchange)
{
    return !oh_exchange_is_active(exchange) || oh_exchange_is_full(exchange);
}

void oh_exchange_start(oh_exchange *exchange, const char *request, size_t length)
{
    /* Whatever an earlier exchange left behind, because phpredis gave up on it, belongs to that one alone. */
    oh_exchange_abandon(exchange);
    exchange->dropped = 0;
    exchange->request = (const uint8_t *)request;
    exchange->request_length = length;
    exchange->sent = exchange->received = 0;
    exchange->was_retried = exchange->was_sent = exchange->has_heard = false;
    if (OH_UNLIKELY(exchange->terms.preface != NULL) && !oh_exchange_join_preface(exchange)) {
        return;
    }
    if (OH_UNLIKELY(exchange->terms.discards.count > 0) && !oh_exchange_write_discards(exchange)) {
        return;
    }
    uint64_t now_ns = oh_clock_now_ns();
    exchange->begun_ns = exchange->wait_ms ? 0 : now_ns;
    exchange->left_ns = 0;
    exchange->has_waited = exchange->deadline_ns != 0 || exchange->wait_ms;
    if (!exchange->deadline_ns || exchange->terms.is_iterated) {
        exchange->deadline_ns = now_ns + (uint64_t)exchange->terms.timeout_ms * 1000000;
    }
    if (OH_LIKELY(!oh_exchange_is_ssdb(exchange))) {
        oh_exchange_lease(exchange, false);
    } else if (!oh_exchange_translate(exchange)) {
        return;
    }
    oh_flight_join(exchange);
}

bool oh_exchange_run(oh_exchange *exchange, const char *request, size_t length)
{
    if (!exchange->peer.connections || OH_UNLIKELY(!exchange->is_called)) {
        oh_exchange_abandon(exchange);
        return false;
    }
    oh_exchange_start(exchange, request, length);
    if (exchange->flight) {
        exchange->flight->start_others(exchange->flight);
    }
    if (OH_UNLIKELY(exchange->is_waiting)) {
        oh_exchange_launch(exchange);
    }
    oh_exchange_wait_until(exchange, is_readable);
    if (OH_UNLIKELY(exchange->redirects != NULL)) {
        oh_redirects_meet(exchange);
    }
    if (OH_UNLIKELY(exchange->terms.is_exec)) {
        oh_exchange_judge_exec(exchange);
    }
    oh_exchange_drop_joined(exchange);
    exchange->request = NULL;
    return exchange->state != OH_EXCHANGE_FAILED;
}

size_t oh_exchange_read(oh_exchange *exchange, char *bytes, size_t size)
{
    if (OH_UNLIKELY(exchange->ssdb && exchange->ssdb->is_shaped)) {
        return oh_exchange_read_ssdb(exchange, bytes, size);
    }
    oh_exchange_wait_until(exchange, oh_exchange_has_bytes_or_ended);
    if (OH_UNLIKELY(exchange->redirects != NULL)) {
        oh_redirects_meet(exchange);
    }
    size_t count = OH_MIN(size, OH_LIKELY(!exchange->redirects) ? exchange->end - exchange->begin
                                                            : oh_redirects_readable(exchange));

    if (OH_LIKELY(count)) {
        memcpy(bytes, exchange->replies + exchange->begin, count);
        exchange->begin += count;
    } else {
        oh_exchange_run_dry(exchange);
    }
    return count;
}
