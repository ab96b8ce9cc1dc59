/*
 * Opens sockets and runs the handshake. No step blocks; the caller polls in between and watches the
 * deadline.
 *
 * A host name may have several addresses: race tries them.
 * As in nutcracker, names are resolved when a connection is opened and not before. Numeric
 * addresses need no look-up.
 */
#include "engine/pool/connection.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/memory.h"
#include "core/generated/timings.h"
#include "core/hash/hash.h"
#include "core/topology/server_pool.h"

#include "engine/pool/handshake.h"

/* ---- Addresses ---- */

static bool resolve_path(oh_connection *connection, const char *path)
{
    struct sockaddr_un *address = (struct sockaddr_un *)&connection->addresses[0].bytes;
    size_t length = strlen(path);

    if (length >= sizeof address->sun_path) {
        return false;
    }
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, length + 1);
    connection->addresses[0].length = sizeof *address;
    connection->addresses_count = 1;
    return true;
}

/* Takes a numeric address. False if the host is a name. An IPv6 address may end with a scope. */
static bool take_number(oh_connection *connection, const oh_endpoint *endpoint)
{
    struct addrinfo hints = {
        .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    char port[8];

    snprintf(port, sizeof port, "%u", (unsigned)endpoint->port);
    if (getaddrinfo(endpoint->host, port, &hints, &found) != 0) {
        return false;
    }
    memcpy(&connection->addresses[0].bytes, found->ai_addr, found->ai_addrlen);
    connection->addresses[0].length = found->ai_addrlen;
    connection->addresses_count = 1;
    freeaddrinfo(found);
    return true;
}

/* True for errors that a node cannot cause. */
static bool is_own_error(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
           error == EADDRNOTAVAIL;
}

static void refuse_name(const oh_connection *connection, oh_failure *failure, const char *reason)
{
    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NAME_NOT_RESOLVED, reason);
    failure->says_nothing = is_own_error(connection->last_errno);
}

/* Gets the addresses, or the look-up to wait for. */
static bool resolve(oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    connection->addresses = oh_memory_zeroed(OH_ADDRESSES_MAX, sizeof *connection->addresses);
    if (!connection->addresses) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return false;
    }
    if (endpoint->path) {
        if (!resolve_path(connection, endpoint->path)) {
            oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_PATH_TOO_LONG);
            return false;
        }
        return true;
    }
    if (take_number(connection, endpoint)) {
        return true;
    }
    connection->addresses_count =
        oh_resolver_recall(endpoint->host, endpoint->port, connection->addresses);
    if (connection->addresses_count == 0) {
        connection->lookup = oh_resolver_ask(endpoint->host);
        if (!connection->lookup) {
            connection->last_errno = errno;
            if (errno == ENOMEM) {
                oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
            } else {
                refuse_name(connection, failure, strerror(errno));
            }
            return false;
        }
    }
    return true;
}

/* ---- Connecting ---- */

static bool begin_connecting(oh_connection *connection, const oh_endpoint *endpoint)
{
    uint8_t count = connection->addresses_count;

    if (count == 1) {
        connection->socket = oh_race_connect(&connection->addresses[0]);
        connection->events = POLLOUT;
    } else {
        connection->race = oh_race_begin(connection->addresses, count, endpoint->timeout_ms);
        connection->socket = connection->race ? oh_race_descriptor(connection->race) : -1;
        connection->events = POLLIN;
    }
    if (connection->socket < 0) {
        connection->last_errno = errno;
    }
    return connection->socket >= 0;
}

/* The node has answered, so the next step begins. */
static void end_step(oh_connection *connection)
{
    oh_connection_note_step(connection);
    connection->asked_ms += connection->step_ms;
}

static oh_progress refuse(const oh_connection *connection, oh_failure *failure)
{
    const char *reason = strerror(connection->last_errno ? connection->last_errno : EADDRNOTAVAIL);

    oh_failure_set(failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_CONNECTED, reason);
    failure->says_nothing = is_own_error(connection->last_errno);
    return OH_PROGRESS_BROKEN;
}

/* From now on the socket blocks: a blocking receive saves the poll before it. */
static bool become_connected(oh_connection *connection, const oh_endpoint *endpoint)
{
    int flags = fcntl(connection->socket, F_GETFL);

    if (flags < 0 || fcntl(connection->socket, F_SETFL, flags & ~O_NONBLOCK) < 0) {
        connection->last_errno = errno;
        return false;
    }
    oh_memory_release(connection->addresses);
    connection->addresses = NULL;
    connection->state = endpoint->tls                ? OH_ENCRYPTING
                        : endpoint->handshake_length ? OH_HANDSHAKE
                                                     : OH_READY;
    connection->is_unproven = !endpoint->handshake_length;
    end_step(connection);
    return true;
}

static void leave_race(oh_connection *connection)
{
    if (connection->race) {
        oh_race_end(connection->race);
        connection->race = NULL;
        connection->socket = -1; /* It was the descriptor of the race. */
    }
}

/* Like oh_race_advance, for one address. */
static oh_progress await_connected(oh_connection *connection)
{
    struct pollfd descriptor = {.fd = connection->socket, .events = POLLOUT};
    socklen_t length = sizeof connection->last_errno;

    if (poll(&descriptor, 1, 0) <= 0) {
        return OH_PROGRESS_WAITS;
    }
    if (getsockopt(connection->socket, SOL_SOCKET, SO_ERROR, &connection->last_errno, &length) <
        0) {
        connection->last_errno = errno;
    }
    return connection->last_errno ? OH_PROGRESS_BROKEN : OH_PROGRESS_READY;
}

static oh_progress await_winner(oh_connection *connection, const oh_endpoint *endpoint)
{
    int won = -1;
    uint8_t winner = 0;
    oh_progress progress =
        oh_race_advance(connection->race, &won, &winner, &connection->last_errno);

    if (progress != OH_PROGRESS_WAITS) {
        leave_race(connection);
        connection->socket = won;
    }
    if (progress == OH_PROGRESS_READY && winner > 0) {
        oh_resolver_choose(endpoint->host, &connection->addresses[winner], true);
    }
    return progress;
}

static oh_progress go_on_connecting(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    oh_progress progress =
        connection->race ? await_winner(connection, endpoint) : await_connected(connection);

    if (progress == OH_PROGRESS_WAITS ||
        (progress == OH_PROGRESS_READY && become_connected(connection, endpoint))) {
        return progress;
    }
    if (connection->socket >= 0) {
        close(connection->socket);
        connection->socket = -1;
    }
    return refuse(connection, failure);
}

/* ---- Encrypting ---- */

static oh_progress go_on_encrypting(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    if (!connection->channel) {
        connection->channel = oh_tls_channel_open(endpoint->tls, connection->socket, failure);
        if (!connection->channel) {
            connection->is_turned_away = true; /* This process has failed, not the node. */
            return OH_PROGRESS_BROKEN;
        }
    }
    oh_progress progress =
        oh_tls_channel_advance(connection->channel, &connection->events, failure);

    if (progress == OH_PROGRESS_READY) {
        connection->state = endpoint->handshake_length ? OH_HANDSHAKE : OH_READY;
    }
    if (oh_tls_channel_has_received(connection->channel)) {
        end_step(connection);
    }
    connection->is_turned_away =
        progress == OH_PROGRESS_BROKEN && failure->kind == OH_ERROR_CONFIG_INVALID;
    return progress;
}

/* ---- Resolving ---- */

static void leave_lookup(oh_connection *connection)
{
    if (connection->lookup) {
        oh_resolver_leave(connection->lookup);
        connection->lookup = NULL;
        connection->socket = -1; /* It was the resolver's descriptor. */
    }
}

static oh_progress go_on_resolving(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    const char *reason;

    if (!oh_resolver_is_done(connection->lookup)) {
        connection->socket = oh_resolver_descriptor();
        connection->events = POLLIN;
        return OH_PROGRESS_WAITS;
    }
    connection->addresses_count = oh_resolver_result(connection->lookup, endpoint->port,
        connection->addresses, &reason, &connection->last_errno);
    leave_lookup(connection);
    if (connection->addresses_count == 0) {
        refuse_name(connection, failure, reason);
        return OH_PROGRESS_BROKEN;
    }
    connection->state = OH_CONNECTING;
    return begin_connecting(connection, endpoint) ? OH_PROGRESS_WAITS : refuse(connection, failure);
}

/* ---- What the pool calls ---- */

/* Copies a text. NULL stays NULL. */
static bool copy(char **copied, oh_text text)
{
    *copied = text.bytes ? oh_memory_copy(text.bytes, text.length) : NULL;
    return !text.bytes || *copied;
}

/*
 * Computes one number from the identity of the server pool and the name. If two names get the same
 * number, connections keep the older name for longer.
 */
static uint64_t name_of(
    const oh_server_pool *pool, const uint8_t identity[OH_STORE_IDENTITY_BYTES], const char *name)
{
    uint32_t owner = oh_hash_fnv1a_32(identity, OH_STORE_IDENTITY_BYTES);
    uint32_t own = oh_hash_fnv1a_32((const uint8_t *)name, strlen(name));

    return pool->is_ssdb ? 0 : (uint64_t)owner << 32 | own | 1;
}

bool oh_endpoint_set(oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server,
    const uint8_t identity[OH_STORE_IDENTITY_BYTES])
{
    char name[OH_CONNECTION_NAME_BYTES];

    *endpoint = (oh_endpoint){
        .port = server->port, .timeout_ms = pool->timeout_ms, .is_ssdb = pool->is_ssdb};
    oh_connection_name_write(pool, name);
    endpoint->name = name_of(pool, identity, name);
    if (pool->tls.is_on && server->host.bytes) {
        endpoint->tls = oh_tls_peer_open(pool, server->host);
    }
    if ((endpoint->tls || !pool->tls.is_on || !server->host.bytes) &&
        copy(&endpoint->host, server->host) && copy(&endpoint->path, server->path) &&
        oh_handshake_set(endpoint, pool, server, name)) {
        return true;
    }
    oh_endpoint_clear(endpoint);
    return false;
}

void oh_endpoint_swap_names(oh_endpoint *a, oh_endpoint *b)
{
    oh_endpoint before = *a;

    a->handshake = b->handshake;
    a->introduction_length = b->introduction_length;
    a->name = b->name;
    b->handshake = before.handshake;
    b->introduction_length = before.introduction_length;
    b->name = before.name;
}

void oh_endpoint_clear(oh_endpoint *endpoint)
{
    oh_tls_peer_close(endpoint->tls);
    oh_memory_release(endpoint->host);
    oh_memory_release(endpoint->path);
    oh_handshake_clear(endpoint);
}

oh_connection *oh_connection_open(
    const oh_endpoint *endpoint, oh_failure *failure, bool *is_of_node)
{
    oh_connection *connection = oh_memory_zeroed(1, sizeof *connection);

    *is_of_node = false;
    if (!connection) {
        oh_failure_set_no_memory(failure, OH_OUTCOME_NOT_SENT);
        return NULL;
    }
    connection->socket = -1;
    connection->timeout_ms = UINT32_MAX;
    connection->asked_ms = oh_clock_now_ms();
    oh_wire_reset(&connection->wire);
    if (OH_UNLIKELY(endpoint->tls != NULL) && !oh_tls_peer_prepare(endpoint->tls, failure)) {
        oh_connection_close(connection);
        return NULL;
    }
    if (resolve(connection, endpoint, failure)) {
        connection->state = connection->lookup ? OH_RESOLVING : OH_CONNECTING;
        if (connection->lookup || begin_connecting(connection, endpoint)) {
            return connection;
        }
        *is_of_node = !is_own_error(connection->last_errno);
        refuse(connection, failure);
    }
    oh_connection_close(connection);
    return NULL;
}

bool oh_connection_has_own_error(const oh_connection *connection)
{
    return connection->socket < 0 && is_own_error(connection->last_errno);
}

oh_progress oh_connection_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure)
{
    if (connection->state == OH_RESOLVING) {
        oh_progress progress = go_on_resolving(connection, endpoint, failure);

        if (progress == OH_PROGRESS_BROKEN || connection->state == OH_RESOLVING) {
            return progress;
        }
    }
    if (connection->state == OH_CONNECTING) {
        oh_progress progress = go_on_connecting(connection, endpoint, failure);

        if (progress != OH_PROGRESS_READY) {
            return progress;
        }
    }
    if (connection->state == OH_ENCRYPTING) {
        oh_progress progress = go_on_encrypting(connection, endpoint, failure);

        if (progress != OH_PROGRESS_READY) {
            return progress;
        }
    }
    return connection->state == OH_HANDSHAKE ? oh_handshake_advance(connection, endpoint, failure)
                                             : OH_PROGRESS_READY;
}

void oh_connection_set_timeout(oh_connection *connection, uint32_t timeout_ms)
{
    /* After half of the timeout a read may go to another node. */
    uint32_t check_ms = OH_LEAVING_CHECK_MS, half_ms = timeout_ms / 2 + 1;
    uint32_t limit_ms = timeout_ms ? OH_MIN(half_ms, check_ms) : check_ms;
    struct timeval limit = {.tv_usec = limit_ms * 1000L};

    if (setsockopt(connection->socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0 &&
        setsockopt(connection->socket, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0) {
        connection->timeout_ms = timeout_ms;
    }
}

void oh_connection_keep_alive(const oh_connection *connection)
{
    int on = 1, idle_s = 30, interval_s = 10, probes = 3;

    setsockopt(connection->socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(connection->socket, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    setsockopt(connection->socket, IPPROTO_TCP, TCP_KEEPINTVL, &interval_s, sizeof interval_s);
    setsockopt(connection->socket, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

bool oh_connection_has_more(const oh_connection *connection)
{
    char byte;

    return connection->channel ? oh_tls_channel_has_more(connection->channel)
                               : recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool oh_connection_is_open(const oh_connection *connection)
{
    struct pollfd descriptor = {.fd = connection->socket, .events = POLLRDHUP};

    return poll(&descriptor, 1, 0) == 0;
}

bool oh_connection_is_sound(const oh_connection *connection)
{
    char byte;

    if (OH_UNLIKELY(connection->channel != NULL)) {
        return oh_tls_channel_is_silent(connection->channel);
    }
    /* An unexpected byte is as bad as the end of the stream: it would be read as the next reply. */
    return recv(connection->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
           (errno == EAGAIN || errno == EWOULDBLOCK);
}

void oh_connection_blame_address(const oh_connection *connection, const oh_endpoint *endpoint)
{
    oh_address address = {.length = sizeof address.bytes};
    bool is_silent = connection->wire.answered == 0 && connection->handshake_received == 0;

    if (connection->addresses_count > 1 && !connection->addresses && is_silent &&
        connection->socket >= 0 &&
        getpeername(connection->socket, (struct sockaddr *)&address.bytes, &address.length) == 0) {
        oh_resolver_choose(endpoint->host, &address, false);
    }
}

void oh_connection_close(oh_connection *connection)
{
    leave_lookup(connection);
    leave_race(connection);
    if (connection->channel) {
        oh_tls_channel_close(connection->channel);
    }
    if (connection->socket >= 0) {
        close(connection->socket);
    }
    oh_memory_release(connection->addresses);
    oh_memory_release(connection);
}
