/*
 * Connection: one socket to one node, from the first SYN to the close, and its state for its owner.
 *
 * It is opened without blocking. The caller advances it whenever poll says so, until it is ready
 * for commands: connected and authenticated (AUTH, SELECT), with the node's answers checked. It has
 * a wire guard. Its memory belongs to the process, not to a request, and the pool keeps it.
 *
 *     open ─► resolving ─► connecting ─► encrypting ─► handshake ─► ready ─► ... ─► closed
 *                 │            │ next address │           │
 *                 └────────────┴──────────────┴───────────┴─► broken: the failure says why,
 *                                                             nothing was sent
 *
 * Implements the handshake rules of spec/config.
 */
#ifndef OH_ENGINE_CONNECTION_H
#define OH_ENGINE_CONNECTION_H

#include <sys/socket.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/health/meter.h"
#include "core/store/store.h"
#include "core/topology/server_pool.h"
#include "core/resp/wire.h"

#include "engine/failure/failure.h"
#include "engine/pool/race.h"
#include "engine/shared/resolver.h"
#include "engine/tls/tls.h"

#define OH_ROLE_BYTES 32

typedef enum oh_connection_state {
    OH_RESOLVING,
    OH_CONNECTING,
    OH_ENCRYPTING, /* The handshake of TLS. */
    OH_HANDSHAKE,
    OH_READY
} oh_connection_state;

/* The commands of a handshake. Each accepts different answers. */
typedef enum oh_handshake_step {
    OH_STEP_TRY_SELECT = 1,
    OH_STEP_AUTH,
    OH_STEP_SELECT,
    OH_STEP_VERSION,
    OH_STEP_READONLY,
    OH_STEP_ROLE,
    OH_STEP_INTRODUCE
} oh_handshake_step;

/*
 * How a node is reached, and the handshake it needs. Connections with equal endpoints are
 * exchangeable, whatever their names.
 */
typedef struct oh_endpoint {
    char *host;       /* NULL for a unix socket. */
    char *path;       /* NULL for TCP. */
    oh_tls_peer *tls; /* NULL for plain connections. */
    uint16_t port;
    uint32_t timeout_ms; /* Of the server pool; 0 if there is none. */
    bool is_ssdb;    /* SSDB's commands have the names of redis' commands, but other meanings. */
    char *handshake; /* Its commands, and behind them the introduction; NULL if there are none. */
    size_t handshake_length; /* Without the introduction. */
    size_t introduction_length;
    uint32_t database; /* Which one the handshake selects; 0 if none. */
    /*
     * A number for the name in the introduction: the server pool in its upper half, the name itself
     * in the lower. 0 if there is no introduction. Endpoints that differ only in this number are
     * equal.
     */
    uint64_t name;
    /* The steps of the handshake, one oh_handshake_step per command, then 0. */
    char steps[4];
} oh_endpoint;

/* The database of a caller: the one it has chosen, or that of the server pool. */
typedef struct oh_database {
    uint32_t after; /* The number plus one; 0 if it is not chosen. One word is quick to compare. */
} oh_database;

static inline oh_database oh_database_of(uint32_t number)
{
    return (oh_database){number + 1};
}

static inline bool oh_database_is_chosen(oh_database database)
{
    return database.after != 0;
}

/* The number of a chosen database. */
static inline uint32_t oh_database_number(oh_database database)
{
    return database.after - 1;
}

typedef struct oh_connection {
    struct oh_connection *next; /* pool: the next idle, or leased, connection of its node. */
    struct oh_connection *previous;
    struct oh_connections *connections;
    /* While resolving or racing: a descriptor that the connection does not own. */
    int socket;
    oh_tls_channel *channel; /* NULL for a plain connection. */
    oh_lookup *lookup;       /* Only while resolving. */
    oh_connection_state state;
    short events; /* The events to poll for until it is ready. */
    bool is_leased;
    bool is_beyond; /* pool: it exceeds the limit on connections. */
    /* pool: settling closes it: after an unknown command, or READONLY in a plain server pool. */
    bool is_spent;
    bool is_reported; /* pool: the exchange has counted as a failure of its node. */
    /* pool: its caller had to wait for it, which used part of the deadline. */
    bool has_waited;
    bool is_turned_away; /* The node itself has refused this connection. */
    /* No reply ever came over it: a first error may be about the connection itself. */
    bool is_unproven;
    bool must_introduce;   /* pool: it must introduce itself before the next command. */
    uint32_t generation;   /* Counts forks: a child must not touch the sockets of its parent. */
    uint32_t seat;         /* pool_host: its seat among those of the host. */
    uint64_t born_ms;      /* When it was opened, by the monotonic clock. */
    uint64_t expires_ms;   /* pool: from when on it is not leased again. */
    uint64_t used_ms;      /* pool: when its last reply arrived, or when it was opened. */
    uint64_t leased_ms;    /* pool: when its caller got it. */
    uint32_t own_database; /* The database in which its handshake has left it. */
    uint32_t database;     /* The database in which it is, as the node has said. */
    uint32_t selected;     /* The database that it asks for, if it `is_selecting`. */
    bool is_selecting;     /* This SELECT is all of its handshake. */
    uint64_t named; /* The `name` of the endpoint when it introduced itself; 0 if it has not. */
    /* The number of the last reply to an introduction that was sent before a command. */
    uint64_t introduced;
    /*
     * When the present step of opening began, and how long the last step took. The steps are to
     * connect, to encrypt, and to get the answers to the handshake.
     */
    uint64_t asked_ms;
    uint32_t step_ms;
    bool has_stepped; /* pool: the node has answered since it was leased. */
    /* The caller's timeout for which SO_RCVTIMEO is set; UINT32_MAX if it is not set. */
    uint32_t timeout_ms;
    /* pool: the node's health when it was leased; `born` of core/health/health.h. */
    uint64_t health;
    size_t handshake_length, handshake_sent, handshake_received;
    uint8_t handshake_answered;
    /* How the answer to ROLE begins: the head of a list, and its first word. */
    uint8_t role_length;
    char role[OH_ROLE_BYTES];
    uint8_t addresses_count;
    int last_errno;        /* Why it could not be reached. */
    oh_address *addresses; /* Only while connecting. */
    /* Only while connecting to one of several addresses; `socket` is its descriptor then. */
    oh_race *race;
    oh_wire wire;
} oh_connection;

/*
 * Fills an endpoint from the configuration, in memory of the process. `identity` is the server
 * pool's. If there is no memory, returns false and leaves it empty.
 */
bool oh_endpoint_set(oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server,
    const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
void oh_endpoint_clear(oh_endpoint *endpoint);

/* Exchanges the introductions of two endpoints, which are equal otherwise. */
void oh_endpoint_swap_names(oh_endpoint *a, oh_endpoint *b);

/*
 * True if a connection has not introduced itself, or has done so by an older name of this server
 * pool. A name that it has from another server pool stays.
 */
static inline bool oh_connection_has_old_name(
    const oh_connection *connection, const oh_endpoint *endpoint)
{
    return OH_UNLIKELY(connection->named != endpoint->name) &&
           (connection->named == 0 || connection->named >> 32 == endpoint->name >> 32);
}

/* True if the connection is in another database, so that the caller must first select its own. */
static inline bool oh_connection_is_elsewhere(const oh_connection *connection, oh_database database)
{
    uint32_t wanted = OH_UNLIKELY(oh_database_is_chosen(database)) ? oh_database_number(database)
                                                                   : connection->own_database;

    return OH_UNLIKELY(connection->database != wanted);
}

/*
 * Starts to connect. If that fails, returns NULL and sets the failure. `is_of_node` says if the
 * node is the cause, not this process or machine.
 */
oh_connection *oh_connection_open(
    const oh_endpoint *endpoint, oh_failure *failure, bool *is_of_node);

/*
 * Advances as far as possible without waiting. WAITS: poll for `events`. BROKEN: `failure` says
 * why; close the connection.
 */
oh_progress oh_connection_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/* Notes that the node has answered while it is being opened. */
static inline void oh_connection_note_step(oh_connection *connection)
{
    connection->has_stepped = true;
    connection->step_ms = (uint32_t)(oh_clock_now_ms() - connection->asked_ms);
}

/* True if it failed to open because this machine lacked descriptors, ports or memory. */
bool oh_connection_has_own_error(const oh_connection *connection);

/*
 * Limits how long a blocking receive takes: a caller with this timeout (0: none) must not wait
 * longer without checking for a successor.
 */
void oh_connection_set_timeout(oh_connection *connection, uint32_t timeout_ms);

/*
 * For waits that may last for days: if a node vanishes silently, this is detected within a minute.
 */
void oh_connection_keep_alive(const oh_connection *connection);

/* True if the node has not closed a connection that is still being opened. One system call. */
bool oh_connection_is_open(const oh_connection *connection);

/* True if an idle connection is still connected and silent. One system call. */
bool oh_connection_is_sound(const oh_connection *connection);

/* True if more bytes have come; the end of the stream does not count. One system call. */
bool oh_connection_has_more(const oh_connection *connection);

/* Receives like recv(); `flags` are 0 or MSG_DONTWAIT. */
static inline ssize_t oh_connection_receive(
    const oh_connection *connection, void *bytes, size_t size, int flags)
{
    return OH_LIKELY(!connection->channel)
               ? recv(connection->socket, bytes, size, flags)
               : oh_tls_channel_receive(connection->channel, bytes, size, flags);
}

/* Sends as much as is possible without waiting, like send(). */
static inline ssize_t oh_connection_send(
    const oh_connection *connection, const void *bytes, size_t size)
{
    return OH_LIKELY(!connection->channel)
               ? send(connection->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL)
               : oh_tls_channel_send(connection->channel, bytes, size);
}

/* Like oh_connection_send, for bytes that are to leave together with those that are sent next. */
static inline ssize_t oh_connection_send_ahead(
    const oh_connection *connection, const void *bytes, size_t size)
{
    return !connection->channel
               ? send(connection->socket, bytes, size, MSG_DONTWAIT | MSG_NOSIGNAL | MSG_MORE)
               : oh_tls_channel_send(connection->channel, bytes, size);
}

/* True if a receive will have a result that poll() does not report. */
static inline bool oh_connection_has_buffered(const oh_connection *connection)
{
    return OH_UNLIKELY(connection->channel != NULL) &&
           oh_tls_channel_has_buffered(connection->channel);
}

/* Counts the bytes of its handshake, after the handshake has ended. */
static inline void oh_connection_count_handshake(const oh_connection *connection, oh_meter *meter)
{
    oh_meter_add(meter, OH_METER_BYTES_SENT, connection->handshake_sent);
    oh_meter_add(meter, OH_METER_BYTES_RECEIVED, connection->handshake_received);
}

/* Counts a new connection, which is now ready, and its handshake. */
static inline void oh_connection_count_opened(const oh_connection *connection, oh_meter *meter)
{
    oh_meter_count(meter, OH_METER_LEASES);
    oh_connection_count_handshake(connection, meter);
}

/*
 * Call it before the connection is closed. If its host name has several addresses, and the node has
 * sent nothing, the address of this connection comes last from now on.
 */
void oh_connection_blame_address(const oh_connection *connection, const oh_endpoint *endpoint);

/* Closes the socket, without sending anything to the node, and frees everything. */
void oh_connection_close(oh_connection *connection);

#endif
