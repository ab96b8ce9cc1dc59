/*
 * Transfer: sends and receives the bytes of one exchange over one connection, as far as possible
 * without waiting.
 *
 *     lease ─► opening ─► moving: send, receive, frame ─► the last reply is in: settled (outcome)
 *       ▲          └───────────┴─ lost: once more with a new connection, or failed
 *       └──────────────────────────┘
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/exchange/exchange_internal.h"
#include "engine/pool/handshake.h"
#include "engine/shared/segment.h"

/* ---- Retry ---- */

/*
 * Retries or fails after a lost connection. An idle connection may have died unnoticed. If no byte
 * came back, and either nothing was sent or the request may be repeated, one new connection is
 * tried within the same deadline (spec/wire, section 5).
 */
static void lose_connection(oh_exchange *exchange, const char *reason)
{
    oh_connection_use *use = &exchange->use;
    size_t sent = exchange->request.sent;
    bool may_repeat = !exchange->terms.never_repeats && (sent == 0 || exchange->terms.is_read_only);
    bool is_stale = use->is_reused && !exchange->found.has_heard;

    if (is_stale) {
        oh_pool_report_stale(use->connection);
    }
    if (is_stale && !use->was_retried && may_repeat) {
        use->was_retried = true;
        use->was_sent = sent > 0;
        oh_exchange_drop_connection(exchange);
        exchange->request.sent = 0;
        oh_exchange_lease(exchange, true);
        oh_exchange_send(exchange);
        return;
    }
    if (OH_UNLIKELY(oh_handshake_is_refused(use->connection, exchange->failure))) {
        oh_exchange_fail(exchange);
        return;
    }
    oh_failure_set(
        exchange->failure, oh_exchange_outcome(exchange), OH_SAY_CONNECTION_LOST, reason);
    if (!sent) {
        exchange->failure->advice = OH_ADVICE_CONNECTION_LOST_UNSENT;
    }
    oh_pool_report_failure(use->connection, OH_HEALTH_EXCHANGE, exchange->failure->what);
    oh_exchange_fail(exchange);
}

/* ---- Receiving ---- */

/*
 * True if the nodes are a Redis Cluster but the server pool is not configured as one. Fails the
 * exchange then, because none of the replies can be used.
 */
static bool is_of_a_cluster(oh_exchange *exchange)
{
    static const char word[] = "MOVED ";
    const oh_wire *wire = &exchange->use.connection->wire;

    if (!exchange->peer.is_of_plain_pool || wire->error_text_length < sizeof word ||
        memcmp(wire->error_text, word, sizeof word - 1) != 0) {
        return false;
    }
    oh_quoted answer;

    oh_failure_set(exchange->failure, OH_OUTCOME_ANSWERED, OH_SAY_IN_CLUSTER,
        oh_quote(&answer, wire->error_text, wire->error_text_length));
    oh_exchange_fail(exchange);
    return true;
}

/*
 * Moves the barrier after the reply of a MULTI. False if the node refused MULTI; the exchange has
 * failed then.
 */
static bool pass_barrier(oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    if (wire->answered < exchange->request.barrier_reply) {
        return true;
    }
    if (wire->error_number == exchange->request.barrier_reply) {
        oh_exchange_say_multi_refused(
            exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, oh_wire_error_text(wire));
        oh_exchange_fail(exchange);
        return false;
    }
    oh_request_move_barrier(&exchange->request);
    return true;
}

/*
 * Removes the replies to the introduction, and that of the preface, from `count` received bytes and
 * returns how many are left. Fails the exchange if the connection is turned away, or if the reply
 * of the preface is an error.
 */
static size_t take_preface(oh_exchange *exchange, size_t count)
{
    oh_connection *connection = exchange->use.connection;
    oh_preface *preface = &exchange->preface;
    uint8_t *bytes = exchange->replies.bytes + exchange->replies.end;

    while (preface->number && count > 0 && !connection->wire.error) {
        count = oh_preface_take(preface, &connection->wire, bytes, count);
        if (OH_UNLIKELY(connection->is_unproven) &&
            oh_handshake_turns_away(connection, exchange->failure)) {
            oh_exchange_fail(exchange);
            return 0;
        }
    }
    if (preface->number == 0 && exchange->terms.preface &&
        oh_value_begins_error(preface->reply, preface->reply_length)) {
        oh_text error = oh_value_error_text(preface->reply, preface->reply_length);
        oh_quoted answer;

        oh_failure_set(exchange->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_PREFACE_REFUSED,
            oh_quote(&answer, error.bytes, error.length));
        oh_exchange_fail(exchange);
    }
    return count;
}

/*
 * Frames `count` bytes that were received after `end`. False if the interceptor has failed the
 * exchange.
 */
static bool frame(oh_exchange *exchange, size_t count)
{
    oh_replies *replies = &exchange->replies;

    exchange->found.has_heard |= count > 0;
    if (OH_LIKELY(!exchange->interceptor)) {
        replies->end +=
            oh_wire_read(&exchange->use.connection->wire, replies->bytes + replies->end, count);
        return true;
    }
    replies->end += exchange->interceptor->read(exchange->interceptor, exchange, count);
    return exchange->use.connection != NULL;
}

/* Checks the new replies. False if the exchange has failed. */
static bool judge(oh_exchange *exchange, uint64_t answered)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    if (OH_UNLIKELY(wire->error != NULL)) {
        if (oh_handshake_turns_away(exchange->use.connection, exchange->failure)) {
            oh_exchange_fail(exchange);
        } else {
            oh_exchange_refuse_bytes(exchange, wire->error);
        }
        return false;
    }
    if (OH_UNLIKELY(wire->pushed > 0)) {
        /* The caller would read the push frame as a reply. */
        oh_exchange_refuse_bytes(exchange, "a push frame in RESP2");
        return false;
    }
    if (OH_UNLIKELY(exchange->use.connection->is_unproven) &&
        oh_handshake_turns_away(exchange->use.connection, exchange->failure)) {
        oh_exchange_fail(exchange);
        return false;
    }
    if (OH_UNLIKELY(wire->error_number > answered) && is_of_a_cluster(exchange)) {
        return false;
    }
    return OH_LIKELY(!exchange->request.barrier_reply) || pass_barrier(exchange);
}

/*
 * True if the node has sent more than the replies to a batch. One reply too many shifts those
 * behind it, and only the end shows that (spec/wire, section 3). If a receive left room, the kernel
 * had no more. OpenSSL returns one record, whatever else has come.
 */
static bool has_surplus(const oh_exchange *exchange, bool is_full)
{
    const oh_connection *connection = exchange->use.connection;

    return OH_UNLIKELY(connection->wire.written - exchange->request.before > 1) &&
           (is_full || connection->channel) && oh_connection_has_more(connection);
}

/* The reply has begun: from now on the deadline is that of a command that does not block. */
static void end_blocking(oh_exchange *exchange)
{
    exchange->times.block_ms = 0;
    exchange->times.deadline_ns =
        oh_clock_now_ns() + (uint64_t)exchange->terms.timeout_ms * 1000000;
}

/* A node denies a command that a node has described before: the next call asks again. */
static OH_NOINLINE void forget_denied(const oh_wire *wire)
{
    char name[OH_COMMAND_NAME_BYTES];

    if (oh_learnt_is_denied(oh_wire_error_text(wire), name)) {
        oh_kept_commands_forget(oh_segment_commands(), name);
    }
}

/* Takes `count` bytes that were received after `end`. `is_full`: they left no room. */
static void take(oh_exchange *exchange, size_t count, bool is_full)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    exchange->found.received += count;
    if (OH_UNLIKELY(exchange->preface.number)) {
        count = take_preface(exchange, count);
        if (!exchange->use.connection) {
            return;
        }
    }
    uint64_t answered = wire->answered;

    if (OH_UNLIKELY(!frame(exchange, count))) {
        return;
    }
    if (OH_UNLIKELY(wire->any_error_number > answered)) {
        exchange->found.has_error = true;
        if (wire->error_number > answered) {
            exchange->found.has_error_reply = true;
            forget_denied(wire);
        }
    }
    if (OH_UNLIKELY(exchange->times.block_ms) && oh_replies_length(&exchange->replies) > 0) {
        end_blocking(exchange);
    }
    if (OH_UNLIKELY(!judge(exchange, answered)) || oh_wire_owed(wire) > 0 ||
        !oh_request_is_sent(&exchange->request)) {
        return;
    }
    if (OH_UNLIKELY(has_surplus(exchange, is_full))) {
        oh_exchange_refuse_bytes(exchange, OH_REASON_WIRE_SURPLUS);
    } else if (OH_LIKELY(exchange->ssdb == NULL) || oh_exchange_fits_ssdb(exchange)) {
        oh_exchange_end_well(exchange);
    }
}

bool oh_exchange_receive(oh_exchange *exchange, int flags)
{
    oh_replies *replies = &exchange->replies;

    if (OH_UNLIKELY(!oh_replies_make_room(replies))) {
        oh_exchange_fail_without_memory(exchange);
        return true;
    }
    size_t room = replies->capacity - replies->end;
    ssize_t count =
        oh_connection_receive(exchange->use.connection, replies->bytes + replies->end, room, flags);

    if (OH_LIKELY(count > 0)) {
        take(exchange, (size_t)count, (size_t)count == room);
        return true;
    }
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return false;
    }
    lose_connection(exchange, count < 0 ? strerror(errno) : OH_REASON_CLOSED_BY_NODE);
    return true;
}

/* ---- Sending ---- */

static void send_more(oh_exchange *exchange)
{
    oh_request *request = &exchange->request;
    ssize_t count = oh_connection_send(
        exchange->use.connection, request->bytes + request->sent, request->barrier - request->sent);

    if (OH_LIKELY(count >= 0)) {
        request->sent += (size_t)count;
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose_connection(exchange, strerror(errno));
    }
}

/*
 * Fails the exchange if wire refuses the request. The caller's lengths are well-formed, so one of
 * them must be too large.
 */
static void refuse_to_write(oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->use.connection->wire;

    if (strcmp(wire->error, OH_REASON_WIRE_LENGTH) != 0) {
        oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_A_COMMAND, wire->error);
    } else if (oh_wire_is_in_word(wire)) {
        oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_VALUE_TOO_LARGE,
            (unsigned)OH_WIRE_BULK_BYTES_MAX >> 20);
    } else {
        oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_COMMAND_TOO_LONG,
            (unsigned)OH_WIRE_ELEMENTS_MAX);
    }
    oh_exchange_fail(exchange);
}

static void expect_preface(oh_exchange *exchange)
{
    oh_preface *preface = &exchange->preface;

    preface->reply_length = 0;
    if (exchange->terms.preface) {
        preface->number = ++exchange->request.before;
    }
}

/* Sends the introduction of the connection in front of the request. False if that has failed. */
static bool introduce(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;
    const oh_endpoint *endpoint = oh_pool_endpoint(exchange->peer.connections);

    if (!oh_handshake_introduce(connection, endpoint)) {
        lose_connection(exchange, strerror(errno));
        return false;
    }
    oh_meter_add(exchange->peer.metered->meter, OH_METER_BYTES_SENT, endpoint->introduction_length);
    exchange->preface.number = connection->introduced;
    return true;
}

/* Called when the connection is ready. Replies count as owed before the first byte is sent. */
static void begin_moving(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;
    const oh_call_terms *terms = &exchange->terms;
    oh_request *request = &exchange->request;

    exchange->state = OH_EXCHANGE_MOVING;
    exchange->preface.number = 0;
    if (OH_UNLIKELY(connection->must_introduce) && !introduce(exchange)) {
        return;
    }
    uint64_t written = connection->wire.written;
    exchange->replies.gathers = terms->gathers;
    connection->is_spent |= terms->is_unknown;
    request->before = written;
    if (OH_UNLIKELY(!oh_exchange_is_whole(exchange))) {
        exchange->replies.gathers |= terms->promise != NULL;
        expect_preface(exchange);
    }
    oh_request_put_barrier(request, terms->has_multi, written);
    if (OH_UNLIKELY(exchange->interceptor != NULL)) {
        exchange->interceptor->begin(exchange->interceptor, exchange);
    }
    if (OH_UNLIKELY(connection->timeout_ms != terms->timeout_ms)) {
        oh_connection_set_timeout(connection, terms->timeout_ms);
    }
    if (OH_UNLIKELY(exchange->times.block_ms == OH_BLOCK_FOR_EVER)) {
        oh_connection_keep_alive(connection);
    }
    if (OH_LIKELY(oh_exchange_is_whole(exchange))) {
        oh_wire_wrote_whole(&connection->wire, terms->commands_count);
    } else if (OH_UNLIKELY(!oh_wire_wrote(&connection->wire, request->bytes, request->length))) {
        refuse_to_write(exchange);
        return;
    }
    send_more(exchange);
}

/* ---- The connection ---- */

/* True if its connection, which is ready, is in another database. This does not matter to SELECT.
 */
static inline bool is_elsewhere(const oh_exchange *exchange)
{
    return oh_connection_is_elsewhere(exchange->use.connection, exchange->peer.database) &&
           !oh_database_is_chosen(exchange->terms.selects);
}

/* The connection is ready, in this database or in another one. */
static void count_ready(const oh_exchange *exchange)
{
    if (exchange->use.is_reused || is_elsewhere(exchange)) {
        oh_connection_count_handshake(exchange->use.connection, exchange->peer.metered->meter);
    } else {
        oh_connection_count_opened(exchange->use.connection, exchange->peer.metered->meter);
    }
}

static OH_NOINLINE void fail_opening(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;

    if (exchange->use.is_reused && !connection->is_turned_away) {
        /* Nothing was sent, so a new connection is tried. */
        lose_connection(exchange, OH_REASON_LOST);
        return;
    }
    oh_pool_report_failed_opening(connection, exchange->failure->what);
    oh_exchange_fail(exchange);
}

/* The database is selected, and the answer is read, before a byte of the request is sent. */
static OH_NOINLINE void begin_selecting(oh_exchange *exchange)
{
    oh_meter_count(exchange->peer.metered->meter, OH_METER_SELECTS);
    exchange->times.has_waited = true;
    oh_handshake_select(exchange->use.connection, exchange->peer.database);
}

static OH_NOINLINE void advance_opening(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.connection;

    switch (oh_connection_advance(
        connection, oh_pool_endpoint(exchange->peer.connections), exchange->failure)) {
    case OH_PROGRESS_WAITS: return;
    case OH_PROGRESS_READY:
        count_ready(exchange);
        if (exchange->terms.timeout_ms && oh_clock_now_ns() >= exchange->times.deadline_ns) {
            /* This process is late, so nothing is sent. */
            oh_exchange_pass_deadline(exchange);
        } else if (OH_UNLIKELY(oh_exchange_is_ready_too_late(exchange))) {
            oh_exchange_refuse_late_connection(exchange);
        } else if (is_elsewhere(exchange)) {
            begin_selecting(exchange);
            advance_opening(exchange);
        } else {
            begin_moving(exchange);
        }
        return;
    case OH_PROGRESS_BROKEN: fail_opening(exchange); return;
    }
}

/*
 * Takes the held connection. It may have been idle for long, so a peek checks it before each use.
 */
static void take_held(oh_exchange *exchange)
{
    oh_connection *connection = exchange->use.held;
    const char *reason = !connection                           ? OH_REASON_LOST
                         : !oh_pool_is_own(connection)         ? OH_WHAT_OTHER_PROCESS
                         : !oh_connection_is_sound(connection) ? OH_REASON_OUT_OF_STEP
                                                               : NULL;

    if (reason) {
        oh_failure_set(
            exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_CONNECTION_LOST_UNSENT, reason);
        oh_exchange_fail(exchange);
        return;
    }
    exchange->use.held = NULL;
    exchange->use.connection = connection;
    exchange->use.is_reused = false; /* A new connection must not replace it. */
    exchange->state = OH_EXCHANGE_OPENING;
}

/* A caller that waits for a connection. */
typedef struct oh_waiting {
    oh_patience patience; /* First, so that both structs have one address. */
    oh_exchange *exchange;
    bool was_ending; /* The program had aborted something before this wait. */
} oh_waiting;

static bool advances(oh_patience *patience, const oh_connections *connections)
{
    const oh_exchange_set *set = ((oh_waiting *)patience)->exchange->set;

    return set && set->around && set->advances(set->around, connections, patience->deadline_ns);
}

static bool gives_up(oh_patience *patience)
{
    const oh_waiting *waiting = (oh_waiting *)patience;
    oh_exchange *exchange = waiting->exchange;

    if (oh_surroundings.is_exiting() || (!waiting->was_ending && oh_surroundings.is_ending())) {
        oh_failure_set(exchange->failure, OH_OUTCOME_NOT_SENT, OH_SAY_WAIT_ENDED);
        exchange->found.was_interrupted = true;
        return true;
    }
    return oh_exchange_should_leave(exchange, oh_clock_now_ns());
}

void oh_exchange_lease(oh_exchange *exchange, bool must_be_new)
{
    if (OH_UNLIKELY(exchange->use.was_held)) {
        take_held(exchange);
        return;
    }
    const oh_peer *peer = &exchange->peer;
    oh_meter *meter = peer->metered->meter;
    oh_waiting waiting = {
        {exchange->terms.timeout_ms ? exchange->times.deadline_ns : 0, advances, gives_up},
        exchange, oh_surroundings.is_ending()};
    /* A new connection is wanted some time after the call began. */
    uint64_t now_ms = must_be_new ? 0 : exchange->times.begun_ns / 1000000;
    oh_wish wish = {must_be_new, peer->database};
    oh_connection *connection = OH_UNLIKELY(exchange->terms.goes_beyond)
                                    ? oh_pool_lease_beyond(peer->connections, meter, wish,
                                          waiting.patience.deadline_ns, exchange->failure)
                                    : oh_pool_lease(peer->connections, meter, wish,
                                          &waiting.patience, now_ms, exchange->failure);

    exchange->use.connection = connection;
    if (OH_UNLIKELY(!connection)) {
        oh_exchange_fail(exchange);
        return;
    }
    exchange->use.is_reused = connection->state == OH_READY;
    exchange->times.has_waited |= !exchange->use.is_reused || connection->has_waited;
    exchange->state = OH_EXCHANGE_OPENING;
}

void oh_exchange_send(oh_exchange *exchange)
{
    if (OH_UNLIKELY(exchange->state != OH_EXCHANGE_OPENING)) {
        return; /* No connection was available. */
    }
    bool is_ready = exchange->use.connection->state == OH_READY;

    if (OH_LIKELY(is_ready) && OH_LIKELY(!is_elsewhere(exchange))) {
        begin_moving(exchange);
        return;
    }
    if (is_ready) {
        begin_selecting(exchange);
    }
    advance_opening(exchange);
}

/* ---- Moving ---- */

short oh_exchange_events(const oh_exchange *exchange)
{
    const oh_request *request = &exchange->request;

    if (exchange->state == OH_EXCHANGE_OPENING) {
        return exchange->use.connection->events;
    }
    short events = request->sent < request->barrier ? POLLOUT : 0;

    return (short)(events | (oh_exchange_is_full(exchange) ? 0 : POLLIN));
}

void oh_exchange_step(oh_exchange *exchange, short revents)
{
    if (exchange->state == OH_EXCHANGE_OPENING) {
        advance_opening(exchange);
        return;
    }
    if (exchange->request.sent < exchange->request.barrier &&
        (revents & (POLLOUT | POLLERR | POLLHUP))) {
        send_more(exchange);
    }
    if (exchange->state == OH_EXCHANGE_MOVING && !oh_exchange_is_full(exchange) &&
        (revents & (POLLIN | POLLERR | POLLHUP))) {
        oh_exchange_receive(exchange, MSG_DONTWAIT);
    }
}
