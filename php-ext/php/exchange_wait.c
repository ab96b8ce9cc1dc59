/*
 * Waiting, and the deadline.
 *
 * A command on a warm connection is exactly one send and one blocking receive; SO_RCVTIMEO bounds the receive. As soon
 * as anything is not so simple (a new connection, a reply in parts, several nodes, time gone by) everything becomes
 * non-blocking and one poll waits for all, with the time that is left.
 */
#include "php_onehop.h"

#include <errno.h>
#include <poll.h>

#include "core/clock.h"

#include "exchange_wait.h"

#define OH_DRAIN_NS 15000000 /* How long bytes that are there may be fetched after the deadline: below its tolerance. */

/* ---- Ends that only waiting can meet ---- */

void oh_exchange_pass_deadline(oh_exchange *exchange)
{
    const char *what = exchange->state == OH_EXCHANGE_OPENING      ? "No connection"
                       : exchange->sent < exchange->request_length ? "Command not taken"
                       : exchange->has_heard                       ? "Answer not complete"
                                                                   : "No answer";

    oh_failure_set(exchange->failure, OH_ERROR_DEADLINE_EXCEEDED, oh_exchange_outcome(exchange),
        exchange->sent ? OH_ADVICE_RETRY : "try again", "%s within %u ms", what, (unsigned)exchange->timeout_ms);
    oh_exchange_end_failed(exchange);
}

void oh_exchange_disown(oh_exchange *exchange)
{
    oh_failure_set(exchange->failure, OH_ERROR_NODE_DOWN, OH_OUTCOME_MAYBE_EXECUTED,
        "do not fork while replies are being read", "The connection belongs to another process");
    oh_exchange_end_failed(exchange);
}

/* ---- Waiting ---- */

/* Milliseconds until the earliest deadline, rounded up; -1: none. */
static int time_left_ms(oh_exchange *const *members, uint32_t count)
{
    uint64_t earliest_ns = UINT64_MAX, now_ns;

    for (uint32_t i = 0; i < count; i++) {
        if (oh_exchange_is_active(members[i]) && members[i]->timeout_ms && members[i]->deadline_ns < earliest_ns) {
            earliest_ns = members[i]->deadline_ns;
        }
    }
    if (earliest_ns == UINT64_MAX) {
        return -1;
    }
    now_ns = oh_clock_now_ns();
    return now_ns >= earliest_ns ? 0 : (int)MIN((earliest_ns - now_ns + 999999) / 1000000, INT_MAX);
}

/*
 * What has already arrived beats a deadline that passed while other nodes were waited for; but only for a moment, so
 * that a node that never stops sending cannot put it off.
 */
static bool is_late(const oh_exchange *exchange, bool has_moved, uint64_t now_ns)
{
    uint64_t limit_ns = exchange->deadline_ns + (has_moved ? OH_DRAIN_NS : 0);

    return exchange->timeout_ms && oh_exchange_is_active(exchange) && !oh_exchange_is_full(exchange) &&
           now_ns >= limit_ns;
}

/* Waits once for all of them and moves those that can move. */
static void move_all(oh_exchange *const *members, uint32_t count)
{
    struct pollfd descriptors[OH_FLIGHT_MEMBERS_MAX];

    for (uint32_t i = 0; i < count; i++) {
        short events = oh_exchange_is_active(members[i]) ? oh_exchange_events(members[i]) : 0;

        descriptors[i].fd = events ? members[i]->connection->socket : -1;
        descriptors[i].events = events;
        descriptors[i].revents = 0;
    }
    poll(descriptors, count, time_left_ms(members, count));

    uint64_t now_ns = oh_clock_now_ns();
    for (uint32_t i = 0; i < count; i++) {
        if (descriptors[i].revents) {
            oh_exchange_step(members[i], descriptors[i].revents);
        }
        if (is_late(members[i], descriptors[i].revents != 0, now_ns)) {
            oh_exchange_pass_deadline(members[i]);
        }
    }
}

/* The usual case: alone, everything sent, nothing but the answer missing. Then the receive itself is the wait. */
static void wait_alone(oh_exchange *exchange)
{
    if (!exchange->has_waited && exchange->state == OH_EXCHANGE_MOVING && exchange->sent == exchange->request_length) {
        exchange->has_waited = true;
        errno = 0;
        if (EXPECTED(oh_exchange_receive(exchange, 0))) {
            return;
        }
        if (errno != EINTR && exchange->timeout_ms) {
            oh_exchange_pass_deadline(exchange);
            return;
        }
    }
    move_all(&exchange, 1);
}

/*
 * A deadline is about the node. The time in which this process itself was busy, unpacking what has arrived, does not
 * count: so deadlines stand still from the moment phpredis goes on until it waits again.
 */
static void note_leaving(oh_exchange *const *members, uint32_t count)
{
    uint64_t now_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (oh_exchange_is_active(members[i])) {
            members[i]->left_ns = now_ns = now_ns ? now_ns : oh_clock_now_ns();
        }
    }
}

static void note_return(oh_exchange *const *members, uint32_t count)
{
    uint64_t now_ns = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (members[i]->left_ns) {
            now_ns = now_ns ? now_ns : oh_clock_now_ns();
            members[i]->deadline_ns += now_ns - members[i]->left_ns;
            members[i]->left_ns = 0;
        }
        if (UNEXPECTED(members[i]->connection && !oh_pool_is_own(members[i]->connection))) {
            oh_exchange_disown(members[i]);
        }
    }
}

void oh_exchange_wait_until(oh_exchange *exchange, bool (*is_enough)(const oh_exchange *))
{
    bool is_alone = !exchange->flight || exchange->flight->members_count <= 1;
    oh_exchange **members = is_alone ? &exchange : exchange->flight->members;
    uint32_t count = is_alone ? 1 : exchange->flight->members_count;

    note_return(members, count);
    while (!is_enough(exchange)) {
        if (is_alone) {
            wait_alone(exchange);
        } else {
            move_all(members, count);
        }
    }
    note_leaving(members, count);
}
