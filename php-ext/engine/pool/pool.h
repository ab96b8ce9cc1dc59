/*
 * Pool: the connections of one node, shared by all callers.
 *
 * lease hands one out, settle takes it back if its exchange ended cleanly, discard closes it if
 * not. Leased means: in the middle of an exchange. As soon as the last reply has been read a
 * connection is settled, so all clients of the process share one connection per node unless their
 * exchanges really overlap.
 *
 * It lives as long as the process (the thread, under ZTS). pool_host has what the workers of a
 * server share for a node. A caller does not notice from which of the two a connection came.
 */
#ifndef OH_ENGINE_POOL_H
#define OH_ENGINE_POOL_H

#include "core/host/health.h"
#include "core/host/store.h"

#include "engine/pool/connection.h"

typedef struct oh_connections oh_connections;

/*
 * The connections of a server, shared by all that have an equal endpoint. They are counted: close
 * them. NULL if there is no memory.
 */
oh_connections *oh_pool_open(const oh_server_pool *pool, const oh_server *server);
void oh_pool_release(oh_connections *connections);

const oh_endpoint *oh_pool_endpoint(const oh_connections *connections);

/* The server pool's timeout in milliseconds; 0 is none. */
uint32_t oh_pool_timeout(const oh_connections *connections);

/* The state of a pool at this moment, for display. */
typedef struct oh_pool_view {
    bool is_of_host; /* Leased and idle are numbers of the host; the store has them. */
    uint32_t leased, idle;
    const oh_store_health *health;
} oh_pool_view;

oh_pool_view oh_pool_view_now(const oh_connections *connections);

/*
 * The number of the node in the store, and how often it was given one; OH_STORE_NONE without an
 * entry.
 */
uint32_t oh_pool_number(const oh_connections *connections, uint32_t *joined);

/*
 * Leases an idle connection that is sound. If there is none, or `must_be_new`, it opens a new one
 * that still has to be advanced. The meter counts it. If all connections of the host are in use, it
 * waits for one until `deadline_ns` (0: without end). NULL and a failure if there is none by then,
 * opening fails, or the node rests.
 */
oh_connection *oh_pool_lease(oh_connections *connections, oh_meter *meter, bool must_be_new,
    uint64_t deadline_ns, oh_failure *failure);

/*
 * For work that must neither take a connection from a call nor wait for one: leases an idle one if
 * there are many, otherwise one beyond the limit, which is closed when it is settled.
 */
oh_connection *oh_pool_lease_beyond(oh_connections *connections, oh_meter *meter, bool must_be_new,
    uint64_t deadline_ns, oh_failure *failure);

/*
 * An exchange on it failed, and the node is the cause: the node may rest or be ejected for it
 * (node_health.h). NULL is allowed.
 */
void oh_pool_report_failure(oh_connection *connection, oh_health_cause cause, const char *why);

/*
 * The same for one that was not opened, by the deadline or at all. If the node refused the
 * connection with an error, that is no failure of the node.
 */
void oh_pool_report_failed_opening(oh_connection *connection, const char *why);

/* auto_eject_hosts. */
bool oh_pool_ejects(const oh_connections *connections);

/*
 * For a pool that ejects its nodes: 0 if this node is in placement, otherwise the instant in
 * milliseconds at which it may return.
 */
uint64_t oh_pool_out_until(oh_connections *connections, uint64_t now_ms);

/* A reply that was asked for has just arrived on it. If a failure was reported meanwhile, this does
 * nothing. */
void oh_pool_report_success(const oh_connection *connection, uint64_t now_ms);

/*
 * Takes back a connection that owes nothing and has no byte unread, as its wire guard must confirm.
 * One that is spent is closed.
 */
void oh_pool_settle(oh_connection *connection);

/* Takes back any other connection: it is closed. */
void oh_pool_discard(oh_connection *connection);

/* False in a child: the connection is its parent's, and may only be discarded. */
bool oh_pool_is_own(const oh_connection *connection);

/*
 * For the end of a request, when no call is left: closes every connection that is still leased, and
 * gives the idle ones to the host.
 */
void oh_pool_sweep(void);

/* The program begins, before any fork. False if forks could not be noticed. */
bool oh_pool_startup(void);

/* A thread ends: every connection is closed. */
void oh_pool_end(void);

#endif
