/*
 * Pool: the connections of one node, shared by all callers.
 *
 * lease hands one out, settle takes it back if its exchange ended cleanly, discard closes it if
 * not. A connection is leased only during an exchange and settled as soon as the last reply has
 * been read. So all clients of a process share one connection per node unless their exchanges
 * overlap.
 *
 * A pool lives as long as the process (under ZTS, the thread). pool_host keeps the connections that
 * the workers of a server share. A caller cannot see whether a connection came from the process or
 * from the host.
 */
#ifndef OH_ENGINE_POOL_H
#define OH_ENGINE_POOL_H

#include "core/health/health.h"
#include "core/store/store.h"

#include "engine/pool/connection.h"

typedef struct oh_connections oh_connections;

/*
 * Opens the connections of a server, shared by all servers with an equal endpoint. From now on, new
 * connections introduce themselves by the name of this server pool, whose identity is given.
 * Counted; the caller closes them. NULL if there is no memory.
 */
oh_connections *oh_pool_open(const oh_server_pool *pool, const oh_server *server,
    const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
void oh_pool_release(oh_connections *connections);

const oh_endpoint *oh_pool_endpoint(const oh_connections *connections);

/* The server pool's timeout in milliseconds; 0 if there is none. */
uint32_t oh_pool_timeout(const oh_connections *connections);

/* The state of a pool at this moment, for display. */
typedef struct oh_pool_view {
    bool is_of_host; /* The counts are those of the host, from the store. */
    uint32_t leased, idle;
    const oh_store_health *health;
} oh_pool_view;

oh_pool_view oh_pool_view_now(const oh_connections *connections);

/*
 * A call has failed at this master of a Redis Cluster. True if calls wait for a replica to be
 * promoted in its place. `has_heir`: the newest map has a replica that may be promoted.
 */
bool oh_pool_awaits_heir(oh_connections *connections, bool has_heir);

/*
 * The number of the node in the store, or OH_STORE_NONE without an entry; `joined` is how often it
 * was given an entry.
 */
uint32_t oh_pool_number(const oh_connections *connections, uint32_t *joined);

/* How long a caller waits for a connection. */
typedef struct oh_patience {
    uint64_t deadline_ns; /* 0: for ever. */
    /*
     * Called before the caller waits. True if the caller itself uses a connection of this pool for
     * something else, which has just been advanced for a moment.
     */
    bool (*advances)(struct oh_patience *patience, const oh_connections *connections);
    /*
     * Called from time to time while the caller waits. True if the caller gives up; then the
     * failure is set.
     */
    bool (*gives_up)(struct oh_patience *patience);
} oh_patience;

/* The connection that a caller wants. */
typedef struct oh_wish {
    bool must_be_new;
    /*
     * A connection in this database is preferred. On any other connection the caller selects the
     * database.
     */
    oh_database database;
} oh_wish;

/*
 * Leases a sound idle connection. If there is none, or if it must be new, it opens a new one, which
 * the caller advances. The meter counts it. If all connections of the host are in use, it waits for
 * one as long as the caller has patience. NULL and a failure if the caller gives up, if opening
 * fails, or if the node rests. `now_ms` is the time, or 0 if the caller does not know it.
 */
oh_connection *oh_pool_lease(oh_connections *connections, oh_meter *meter, oh_wish wish,
    oh_patience *patience, uint64_t now_ms, oh_failure *failure);

/* True, with the failure, if the node rests. Nothing is tried. */
bool oh_pool_rests(oh_connections *connections, oh_failure *failure);

/*
 * For background work, which must neither take a connection from a call nor wait for one. Leases an
 * idle connection if there are many, otherwise opens one beyond the limit, which is closed when it
 * is settled.
 */
oh_connection *oh_pool_lease_beyond(oh_connections *connections, oh_meter *meter, oh_wish wish,
    uint64_t deadline_ns, oh_failure *failure);

/*
 * Reports that an exchange on the connection failed because of the node. The node may rest or be
 * ejected then (node_health.h). NULL is allowed.
 */
void oh_pool_report_failure(oh_connection *connection, oh_health_cause cause, const char *why);

/*
 * Like oh_pool_report_failure, for a connection that could not be opened. A node that refuses a
 * connection with an error has not failed.
 */
void oh_pool_report_failed_opening(oh_connection *connection, const char *why);

/* Notes that a deadline has passed although the node had all of the call's time. */
void oh_pool_note_late(const oh_connection *connection);

/*
 * Reports such a deadline, whether it passed during opening or later. It says nothing about the
 * node if other nodes were late at the same time.
 */
void oh_pool_report_late(oh_connection *connection, const char *why);

/*
 * Reports that a used connection was lost before a byte of its reply came. So no connection whose
 * last reply is as old is leased again.
 */
void oh_pool_report_stale(const oh_connection *connection);

/* True with auto_eject_hosts. */
bool oh_pool_ejects(const oh_connections *connections);

/*
 * For a pool that ejects its nodes: 0 if this node is in placement, otherwise the instant in
 * milliseconds at which it may return.
 */
uint64_t oh_pool_out_until(oh_connections *connections, uint64_t now_ms);

/*
 * Reports that an expected reply has just arrived. Has no effect if a failure was reported in the
 * meantime.
 */
void oh_pool_report_success(oh_connection *connection, uint64_t now_ms);

/* Reports that the node has opened the connection in time, although too late for its call. */
void oh_pool_report_ready(oh_connection *connection);

/*
 * Takes back a connection without pending replies or unread bytes, as its wire guard must confirm.
 * A spent connection is closed.
 */
void oh_pool_settle(oh_connection *connection);

/*
 * Takes back a connection whose call has no time left, before the command was sent. If it is ready
 * it is settled. If a step of its opening was done during this call, it is kept for the next call.
 * Otherwise it is discarded.
 */
void oh_pool_put_off(oh_connection *connection);

/*
 * note_slow: a call was late although it had opened this connection itself. is_slow: that has
 * happened, and the node has not answered since.
 */
void oh_pool_note_slow(const oh_connection *connection);
bool oh_pool_is_slow(const oh_connection *connection);

/* Takes back any other connection and closes it. */
void oh_pool_discard(oh_connection *connection);

/* False in a forked child: the connection is its parent's, and the child may only discard it. */
bool oh_pool_is_own(const oh_connection *connection);

/*
 * For the end of a request, when no call is left: closes every connection that is still leased, and
 * gives the idle ones to the host.
 */
void oh_pool_sweep(void);

/* Called at program start, before any fork. False if forks cannot be detected. */
bool oh_pool_startup(void);

/* Called when a thread ends. Closes every connection. */
void oh_pool_end(void);

#endif
