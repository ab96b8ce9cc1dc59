/*
 * One connection per node, all of them waited for by one poll, which may last for days.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/wait.h"
#include "engine/listener/listener_internal.h"
#include "engine/pool/handshake.h"

#define OH_HEARD_BYTES_MIN 16384

static const char *const advice_again = "subscribe again; what was published meanwhile is lost";

static oh_connections *connections_of(oh_listener *listener, uint32_t node)
{
    return oh_snapshot_connections(listener->snapshot, node);
}

void oh_ear_close(oh_ear *ear)
{
    if (ear->connection) {
        oh_pool_discard(ear->connection);
        ear->connection = NULL;
    }
    oh_buffer_free(&ear->request);
    if (ear->heard) {
        oh_call_release(ear->heard);
        ear->heard = NULL;
    }
}

/* ---- Losing ---- */

static oh_outcome outcome_of(const oh_ear *ear)
{
    return !ear->is_told || ear->sent == 0 ? OH_OUTCOME_NOT_SENT
           : ear->unconfirmed              ? OH_OUTCOME_MAYBE_EXECUTED
                                           : OH_OUTCOME_ANSWERED;
}

static void lose(oh_listener *listener, uint32_t node, const char *reason)
{
    oh_failure_set(listener->failure, OH_ERROR_NODE_DOWN, outcome_of(&listener->ears[node]),
        advice_again, "%s", reason);
    oh_listener_fail(listener, node);
}

static void refuse_bytes(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];

    oh_failure_set(listener->failure, OH_ERROR_PROTOCOL_VIOLATION, outcome_of(ear),
        "check what listens there", "The node broke the protocol (%s)",
        ear->connection->wire.error);
    oh_listener_fail(listener, node);
}

static oh_meter *meter_of(const oh_listener *listener, uint32_t node)
{
    return oh_snapshot_meter(listener->snapshot, node);
}

/* False: the connection was made by the parent of this process, and only the parent may use it. */
static bool is_own(oh_listener *listener, uint32_t node)
{
    const oh_ear *ear = &listener->ears[node];

    if (OH_LIKELY(!ear->connection || oh_pool_is_own(ear->connection))) {
        return true;
    }
    lose(listener, node, "The connection belongs to another process");
    return false;
}

/* ---- Receiving ---- */

/* Hands on every value that has become whole, and keeps the rest. */
static void frame(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];
    size_t begin = 0;

    while (ear->framed < ear->end && !listener->has_failed) {
        oh_wire *wire = &ear->connection->wire;
        uint64_t whole = wire->answered + wire->pushed;

        ear->framed +=
            oh_wire_read_value(wire, (uint8_t *)ear->heard + ear->framed, ear->end - ear->framed);
        if (OH_UNLIKELY(ear->connection->is_unproven) &&
            oh_handshake_turns_away(ear->connection, listener->failure)) {
            oh_listener_fail(listener, node);
            return;
        }
        if (OH_UNLIKELY(wire->error != NULL)) {
            refuse_bytes(listener, node);
            return;
        }
        if (wire->answered + wire->pushed > whole) {
            oh_pool_report_success(ear->connection, oh_clock_now_ms());
            oh_listener_take(listener, node, ear->heard + begin, ear->framed - begin);
            begin = ear->framed;
        }
    }
    if (begin && !listener->has_failed) {
        memmove(ear->heard, ear->heard + begin, ear->end - begin);
        ear->end -= begin;
        ear->framed -= begin;
    }
}

static void receive(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];

    if (ear->end == ear->capacity) {
        size_t capacity = ear->capacity ? ear->capacity * 2 : OH_HEARD_BYTES_MIN;
        char *larger = oh_call_resize(ear->heard, capacity, 1);

        if (!larger) {
            oh_listener_lack_memory(listener, node, outcome_of(ear));
            return;
        }
        ear->heard = larger;
        ear->capacity = capacity;
    }
    ssize_t count = recv(
        ear->connection->socket, ear->heard + ear->end, ear->capacity - ear->end, MSG_DONTWAIT);
    if (count > 0) {
        ear->end += (size_t)count;
        oh_meter_add(meter_of(listener, node), OH_METER_BYTES_RECEIVED, (uint64_t)count);
        frame(listener, node);
    } else if (count == 0) {
        lose(listener, node, "Connection closed by the node");
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose(listener, node, strerror(errno));
    }
}

/* ---- Sending ---- */

static size_t left_to_send(const oh_ear *ear)
{
    return ear->request.length > ear->sent ? ear->request.length - ear->sent : 0;
}

static void send_more(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];
    ssize_t count = send(ear->connection->socket, ear->request.bytes + ear->sent, left_to_send(ear),
        MSG_DONTWAIT | MSG_NOSIGNAL);

    if (count >= 0) {
        ear->sent += (size_t)count;
        oh_meter_add(meter_of(listener, node), OH_METER_BYTES_SENT, (uint64_t)count);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose(listener, node, strerror(errno));
    }
}

/* The connection is ready: the node may speak from before the first byte leaves. */
static void begin_sending(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];
    oh_wire *wire = &ear->connection->wire;

    oh_wire_subscribe(wire);
    if (!oh_wire_wrote(wire, (const uint8_t *)ear->request.bytes, ear->request.length)) {
        refuse_bytes(listener, node);
        return;
    }
    ear->is_told = true;
    send_more(listener, node);
}

static void advance(oh_listener *listener, uint32_t node)
{
    oh_connection *connection = listener->ears[node].connection;
    const oh_endpoint *endpoint = oh_pool_endpoint(connections_of(listener, node));

    switch (oh_connection_advance(connection, endpoint, listener->failure)) {
    case OH_PROGRESS_WAITS: return;
    case OH_PROGRESS_READY:
        oh_connection_count_opened(connection, meter_of(listener, node));
        if (endpoint->host) {
            oh_connection_keep_alive(connection);
        }
        begin_sending(listener, node);
        return;
    case OH_PROGRESS_BROKEN:
        oh_pool_report_failed_opening(connection, listener->failure->what);
        oh_listener_fail(listener, node);
        return;
    }
}

/* Always a new connection: it will be closed, and one that has idled may be dead. */
static void begin(oh_listener *listener, uint32_t node)
{
    uint64_t deadline_ns =
        listener->timeout_ms ? oh_clock_now_ns() + (uint64_t)listener->timeout_ms * 1000000 : 0;
    oh_ear *ear = &listener->ears[node];
    oh_connections *connections = connections_of(listener, node);

    if (!connections) {
        oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
        return;
    }
    ear->connection =
        oh_pool_lease(connections, meter_of(listener, node), true, deadline_ns, listener->failure);
    if (ear->connection) {
        advance(listener, node);
    } else {
        oh_listener_fail(listener, node);
    }
}

bool oh_ear_tell(oh_listener *listener, uint32_t node)
{
    oh_ear *ear = &listener->ears[node];

    ear->sent = 0;
    ear->is_told = false;
    if (!is_own(listener, node)) {
        return false;
    }
    if (ear->connection) {
        begin_sending(listener, node);
    } else {
        begin(listener, node);
    }
    return !listener->has_failed;
}

/* ---- Waiting ---- */

static void move(oh_listener *listener, uint32_t node, short revents)
{
    oh_ear *ear = &listener->ears[node];

    if (ear->connection->state != OH_READY) {
        advance(listener, node);
        return;
    }
    if (left_to_send(ear) && (revents & (POLLOUT | POLLERR | POLLHUP))) {
        send_more(listener, node);
    }
    if (!listener->has_failed && (revents & (POLLIN | POLLERR | POLLHUP))) {
        receive(listener, node);
    }
}

static short events_of(const oh_ear *ear)
{
    if (ear->connection->state != OH_READY) {
        return ear->connection->events;
    }
    return (short)(POLLIN | (left_to_send(ear) ? POLLOUT : 0));
}

static bool prepare(oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        const oh_ear *ear = &listener->ears[node];

        if (!is_own(listener, node)) {
            return false;
        }
        listener->descriptors[node].fd = ear->connection ? ear->connection->socket : -1;
        listener->descriptors[node].events = ear->connection ? events_of(ear) : 0;
        listener->descriptors[node].revents = 0;
    }
    return true;
}

/* Rounded up; -1: no end. */
static int time_left_ms(uint64_t until_ns)
{
    uint64_t now_ns = oh_clock_now_ns();

    if (!until_ns) {
        return -1;
    }
    return now_ns >= until_ns ? 0 : (int)OH_MIN((until_ns - now_ns + 999999) / 1000000, INT_MAX);
}

bool oh_ears_wait(oh_listener *listener, uint64_t until_ns)
{
    uint32_t count = listener->snapshot->nodes_count;

    if (!prepare(listener)) {
        return false;
    }
    int ready = oh_wait_poll(listener->descriptors, count, time_left_ms(until_ns));
    for (uint32_t node = 0; ready > 0 && node < count && !listener->has_failed; node++) {
        if (listener->descriptors[node].revents && listener->ears[node].connection) {
            move(listener, node, listener->descriptors[node].revents);
        }
    }
    oh_wait_serve_interrupts();
    return !listener->has_failed && !oh_surroundings.is_ending();
}
