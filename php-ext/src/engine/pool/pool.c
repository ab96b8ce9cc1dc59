/*
 * The connections of a node in this process: those in use, and a list of idle ones. The one used
 * last is on top, because the node is least likely to have closed it. A worker of a server keeps
 * idle connections at most until the request ends, and only while the host has plenty. Otherwise it
 * puts them into the queue of the host (pool_host), from which any worker takes them. A single
 * program, or one without shared memory, keeps them.
 *
 * Before a connection is used again, a peek checks that it is still connected and silent. An
 * unexpected reply may have come at any moment since the last one was read.
 *
 * After a fork parent and child hold the same sockets. Each connection records the generation of
 * forks in which it was made. A child detects connections of another generation and closes its
 * copies without sending anything. The parent's copies are not affected.
 */
#include <pthread.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/generated/timings.h"

#include "engine/pool/pool_internal.h"
#include "engine/shared/segment.h"

/* How many connections of the host a caller looks at, to find one in its database. */
#define OH_DATABASE_TRIES 4

static uint32_t fork_generation;
/* Connections that are leased now. */
static OH_PER_THREAD uint32_t leased_count;
static OH_PER_THREAD bool has_idle; /* There may be idle connections in this process. */

static void notice_fork(void)
{
    fork_generation++;
}

bool oh_pool_startup(void)
{
    static bool is_noticed;

    if (!is_noticed) {
        is_noticed = pthread_atfork(NULL, NULL, notice_fork) == 0;
    }
    return is_noticed;
}

/* ---- The list of a node ---- */

static void link_to(oh_connection **list, oh_connection *connection)
{
    connection->previous = NULL;
    connection->next = *list;
    if (*list) {
        (*list)->previous = connection;
    }
    *list = connection;
}

static void unlink_from(oh_connection **list, oh_connection *connection)
{
    if (connection->previous) {
        connection->previous->next = connection->next;
    } else {
        *list = connection->next;
    }
    if (connection->next) {
        connection->next->previous = connection->previous;
    }
}

static void mark_leased(oh_connections *connections, oh_connection *connection)
{
    connection->is_leased = true;
    link_to(&connections->leased, connection);
    connections->leased_count += !connection->is_beyond;
    leased_count++;
}

static void mark_returned(oh_connection *connection)
{
    connection->is_leased = false;
    unlink_from(&connection->connections->leased, connection);
    connection->connections->leased_count -= !connection->is_beyond;
    leased_count--;
}

/*
 * Closes the connection. A child that closes its copy does not free the seat, which is its
 * parent's.
 */
static void discard(oh_connections *connections, oh_connection *connection)
{
    if (connections->is_of_host) {
        oh_host_free(&connections->host, connection->seat);
    }
    oh_connection_close(connection);
}

/*
 * Gives the idle connections of this process to the host. If they cannot be shared, they are
 * closed.
 */
static void park_all(oh_connections *connections)
{
    while (connections->idle) {
        oh_connection *connection = connections->idle;

        unlink_from(&connections->idle, connection);
        if (connections->is_of_host && connection->generation == fork_generation) {
            oh_host_park(&connections->host, connection);
        } else {
            oh_connection_close(connection);
        }
    }
}

/* ---- Ejection ---- */

uint64_t oh_pool_out_until(oh_connections *connections, uint64_t now_ms)
{
    oh_pool_join(connections, 0);
    return oh_node_health_out_until(&connections->health, now_ms);
}

/* ---- Lease ---- */

/*
 * The instant from which a connection is too old. The jitter is computed from its birth and its
 * seat, so all workers of the host agree on it.
 */
static uint64_t expiry_of(const oh_connections *connections, const oh_connection *connection)
{
    uint64_t age_ms = connections->age_ms_max;
    uint64_t mixed = (connection->born_ms + connection->seat) * UINT64_C(0x9e3779b97f4a7c15);

    return age_ms ? connection->born_ms + age_ms - (mixed >> 32) % (age_ms / 4 + 1) : UINT64_MAX;
}

/*
 * True if it may be used again: it is not too old, the node's limit for idle connections has not
 * passed, and no connection as old as this one was lost.
 */
static bool is_fresh(
    const oh_connections *connections, const oh_connection *connection, uint64_t now_ms)
{
    return now_ms < connection->expires_ms &&
           now_ms < connection->used_ms + OH_CONNECTION_IDLE_MS_MAX &&
           oh_node_health_allows(&connections->health, connection->used_ms, now_ms);
}

static oh_connection *take_oldest_of_host(oh_connections *connections, uint64_t now_ms)
{
    oh_connection *connection;

    while ((connection = oh_host_take(&connections->host))) {
        connection->connections = connections;
        connection->generation = fork_generation;
        connection->expires_ms = expiry_of(connections, connection);
        if (OH_LIKELY(is_fresh(connections, connection, now_ms))) {
            return connection;
        }
        discard(connections, connection);
    }
    return NULL;
}

/*
 * Takes the oldest connection of the queue. If that is in another database, it tries a few more,
 * because that is cheaper than to select the database. Connections that are not taken go back.
 */
static oh_connection *take_of_host(
    oh_connections *connections, oh_database database, uint64_t now_ms)
{
    oh_connection *connection, *other = NULL;

    for (uint32_t tries = 0; tries < OH_DATABASE_TRIES; tries++) {
        connection = take_oldest_of_host(connections, now_ms);
        if (!connection) {
            break;
        }
        if (other) {
            oh_host_park(&connections->host, other);
            other = NULL;
        }
        if (OH_LIKELY(!oh_connection_is_elsewhere(connection, database))) {
            return connection;
        }
        other = connection;
    }
    return other;
}

/* Of the connections in the database, or of all if `is_any`, the one that was used last. */
static oh_connection *find_idle(
    const oh_connections *connections, oh_database database, bool is_any)
{
    oh_connection *connection = connections->idle;

    while (connection && !is_any && oh_connection_is_elsewhere(connection, database)) {
        connection = connection->next;
    }
    return connection;
}

static oh_connection *take_of_process(
    oh_connections *connections, oh_database database, bool is_any, uint64_t now_ms)
{
    oh_connection *connection;

    while ((connection = find_idle(connections, database, is_any))) {
        unlink_from(&connections->idle, connection);
        if (OH_LIKELY(connection->generation == fork_generation) &&
            OH_LIKELY(is_fresh(connections, connection, now_ms)) &&
            oh_connection_is_sound(connection)) {
            return connection;
        }
        discard(connections, connection);
    }
    return NULL;
}

/* Like take_idle, for the case that the connection used last is not what the caller wants. */
static OH_NOINLINE oh_connection *search_idle(
    oh_connections *connections, oh_database database, uint64_t now_ms)
{
    oh_connection *connection = take_of_process(connections, database, false, now_ms);

    if (!connection && connections->is_of_host) {
        connection = take_of_host(connections, database, now_ms);
    }
    return OH_LIKELY(connection != NULL) || !connections->idle
               ? connection
               : take_of_process(connections, database, true, now_ms);
}

static oh_connection *take_idle(oh_connections *connections, oh_database database, uint64_t now_ms)
{
    oh_connection *connection = connections->idle;

    if (OH_LIKELY(connection != NULL) &&
        OH_LIKELY(!oh_connection_is_elsewhere(connection, database)) &&
        OH_LIKELY(connection->generation == fork_generation) &&
        OH_LIKELY(is_fresh(connections, connection, now_ms)) &&
        oh_connection_is_sound(connection)) {
        unlink_from(&connections->idle, connection);
        return connection;
    }
    return search_idle(connections, database, now_ms);
}

/*
 * Finds a seat for a new connection. If all seats are taken and the connection must be new, closes
 * an idle connection and takes its seat. (If it need not be new, the caller takes a connection that
 * has just been settled.)
 */
static bool find_seat(oh_connections *connections, bool must_be_new, uint32_t *seat)
{
    *seat = OH_STORE_NONE;
    if (!connections->is_of_host) {
        return connections->leased_count < connections->size_max;
    }
    *seat = oh_host_claim(&connections->host);
    if (*seat == OH_STORE_NONE && must_be_new) {
        oh_connection *idle = oh_host_take(&connections->host);

        if (idle) {
            *seat = idle->seat;
            oh_connection_close(idle);
        }
    }
    return *seat != OH_STORE_NONE;
}

static oh_connection *open_new(oh_connections *connections, oh_meter *meter, uint32_t seat,
    uint64_t health, uint64_t now_ms, oh_failure *failure)
{
    bool is_of_node;

    oh_meter_count(meter, OH_METER_CONNECTS);
    oh_connection *connection = oh_connection_open(&connections->endpoint, failure, &is_of_node);

    if (!connection) {
        if (is_of_node &&
            oh_node_health_fail(&connections->health, OH_HEALTH_REFUSED, health, failure->what)) {
            oh_node_health_condemn(&connections->health, now_ms);
        }
        if (connections->is_of_host) {
            oh_host_free(&connections->host, seat);
        }
        return NULL;
    }
    connection->connections = connections;
    connection->generation = fork_generation;
    connection->seat = seat;
    connection->born_ms = connection->used_ms = oh_clock_now_ms();
    connection->expires_ms = expiry_of(connections, connection);
    return connection;
}

/*
 * Goes on with the connection that an earlier call had no time to open, if there is one. If the
 * node has closed it in the meantime, that is not a failure of this call.
 */
static oh_connection *open_on(oh_connections *connections, uint32_t seat, uint64_t now_ms)
{
    oh_connection *connection = connections->opening;

    connections->opening = NULL;
    if (connection && connection->generation == fork_generation &&
        is_fresh(connections, connection, now_ms) && oh_connection_is_open(connection)) {
        uint64_t pause_ms = now_ms > connection->used_ms ? now_ms - connection->used_ms : 0;

        connection->seat = seat;
        /* The time during which no call waited does not count as part of the step. */
        connection->asked_ms = OH_MIN(connection->asked_ms + pause_ms, now_ms);
        return connection;
    }
    if (connection) {
        oh_connection_close(connection);
    }
    return NULL;
}

/*
 * Waits for a connection of the host. False, with the failure, if none came in time, or if the
 * connections are those of this process alone.
 *
 * Before a process waits, it parks its idle connections, so that it keeps none that another worker
 * waits for. For the same reason, exchange sets lease in the order of the nodes (scatter).
 */
static bool await(oh_connections *connections, uint64_t deadline_ns, oh_failure *failure)
{
    unsigned count = (unsigned)connections->size_max;

    if (!connections->is_of_host) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_POOL_EXHAUSTED_INSIDE, count);
        return false;
    }
    for (oh_connections *each = oh_pool_nodes; each; each = each->next) {
        if (each->is_of_host) {
            park_all(each);
        }
    }
    if (!oh_host_await(&connections->host, deadline_ns)) {
        oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_POOL_EXHAUSTED, count, "host");
        return false;
    }
    return true;
}

static inline void hand_out(oh_connections *connections, oh_connection *connection, uint64_t health,
    uint64_t now_ms, bool has_waited)
{
    connection->health = health;
    connection->leased_ms = now_ms;
    connection->is_reported = connection->has_stepped = false;
    connection->must_introduce = oh_connection_has_old_name(connection, &connections->endpoint);
    connection->has_waited = has_waited;
    mark_leased(connections, connection);
}

oh_connection *oh_pool_lease(oh_connections *connections, oh_meter *meter, oh_wish wish,
    oh_patience *patience, uint64_t now_ms, oh_failure *failure)
{
    oh_connection *connection;
    uint32_t seat;
    uint64_t health = 0, deadline_ns = patience->deadline_ns;
    bool has_waited = false;

    now_ms = oh_pool_join(connections, now_ms);
    if (OH_UNLIKELY(!oh_node_health_ask(&connections->health, deadline_ns, &health, failure))) {
        return NULL;
    }
    for (;;) {
        connection = wish.must_be_new ? NULL : take_idle(connections, wish.database, now_ms);
        if (connection) {
            break;
        }
        if (find_seat(connections, wish.must_be_new, &seat)) {
            connection = OH_UNLIKELY(connections->opening != NULL)
                             ? open_on(connections, seat, now_ms)
                             : NULL;
            if (!connection) {
                connection = open_new(connections, meter, seat, health, now_ms, failure);
            }
            if (!connection) {
                return NULL;
            }
            break;
        }
        if (!has_waited) {
            oh_meter_count(meter, OH_METER_WAITS);
            has_waited = true;
        }
        if ((!patience->advances(patience, connections) &&
                !await(connections, deadline_ns, failure)) ||
            patience->gives_up(patience)) {
            return NULL;
        }
        now_ms = oh_pool_join(connections, 0); /* A waiting caller keeps the entry of its node. */
        if (!oh_node_health_begin_late(&connections->health, &health) &&
            !oh_node_health_ask(&connections->health, deadline_ns, &health, failure)) {
            return NULL; /* Another caller has found the node dead meanwhile. */
        }
    }
    if (OH_LIKELY(connection->state == OH_READY)) {
        oh_meter_count(meter, OH_METER_LEASES);
    }
    hand_out(connections, connection, health, now_ms, has_waited);
    return connection;
}

bool oh_pool_rests(oh_connections *connections, oh_failure *failure)
{
    (void)oh_pool_join(connections, 0);
    return oh_node_health_rests(&connections->health, failure);
}

/* True if enough connections are left for calls. */
static bool is_roomy(const oh_connections *connections)
{
    return connections->size_max > 2 &&
           (connections->is_of_host ? oh_host_is_roomy(&connections->host)
                                    : connections->leased_count < connections->size_max / 2);
}

oh_connection *oh_pool_lease_beyond(oh_connections *connections, oh_meter *meter, oh_wish wish,
    uint64_t deadline_ns, oh_failure *failure)
{
    uint64_t health = 0;

    uint64_t now_ms = oh_pool_join(connections, 0);
    if (!oh_node_health_ask(&connections->health, deadline_ns, &health, failure)) {
        return NULL;
    }
    oh_connection *connection = !wish.must_be_new && is_roomy(connections)
                                    ? take_idle(connections, wish.database, now_ms)
                                    : NULL;
    bool is_beyond = !connection;
    if (is_beyond) {
        connection = open_new(connections, meter, OH_STORE_NONE, health, now_ms, failure);
    } else {
        oh_meter_count(meter, OH_METER_LEASES);
    }
    if (connection) {
        connection->is_beyond = is_beyond;
        hand_out(connections, connection, health, now_ms, false);
    }
    return connection;
}

/* ---- Settle, discard ---- */

void oh_pool_settle(oh_connection *connection)
{
    oh_connections *connections = connection->connections;

    if (!oh_wire_is_clean(&connection->wire) || connection->state != OH_READY) {
        oh_pool_discard(connection);
        return;
    }
    mark_returned(connection);
    if (OH_UNLIKELY(connection->is_beyond || connection->is_spent)) {
        discard(connections, connection);
        return;
    }
    if (connections->is_of_host && !oh_host_is_roomy(&connections->host)) {
        oh_host_park(&connections->host, connection);
        return;
    }
    link_to(&connections->idle, connection);
    has_idle = true;
}

void oh_pool_put_off(oh_connection *connection)
{
    oh_connections *connections = connection->connections;

    /* No call that began before this moment condemns it. */
    connection->used_ms = oh_clock_now_ms();
    if (connection->state == OH_READY) {
        oh_pool_settle(connection);
        return;
    }
    if (connections->opening || !connection->has_stepped || connection->is_beyond) {
        oh_pool_discard(connection);
        return;
    }
    mark_returned(connection);
    if (connections->is_of_host) {
        oh_host_free(&connections->host, connection->seat);
    }
    connection->seat = OH_STORE_NONE;
    connections->opening = connection;
    has_idle = true;
}

void oh_pool_note_slow(const oh_connection *connection)
{
    connection->connections->is_slow = true;
}

bool oh_pool_is_slow(const oh_connection *connection)
{
    return connection->connections->is_slow;
}

void oh_pool_discard(oh_connection *connection)
{
    oh_connection_blame_address(connection, &connection->connections->endpoint);
    mark_returned(connection);
    discard(connection->connections, connection);
}

static void discard_all(oh_connections *connections)
{
    while (connections->leased) {
        oh_pool_discard(connections->leased);
    }
}

bool oh_pool_is_own(const oh_connection *connection)
{
    return connection->generation == fork_generation;
}

/* For the end of a request: if the connection is ready by now, any worker may use it. */
static void finish_opening(oh_connections *connections)
{
    oh_failure ignored;

    if (!connections->opening) {
        return;
    }
    uint64_t now_ms = oh_pool_join(connections, 0); /* Its entry may be another node's by now. */
    oh_connection *connection = open_on(connections, OH_STORE_NONE, now_ms);
    if (!connection) {
        return;
    }
    oh_progress progress = oh_connection_advance(connection, &connections->endpoint, &ignored);
    if (progress == OH_PROGRESS_WAITS) {
        connection->used_ms = now_ms;
        connections->opening = connection;
    } else if (progress == OH_PROGRESS_READY && connections->is_of_host &&
               (connection->seat = oh_host_claim(&connections->host)) != OH_STORE_NONE) {
        oh_host_park(&connections->host, connection);
    } else {
        oh_connection_close(connection);
    }
}

void oh_pool_sweep(void)
{
    oh_host_tidy();
    if (OH_LIKELY(leased_count == 0 && !has_idle)) {
        return;
    }
    has_idle = false;
    for (oh_connections *each = oh_pool_nodes; each; each = each->next) {
        discard_all(each);
        if (each->is_of_host) {
            finish_opening(each);
            park_all(each);
        }
    }
}

/* ---- Unused nodes ---- */

static void close_all(oh_connections *connections)
{
    /* At the end of the program there is no segment. */
    connections->is_of_host = connections->is_of_host && oh_segment_store();
    discard_all(connections);
    park_all(connections);
    if (connections->opening) {
        oh_connection_close(connections->opening);
        connections->opening = NULL;
    }
}

void oh_pool_release(oh_connections *connections)
{
    if (--connections->references == 0) {
        oh_host_leave(&connections->host);
        close_all(connections);
        oh_pool_forget(connections);
    }
}

void oh_pool_end(void)
{
    while (oh_pool_nodes) {
        close_all(oh_pool_nodes);
        oh_pool_forget(oh_pool_nodes);
    }
}
