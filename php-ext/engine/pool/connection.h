/*
 * Connection: one socket to one node, from the first SYN to the last close, and who its owner is
 * meanwhile.
 *
 * It is made non-blocking: opened, then advanced whenever poll says so, until it is ready to carry
 * commands: that is, connected and signed in (AUTH, SELECT), with the node's answers judged. A wire
 * guard travels with it. It lives in memory of the process, not of a request, and it is the pool
 * that keeps it.
 *
 *     open ──► resolving ──► connecting ──► handshake ──► ready ──► (leased, settled, leased ...) ──► closed
 *                  │              │  next address  │
 *                  └──────────────┴────────────────┴──► broken: a failure says why, nothing of the caller was sent
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

/* The commands of a handshake differ in what may be answered. */
typedef enum oh_handshake_step {
    OH_STEP_TRY_SELECT = 1,
    OH_STEP_AUTH,
    OH_STEP_SELECT,
    OH_STEP_VERSION,
    OH_STEP_READONLY
} oh_handshake_step;

#define OH_ADVICE_NAME "check the name and the resolver"

/* How a node is reached and signed in to: what makes two connections exchangeable. */
typedef struct oh_endpoint {
    char *host; /* NULL for a unix socket. */
    char *path; /* NULL for TCP. */
    uint16_t port;
    bool is_ssdb;    /* Which is another language with the same words. */
    char *handshake; /* The commands of the sign-in, NULL if there are none. */
    size_t handshake_length;
    /* What the handshake consists of, one oh_handshake_step per command, 0 behind the last. */
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
    short events; /* What poll must wait for while it is not ready. */
    bool is_leased;
    bool is_beyond; /* pool: it is none of those that there may be. */
    /* pool: it has carried an unknown command, so it is closed when it is settled. */
    bool is_spent;
    bool is_reported; /* pool: what it was leased for has counted as a failure of its node. */
    /* pool: who leased it has spent a part of its deadline on waiting for it. */
    bool has_waited;
    bool is_turned_away; /* The node itself has refused this connection. */
    /* Nothing was ever answered on it: a first error may be about the connection itself. */
    bool is_unproven;
    uint32_t generation; /* Of forks: a child must not touch the sockets of its parent. */
    uint32_t seat;       /* pool_host: its seat among those of the host. */
    uint64_t born_ms;    /* When it was opened, by the monotonic clock. */
    uint32_t timeout_ms; /* What SO_RCVTIMEO and SO_SNDTIMEO are set to. */
    /* pool: what was known of the node when it was leased; `born` of core/host/health.h. */
    uint64_t health;
    size_t handshake_sent, handshake_received;
    uint8_t handshake_answered;
    uint8_t addresses_count, addresses_next;
    int last_errno;        /* Why the addresses before this one could not be reached. */
    oh_address *addresses; /* Only while connecting. */
    oh_wire wire;
} oh_connection;

/*
 * Fills an endpoint from the configuration. Memory is the process'. False: there is none; it is
 * empty.
 */
bool oh_endpoint_set(oh_endpoint *endpoint, const oh_server_pool *pool, const oh_server *server);
void oh_endpoint_clear(oh_endpoint *endpoint);

/*
 * Begins to connect. NULL and a failure if not even that was possible; `is_of_node` tells whether
 * that says something about the node, and not about this process or machine.
 */
oh_connection *oh_connection_open(
    const oh_endpoint *endpoint, oh_failure *failure, bool *is_of_node);

/*
 * Goes on as far as possible without waiting. WAITS: poll for `events`. BROKEN: see `failure`, then
 * close it.
 */
oh_progress oh_connection_advance(
    oh_connection *connection, const oh_endpoint *endpoint, oh_failure *failure);

/* Of one that failed to open: whether descriptors, ports or memory were lacking here. */
bool oh_connection_has_own_error(const oh_connection *connection);

/* Sets how long a blocking send or receive may take; 0 is without end. */
void oh_connection_set_timeout(oh_connection *connection, uint32_t timeout_ms);

/*
 * Before a wait that may last for days: a node that vanishes without a word is noticed after a
 * minute.
 */
void oh_connection_keep_alive(const oh_connection *connection);

/* Whether an idle connection is still connected and silent. One system call. */
bool oh_connection_is_sound(const oh_connection *connection);

/* A new one is ready: from now on it counts as leased, and so does what signing in has cost. */
static inline void oh_connection_count_opened(const oh_connection *connection, oh_meter *meter)
{
    oh_meter_count(meter, OH_METER_LEASES);
    oh_meter_add(meter, OH_METER_BYTES_SENT, connection->handshake_sent);
    oh_meter_add(meter, OH_METER_BYTES_RECEIVED, connection->handshake_received);
}

/* Closes the socket without a word to the node and frees everything. */
void oh_connection_close(oh_connection *connection);

#endif
