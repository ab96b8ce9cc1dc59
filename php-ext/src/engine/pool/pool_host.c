/*
 * The pool of a host: the seats for connections to one node, and the queue of idle connections. All
 * workers of a server share it.
 *
 * A lease takes a connection from the queue. If the queue is empty and there is a free seat, it
 * opens a new one. Otherwise it waits, within the deadline, until another worker gives a connection
 * back. Seats name their owner, so those of a dead worker can be reclaimed.
 *
 * Implements spec/topology/segment.md, owners.
 *
 * Only clean connections are parked. So a connection that another worker has parked starts with a
 * fresh wire guard.
 *
 * Parking and taking have two steps each, in the order of spec/topology/segment.md. If a process
 * dies between them, another one reclaims the seat. A seat never has two owners.
 */
#include "engine/pool/pool_internal.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"

#include "engine/shared/queue.h"
#include "engine/shared/segment.h"

/* How often a waiting caller checks for a seat that a close has freed. */
#define OH_RETRY_MS 20

/* ---- Taking ---- */

static bool is_fresh(const oh_queue_note *note, const oh_connection *connection, uint64_t now)
{
    return now - note->used_ms < OH_CONNECTION_IDLE_MS_MAX && oh_connection_is_sound(connection);
}

static oh_connection *make_connection(const oh_queue_note *note, int descriptor)
{
    oh_connection *connection = oh_memory_zeroed(1, sizeof *connection);

    if (!connection) {
        return NULL;
    }
    connection->socket = descriptor;
    connection->state = OH_READY;
    connection->seat = note->seat;
    connection->timeout_ms = note->timeout_ms;
    connection->born_ms = note->born_ms;
    connection->used_ms = note->used_ms;
    connection->is_unproven = note->is_unproven;
    connection->named = note->named;
    connection->own_database = note->own_database;
    connection->database = note->database;
    oh_wire_reset(&connection->wire);
    return connection;
}

oh_connection *oh_host_take(const oh_host_node *node)
{
    oh_queue_note note;
    int descriptor;

    while ((descriptor = oh_queue_pull(node->number, &note)) >= 0) {
        uint64_t now = oh_clock_now_ms();

        if (memcmp(note.identity, node->identity, sizeof note.identity) != 0 ||
            !oh_store_take(node->shared, note.seat, (uint32_t)getpid(), now)) {
            close(descriptor);
            continue;
        }
        oh_connection *connection = make_connection(&note, descriptor);
        if (!connection) {
            close(descriptor);
            oh_host_free(node, note.seat);
            return NULL;
        }
        if (is_fresh(&note, connection, now)) {
            return connection;
        }
        oh_host_free(node, note.seat);
        oh_connection_close(connection);
    }
    return NULL;
}

/* ---- Seats ---- */

uint32_t oh_host_claim(const oh_host_node *node)
{
    uint32_t pid = (uint32_t)getpid(),
             seat = oh_store_claim(node->shared, node->size_max, pid, oh_clock_now_ms());

    if (OH_UNLIKELY(seat == OH_STORE_NONE) && !oh_queue_await(node->number, 0) &&
        oh_store_reclaim(node->shared, oh_worker_is_alive, true, oh_clock_now_ms()) > 0) {
        seat = oh_store_claim(node->shared, node->size_max, pid, oh_clock_now_ms());
    }
    return seat;
}

bool oh_host_await(const oh_host_node *node, uint64_t deadline_ns)
{
    uint64_t now_ns = oh_clock_now_ns();
    int wait_ms = OH_RETRY_MS;

    if (deadline_ns && now_ns >= deadline_ns) {
        return false;
    }
    if (deadline_ns && (deadline_ns - now_ns) / 1000000 < OH_RETRY_MS) {
        wait_ms = (int)((deadline_ns - now_ns + 999999) / 1000000);
    }
    oh_queue_await(node->number, wait_ms);
    return true;
}

void oh_host_free(const oh_host_node *node, uint32_t seat)
{
    oh_store_free(node->shared, seat, (uint32_t)getpid());
}

/*
 * A quarter of the connections, and at least one, is never kept. So a worker that sleeps with its
 * connections does not starve the others.
 */
bool oh_host_is_roomy(const oh_host_node *node)
{
    return oh_store_usage_of(node->shared, node->size_max).leased * 4 <= node->size_max * 3;
}

/* ---- Parking ---- */

void oh_host_park(const oh_host_node *node, oh_connection *connection)
{
    oh_queue_note note = {.seat = connection->seat,
        .timeout_ms = connection->timeout_ms,
        .born_ms = connection->born_ms,
        .used_ms = connection->used_ms,
        .is_unproven = connection->is_unproven,
        .own_database = connection->own_database,
        .database = connection->database,
        .named = connection->named};
    uint32_t pid = (uint32_t)getpid();
    uint64_t now_ms = oh_clock_now_ms();

    memcpy(note.identity, node->identity, sizeof note.identity);
    if (oh_store_is_held(node->shared, node->tenure) &&
        oh_store_park(node->shared, connection->seat, pid, now_ms) &&
        !oh_queue_push(node->number, connection->socket, &note)) {
        bool is_for_descriptors = errno == ETOOMANYREFS;

        if (oh_store_take(node->shared, connection->seat, pid, now_ms)) {
            oh_host_free(node, connection->seat);
        }
        if (is_for_descriptors) {
            oh_host_log(OH_STORE_NO_PUSH);
        }
    }
    oh_connection_close(connection); /* The queue has a copy of the socket. */
}
