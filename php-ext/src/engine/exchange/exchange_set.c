/*
 * The wait and the deadline of one exchange, or of all in a set.
 *
 * A command on a warm connection takes three system calls: the pool's check of it, one send, and
 * one blocking receive, bounded by SO_RCVTIMEO. In all other cases (a new connection, a reply in
 * parts, a reply that comes after SO_RCVTIMEO, several nodes, time that has passed), all calls are
 * non-blocking, and one poll waits for all exchanges, with the time that is left.
 */
#include <limits.h>
#include <poll.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/wait.h"
#include "engine/exchange/exchange_internal.h"

/*
 * How long bytes that have arrived may be read after the first check that followed the deadline:
 * less than the tolerance of a deadline.
 */
#define OH_DRAIN_NS 15000000
/* How long a set is advanced before the caller looks for a connection that others gave back. */
#define OH_ADVANCE_MS 10

/* ---- The set ---- */

void oh_exchange_set_join(oh_exchange *exchange)
{
    oh_exchange_set *set = exchange->set;

    for (uint32_t i = 0; set && i < set->members_count; i++) {
        if (set->members[i] == exchange) {
            return;
        }
    }
    if (set && set->members_count < OH_EXCHANGE_SET_MAX) {
        set->members[set->members_count++] = exchange;
    } else {
        exchange->set = NULL;
    }
}

void oh_exchange_set_leave(oh_exchange *exchange)
{
    oh_exchange_set *set = exchange->set;

    exchange->set = NULL;
    for (uint32_t i = 0; set && i < set->members_count; i++) {
        if (set->members[i] == exchange) {
            set->members[i] = set->members[--set->members_count];
            return;
        }
    }
}

/* ---- Deadlines ---- */

/* Milliseconds until the earliest deadline or check, rounded up; -1 if there is none. */
static int time_left_ms(oh_exchange *const *members, uint32_t count, uint64_t now_ns)
{
    uint64_t earliest_ns = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        bool is_active = oh_exchange_is_active(members[i]);
        uint64_t limit_ns = is_active ? oh_exchange_limit_ns(members[i]) : 0;
        uint64_t check_ns = is_active ? oh_exchange_check_ns(members[i]) : UINT64_MAX;

        if (limit_ns && limit_ns < earliest_ns) {
            earliest_ns = limit_ns;
        }
        earliest_ns = OH_MIN(earliest_ns, check_ns);
    }
    if (earliest_ns == UINT64_MAX) {
        return -1;
    }
    return now_ns >= earliest_ns ? 0
                                 : (int)OH_MIN((earliest_ns - now_ns + 999999) / 1000000, INT_MAX);
}

static bool has_passed(const oh_exchange *exchange, uint64_t now_ns)
{
    uint64_t limit_ns = oh_exchange_limit_ns(exchange);

    return limit_ns && now_ns >= limit_ns;
}

/* The events that poll() waits for. Nothing more is sent after the deadline. */
static short events_of(const oh_exchange *exchange, uint64_t now_ns)
{
    short events = oh_exchange_is_active(exchange) ? oh_exchange_events(exchange) : 0;

    return has_passed(exchange, now_ns) ? (short)(events & POLLIN) : events;
}

/*
 * True if the deadline has passed and no bytes have arrived. The time before poll() decides,
 * because this process may have been stopped since then, while the answer arrived. Bytes that have
 * arrived still count, but only for a moment, so that a node that never stops sending cannot
 * postpone the deadline.
 */
static bool is_late(oh_exchange *exchange, bool has_moved, uint64_t checked_ns)
{
    if (!has_passed(exchange, checked_ns) || !oh_exchange_is_active(exchange) ||
        oh_exchange_is_full(exchange)) {
        return false;
    }
    if (exchange->times.late_ns < oh_exchange_limit_ns(exchange)) {
        exchange->times.late_ns = checked_ns;
    }
    return !has_moved || checked_ns >= exchange->times.late_ns + OH_DRAIN_NS;
}

static bool is_blocking_long(oh_exchange *const *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (members[i]->times.block_ms) {
            return true;
        }
    }
    return false;
}

/* ---- Waiting ---- */

/* True if the exchange can receive bytes of which poll() does not know. */
static bool is_buffered(const oh_exchange *exchange)
{
    return oh_exchange_is_active(exchange) && !oh_exchange_is_full(exchange) &&
           oh_connection_has_buffered(exchange->use.connection);
}

static bool has_buffered(oh_exchange *const *members, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (OH_UNLIKELY(is_buffered(members[i]))) {
            return true;
        }
    }
    return false;
}

/*
 * Runs the program's signal handlers. False if one aborts the call or ends the program; then all
 * waits end. While the program ends, no long wait begins.
 */
static bool let_handlers_run(oh_exchange *const *members, uint32_t count)
{
    bool is_aborted = oh_surroundings.is_exiting();

    if (!oh_surroundings.is_ending()) {
        oh_wait_serve_interrupts();
        is_aborted = oh_surroundings.is_ending();
    }
    for (uint32_t i = 0; is_aborted && i < count; i++) {
        if (oh_exchange_is_active(members[i])) {
            oh_failure_set(members[i]->failure, oh_exchange_outcome(members[i]), OH_SAY_WAIT_ENDED);
            members[i]->found.was_interrupted = true;
            oh_exchange_fail(members[i]);
        }
    }
    return !is_aborted;
}

/*
 * Fails the exchanges that are late. All of them are noted first: nodes that are late together are
 * not to blame.
 */
static void pass_deadlines(oh_exchange *const *members, uint32_t count,
    const struct pollfd *descriptors, uint64_t checked_ns)
{
    bool is_any_late = false;

    for (uint32_t i = 0; i < count; i++) {
        if (is_late(members[i], descriptors[i].revents != 0, checked_ns)) {
            oh_exchange_note_late(members[i]);
            is_any_late = true;
        }
    }
    for (uint32_t i = 0; OH_UNLIKELY(is_any_late) && i < count; i++) {
        if (is_late(members[i], descriptors[i].revents != 0, checked_ns)) {
            oh_exchange_pass_deadline(members[i]);
        }
    }
}

/*
 * Fails the exchanges that should go to another node, unless bytes have arrived for them. As with
 * deadlines, all are noted before one is judged.
 */
static void leave_for_others(oh_exchange *const *members, uint32_t count,
    const struct pollfd *descriptors, uint64_t checked_ns)
{
    bool is_any_away = false;

    for (uint32_t i = 0; i < count; i++) {
        is_any_away |= !descriptors[i].revents && oh_exchange_is_active(members[i]) &&
                       oh_exchange_should_leave(members[i], checked_ns);
    }
    for (uint32_t i = 0; OH_UNLIKELY(is_any_away) && i < count; i++) {
        if (oh_exchange_is_active(members[i]) && oh_exchange_has_left(members[i])) {
            oh_exchange_go_away(members[i]);
        }
    }
}

/*
 * Waits once for all exchanges, at most `most_ms` (-1: until a deadline), and advances those that
 * can continue.
 */
static void move_all(oh_exchange *const *members, uint32_t count, int most_ms)
{
    struct pollfd descriptors[OH_EXCHANGE_SET_MAX];
    bool is_waiting_long = is_blocking_long(members, count);

    if (OH_UNLIKELY(is_waiting_long) && !let_handlers_run(members, count)) {
        return;
    }
    uint64_t now_ns = oh_clock_now_ns();
    int left_ms = has_buffered(members, count) ? 0 : time_left_ms(members, count, now_ns);

    left_ms = most_ms < 0 ? left_ms : left_ms < 0 ? most_ms : OH_MIN(left_ms, most_ms);
    for (uint32_t i = 0; i < count; i++) {
        short events = events_of(members[i], now_ns);

        descriptors[i].fd = events ? members[i]->use.connection->socket : -1;
        descriptors[i].events = events;
        descriptors[i].revents = 0;
        members[i]->times.has_waited = true;
    }
    if (OH_UNLIKELY(is_waiting_long)) {
        oh_wait_poll(descriptors, count, left_ms);
    } else {
        poll(descriptors, count, left_ms);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (OH_UNLIKELY(is_buffered(members[i]))) {
            descriptors[i].revents |= POLLIN;
        }
        if (OH_UNLIKELY(descriptors[i].revents & POLLOUT) &&
            has_passed(members[i], oh_clock_now_ns())) {
            descriptors[i].revents &= (short)~POLLOUT;
        }
        if (descriptors[i].revents) {
            oh_exchange_step(members[i], descriptors[i].revents);
        }
    }
    pass_deadlines(members, count, descriptors, now_ns);
    leave_for_others(members, count, descriptors, now_ns);
}

/*
 * The usual case: the exchange is alone, all is sent, and only the answer is missing. A blocking
 * receive waits for it.
 */
static void wait_alone(oh_exchange *exchange)
{
    if (!exchange->times.has_waited && exchange->state == OH_EXCHANGE_MOVING &&
        oh_request_is_sent(&exchange->request)) {
        exchange->times.has_waited = true;
        if (OH_LIKELY(oh_exchange_receive(exchange, 0))) {
            return;
        }
    }
    move_all(&exchange, 1, -1);
}

/*
 * Deadlines are for nodes, so the time in which this process unpacks replies does not count.
 * Deadlines stand still from the moment the caller continues until it waits again.
 */
static void note_leaving(oh_exchange *const *members, uint32_t count)
{
    uint64_t now_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (oh_exchange_is_active(members[i])) {
            members[i]->times.left_ns = now_ns = now_ns ? now_ns : oh_clock_now_ns();
        }
    }
}

static void note_return(oh_exchange *const *members, uint32_t count)
{
    uint64_t now_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (members[i]->times.left_ns) {
            now_ns = now_ns ? now_ns : oh_clock_now_ns();
            members[i]->times.deadline_ns += now_ns - members[i]->times.left_ns;
            members[i]->times.late_ns += now_ns - members[i]->times.left_ns;
            members[i]->times.left_ns = 0;
        }
        if (OH_UNLIKELY(
                members[i]->use.connection && !oh_pool_is_own(members[i]->use.connection))) {
            oh_exchange_fail_of_other_process(members[i]);
        }
    }
}

void oh_exchange_set_leave_caller(const oh_exchange_set *set)
{
    note_return(set->members, set->members_count);
}

void oh_exchange_set_return_to_caller(const oh_exchange_set *set)
{
    note_leaving(set->members, set->members_count);
}

void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *))
{
    bool is_alone = !exchange->set || exchange->set->members_count <= 1;
    oh_exchange **members = is_alone ? &exchange : exchange->set->members;
    uint32_t count = is_alone ? 1 : exchange->set->members_count;

    note_return(members, count);
    while (!is_enough(exchange)) {
        if (is_alone) {
            wait_alone(exchange);
        } else {
            move_all(members, count, -1);
        }
    }
    note_leaving(members, count);
}

void oh_exchange_poll_once(oh_exchange *const *members, uint32_t count, int milliseconds)
{
    for (uint32_t i = 0; i < count; i++) {
        if (members[i]->use.connection && !oh_pool_is_own(members[i]->use.connection)) {
            oh_exchange_fail_of_other_process(members[i]);
        }
    }
    move_all(members, count, milliseconds);
}

static bool has_ended(const oh_exchange *exchange)
{
    return !oh_exchange_is_active(exchange);
}

void oh_exchange_await(oh_exchange *exchange)
{
    oh_exchange_wait_until(exchange, has_ended);
}

bool oh_exchange_set_advances(
    const oh_exchange_set *set, const oh_connections *connections, uint64_t deadline_ns)
{
    if ((deadline_ns && oh_clock_now_ns() >= deadline_ns) || oh_surroundings.is_exiting()) {
        return false;
    }
    for (uint32_t i = 0; i < set->members_count; i++) {
        oh_exchange *member = set->members[i];

        if (member->peer.connections == connections && oh_exchange_is_active(member)) {
            member->replies.gathers = true; /* Nobody reads its replies meanwhile. */
            move_all(set->members, set->members_count, OH_ADVANCE_MS);
            return true;
        }
    }
    return false;
}
