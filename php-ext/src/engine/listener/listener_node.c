/* One connection per node. One poll waits for all of them, and may last for days. */
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

static oh_connections *connections_of(oh_listener *listener, uint32_t node)
{
    return oh_snapshot_connections(listener->snapshot, node);
}

/* ---- Failing ---- */

static oh_outcome outcome_of(const oh_subscribed_node *subscribed_node)
{
    return !subscribed_node->announced || subscribed_node->sent == 0 ? OH_OUTCOME_NOT_SENT
           : subscribed_node->unconfirmed                            ? OH_OUTCOME_MAYBE_EXECUTED
                                                                     : OH_OUTCOME_ANSWERED;
}

static void lose(oh_listener *listener, uint32_t node, const char *reason)
{
    oh_connection *connection = listener->nodes[node].connection;

    if (!oh_handshake_is_refused(connection, listener->failure)) {
        oh_failure_set(listener->failure, outcome_of(&listener->nodes[node]),
            OH_SAY_SUBSCRIPTION_LOST, reason);
    }
    oh_listener_lose(listener, node);
}

static void refuse_bytes(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];

    oh_failure_set(listener->failure, outcome_of(subscribed_node), OH_SAY_PROTOCOL_BROKEN,
        subscribed_node->connection->wire.error);
    oh_listener_lose(listener, node);
}

static oh_meter *meter_of(const oh_listener *listener, uint32_t node)
{
    const oh_metered *metered = oh_snapshot_metered(listener->snapshot, node);

    return metered ? metered->meter : NULL;
}

/* False if the parent of this process opened the connection, because only the parent may use it. */
static bool is_own(oh_listener *listener, uint32_t node)
{
    const oh_subscribed_node *subscribed_node = &listener->nodes[node];

    if (OH_LIKELY(!subscribed_node->connection || oh_pool_is_own(subscribed_node->connection))) {
        return true;
    }
    oh_failure_set(listener->failure, outcome_of(subscribed_node), OH_SAY_SUBSCRIPTION_LOST,
        OH_WHAT_OTHER_PROCESS);
    oh_listener_fail(listener, node);
    return false;
}

/* ---- Receiving ---- */

/* Handles every complete value and keeps the rest. */
static void frame(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    size_t begin = 0;

    while (subscribed_node->framed < subscribed_node->end && !listener->has_failed) {
        oh_wire *wire = &subscribed_node->connection->wire;
        uint64_t whole = wire->answered + wire->pushed;

        subscribed_node->framed +=
            oh_wire_read_value(wire, (uint8_t *)subscribed_node->received + subscribed_node->framed,
                subscribed_node->end - subscribed_node->framed);
        if (OH_UNLIKELY(subscribed_node->connection->is_unproven) &&
            oh_handshake_turns_away(subscribed_node->connection, listener->failure)) {
            oh_listener_lose(listener, node);
            return;
        }
        if (OH_UNLIKELY(wire->error != NULL)) {
            refuse_bytes(listener, node);
            return;
        }
        if (wire->answered + wire->pushed > whole &&
            wire->answered <= subscribed_node->connection->introduced) {
            /* The caller did not ask for the replies to the introduction. */
            begin = subscribed_node->framed;
        } else if (wire->answered + wire->pushed > whole) {
            oh_pool_report_success(subscribed_node->connection, oh_clock_now_ms());
            oh_listener_take(
                listener, node, subscribed_node->received + begin, subscribed_node->framed - begin);
            if (!subscribed_node->connection) { /* Its last message ended the connection. */
                return;
            }
            begin = subscribed_node->framed;
        }
    }
    if (begin && !listener->has_failed) {
        memmove(subscribed_node->received, subscribed_node->received + begin,
            subscribed_node->end - begin);
        subscribed_node->end -= begin;
        subscribed_node->framed -= begin;
    }
}

static void receive(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];

    if (subscribed_node->end == subscribed_node->capacity) {
        size_t capacity =
            subscribed_node->capacity ? subscribed_node->capacity * 2 : OH_HEARD_BYTES_MIN;
        char *larger = oh_call_resize(subscribed_node->received, capacity, 1);

        if (!larger) {
            oh_listener_lack_memory(listener, node, outcome_of(subscribed_node));
            return;
        }
        subscribed_node->received = larger;
        subscribed_node->capacity = capacity;
    }
    ssize_t count = oh_connection_receive(subscribed_node->connection,
        subscribed_node->received + subscribed_node->end,
        subscribed_node->capacity - subscribed_node->end, MSG_DONTWAIT);
    if (count > 0) {
        subscribed_node->end += (size_t)count;
        oh_meter_add(meter_of(listener, node), OH_METER_BYTES_RECEIVED, (uint64_t)count);
        frame(listener, node);
    } else if (count == 0) {
        lose(listener, node, OH_REASON_CLOSED_BY_NODE);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose(listener, node, strerror(errno));
    }
}

/* ---- Sending ---- */

static size_t left_to_send(const oh_subscribed_node *subscribed_node)
{
    return subscribed_node->request.length > subscribed_node->sent
               ? subscribed_node->request.length - subscribed_node->sent
               : 0;
}

static void send_more(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    ssize_t count = oh_connection_send(subscribed_node->connection,
        subscribed_node->request.bytes + subscribed_node->sent, left_to_send(subscribed_node));

    if (count >= 0) {
        subscribed_node->sent += (size_t)count;
        oh_meter_add(meter_of(listener, node), OH_METER_BYTES_SENT, (uint64_t)count);
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        lose(listener, node, strerror(errno));
    }
}

/*
 * Called when the connection is ready, and when something was appended. The node may send messages
 * even before the first byte is sent.
 */
static void begin_sending(oh_listener *listener, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    oh_wire *wire = &subscribed_node->connection->wire;

    if (OH_UNLIKELY(subscribed_node->connection->must_introduce) &&
        !oh_handshake_introduce(
            subscribed_node->connection, oh_pool_endpoint(connections_of(listener, node)))) {
        lose(listener, node, strerror(errno));
        return;
    }
    oh_wire_subscribe(wire);
    if (!oh_wire_wrote(wire,
            (const uint8_t *)subscribed_node->request.bytes + subscribed_node->announced,
            subscribed_node->request.length - subscribed_node->announced)) {
        refuse_bytes(listener, node);
        return;
    }
    subscribed_node->announced = subscribed_node->request.length;
    send_more(listener, node);
}

static void advance(oh_listener *listener, uint32_t node)
{
    oh_connection *connection = listener->nodes[node].connection;
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
        oh_listener_lose(listener, node);
        return;
    }
}

/*
 * Always opens a new connection, which is closed after use: an idle one may be dead. The new
 * connection does not count towards pool_size, because it may be held for days, and calls would
 * wait for it.
 */
void oh_subscribed_node_begin(oh_listener *listener, uint32_t node)
{
    uint64_t deadline_ns =
        listener->timeout_ms ? oh_clock_now_ns() + (uint64_t)listener->timeout_ms * 1000000 : 0;
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    oh_connections *connections = connections_of(listener, node);

    if (!connections) {
        oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
        return;
    }
    subscribed_node->connection = oh_pool_lease_beyond(connections, meter_of(listener, node),
        (oh_wish){.must_be_new = true}, deadline_ns, listener->failure);
    if (subscribed_node->connection) {
        advance(listener, node);
    } else {
        oh_listener_lose(listener, node);
    }
}

void oh_subscribed_node_send_rest(oh_listener *listener, uint32_t node)
{
    if (listener->nodes[node].connection->state == OH_READY) {
        begin_sending(listener, node);
    }
}

bool oh_subscribed_node_send(oh_listener *listener, uint32_t node)
{
    if (!is_own(listener, node)) {
        return false;
    }
    if (listener->nodes[node].connection) {
        oh_subscribed_node_send_rest(listener, node);
    } else {
        oh_subscribed_node_begin(listener, node);
    }
    return !listener->has_failed;
}

/* ---- Waiting ---- */

static void move(oh_listener *listener, uint32_t node, short revents)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];

    if (subscribed_node->connection->state != OH_READY) {
        advance(listener, node);
        return;
    }
    if (left_to_send(subscribed_node) && (revents & (POLLOUT | POLLERR | POLLHUP))) {
        send_more(listener, node);
    }
    if (subscribed_node->connection && (revents & (POLLIN | POLLERR | POLLHUP))) {
        receive(listener, node);
    }
}

static short events_of(const oh_subscribed_node *subscribed_node)
{
    if (subscribed_node->connection->state != OH_READY) {
        return subscribed_node->connection->events;
    }
    return (short)(POLLIN | (left_to_send(subscribed_node) ? POLLOUT : 0));
}

/* True if the node has sent bytes that poll() does not report. */
static bool is_buffered(const oh_subscribed_node *subscribed_node)
{
    const oh_connection *connection = subscribed_node->connection;

    return connection && oh_connection_has_buffered(connection);
}

/* Sets what to poll for. False if this process may not use a connection. */
static bool prepare(oh_listener *listener, bool *has_buffered)
{
    *has_buffered = false;
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        const oh_subscribed_node *subscribed_node = &listener->nodes[node];

        if (!is_own(listener, node)) {
            return false;
        }
        listener->descriptors[node].fd =
            subscribed_node->connection ? subscribed_node->connection->socket : -1;
        listener->descriptors[node].events =
            subscribed_node->connection ? events_of(subscribed_node) : 0;
        listener->descriptors[node].revents = 0;
        *has_buffered |= is_buffered(subscribed_node);
    }
    return true;
}

/* The milliseconds until `until_ns`, rounded up; -1 if `until_ns` is 0. */
static int time_left_ms(uint64_t until_ns)
{
    uint64_t now_ns = oh_clock_now_ns();

    if (!until_ns) {
        return -1;
    }
    return now_ns >= until_ns ? 0 : (int)OH_MIN((until_ns - now_ns + 999999) / 1000000, INT_MAX);
}

bool oh_subscribed_nodes_wait(oh_listener *listener, uint64_t until_ns)
{
    uint32_t count = listener->snapshot->nodes_count;

    bool has_buffered;

    if (!prepare(listener, &has_buffered)) {
        return false;
    }
    int ready =
        oh_wait_poll(listener->descriptors, count, has_buffered ? 0 : time_left_ms(until_ns));
    for (uint32_t node = 0; (ready > 0 || has_buffered) && node < count && !listener->has_failed;
        node++) {
        if (is_buffered(&listener->nodes[node])) {
            listener->descriptors[node].revents |= POLLIN;
        }
        if (listener->descriptors[node].revents && listener->nodes[node].connection) {
            move(listener, node, listener->descriptors[node].revents);
        }
    }
    oh_wait_serve_interrupts();
    return !listener->has_failed && !oh_surroundings.is_ending();
}
