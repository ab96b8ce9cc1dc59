/*
 * Connection: one socket to one node, from the first SYN to the close, and its state for its owner.
 *
 * It is opened without blocking, then advanced whenever poll says so, until it is ready for
 * commands: connected and signed in (AUTH, SELECT), with the node's answers checked. It has a wire
 * guard. It lives in memory of the process, not of a request, and the pool keeps it.
 *
 *     open ─► resolving ─► connecting ─► handshake ─► ready ─► (leased, settled, ...) ─► closed
 *                 │            │ next address │
 *                 └────────────┴──────────────┴─► broken: the failure says why, nothing was sent
 *
 * Implements the sign-in rules of spec/config.
 */
#ifndef OH_ENGINE_CONNECTION_H
#define OH_ENGINE_CONNECTION_H

#include "core/host/meter.h"
#include "core/topology/server_pool.h"
#include "core/resp/wire.h"

#include "engine/failure/failure.h"
#include "engine/shared/resolver.h"

typedef enum oh_connection_state {
    OH_RESOLVING,
    OH_CONNECTING,
    OH_HANDSHAKE,
    OH_READY
} oh_connection_state;

typedef enum oh_progress { OH_PROGRESS_WAITS, OH_PROGRESS_READY, OH_PROGRESS_BROKEN } oh_progress;

/* The commands of a handshake; each accepts other answers. */
typedef enum oh_handshake_step {
    OH_STEP_TRY_SELECT = 1,
    OH_STEP_AUTH,
    OH_STEP_SELECT,
    OH_STEP_VERSION,
    OH_STEP_READONLY
} oh_handshake_step;

/* How a node is reached and signed in to. Connections with equal endpoints are exchangeable. */
typedef struct oh_endpoint {
    char *host; /* NULL for a unix socket. */
    char *path; /* NULL for TCP. */
    uint16_t port;
    bool is_ssdb;    /* SSDB's commands have the names of redis' and other meanings. */
    char *handshake; /* The commands of the sign-in, NULL if there are none. */
    size_t handshake_length;
    /* The steps of the handshake, one oh_handshake_step per command, then 0. */
    char steps[4];
} oh_endpoint;

typedef struct oh_connection {
    struct oh_connection *next; /* pool: among the idle or the leased of its node. */
    struct oh_connection *previous;
    struct oh_connections *home;
    /* While it is resolving: the resolver's descriptor, which is not its own. */
    int socket;
    oh_lookup *lookup; /* Only while resolving. */
    oh_connection_state state;
    short events; /* What poll waits for until it is ready. */
    bool is_leased;
    bool is_beyond; /* pool: it is beyond the number that there may be. */
    /* pool: it has carried an unknown command, so settling closes it. */
    bool is_spent;
    bool is_reported; /* pool: the exchange has counted as a failure of its node. */
    /* pool: its caller spent a part of its deadline on waiting for it. */
    bool has_waited;
    bool is_turned_away; /* The node itself has refused this connection. */
    /* No reply ever came over it: a first error may be about the connection itself. */
    bool is_unproven;
    uint32_t generation; /* Of forks: a child must not touch the sockets of its parent. */
    uint32_t seat;       /* pool_host: its seat among those of the host. */
    uint64_t born_ms;    /* When it was opened, by the monotonic clock. */
    uint32_t timeout_ms; /* What SO_RCVTIMEO and SO_SNDTIMEO are set to. */
    /* pool: the node's health when it was leased; `born` of core/host/health.h. */
    uint64_t health;
    size_t handshake_sent, handshake_received;
    uint8_t handshake_answered;
    uint8_t addresses_count, addresses_next;
    int last_errno;        /* Why the addresses before this one could not be reached. */
    oh_address *addresses; /* Only while connecting. */
    oh_wire wire;
} oh_connection;

/*
 * Fills an endpoint from the configuration, in memory of the process. False if there is none; then
 * it is empty.
 */
bool oh_endpoint_set(oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server);
void oh_endpoint_clear(oh_endpoint *endpoint);

/*
 * Begins to connect. If not even that was possible, NULL and a failure; `is_of_node` says if the
 * node is the cause, and not this process or machine.
 */
oh_connection *oh_connection_open(
    const oh_endpoint *endpoint, oh_failure *failure, bool *is_of_node);

/*
 * Goes on as far as possible without waiting. WAITS: poll for `events`. BROKEN: see `failure`, then
 * close it.
 */
oh_progress oh_connection_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/* True if it failed to open because this machine lacked descriptors, ports or memory. */
bool oh_connection_has_own_error(const oh_connection *connection);

/* Sets how long a blocking send or receive may take; 0 is without end. */
void oh_connection_set_timeout(oh_connection *connection, uint32_t timeout_ms);

/* For a wait that may last for days: a node that vanishes silently is noticed after a minute. */
void oh_connection_keep_alive(const oh_connection *connection);

/* True if an idle connection is still connected and silent. One system call. */
bool oh_connection_is_sound(const oh_connection *connection);

/* A new one is ready: from now on it counts as leased, together with the cost of the handshake. */
static inline void oh_connection_count_opened(const oh_connection *connection, oh_meter *meter)
{
    oh_meter_count(meter, OH_METER_LEASES);
    oh_meter_add(meter, OH_METER_BYTES_SENT, connection->handshake_sent);
    oh_meter_add(meter, OH_METER_BYTES_RECEIVED, connection->handshake_received);
}

/* Closes the socket, without sending anything to the node, and frees everything. */
void oh_connection_close(oh_connection *connection);

#endif
