/*
 * Internal to room pool: shared by pool (lease and settle), pool_reports (what is reported to a
 * node's health) and pool_nodes (the list of nodes).
 */
#ifndef OH_ENGINE_POOL_INTERNAL_H
#define OH_ENGINE_POOL_INTERNAL_H

#include "core/base/compiler.h"

#include "engine/pool/connection.h"
#include "engine/pool/node_health.h"
#include "engine/pool/pool.h"
#include "engine/pool/pool_entry.h"

struct oh_connections {
    oh_connections *next, *previous; /* In the list of all nodes of its thread. */
    uint32_t references;
    uint32_t leased_count;
    uint32_t size_max;
    uint32_t timeout_ms;
    uint32_t age_ms_max; /* 0: no limit. */
    oh_endpoint endpoint;
    bool is_of_host; /* `host` counts them and keeps them for all workers. */
    oh_host_node host;
    oh_node_health health;
    oh_connection *idle;
    /* A connection that a call began to open, but had no time to finish; it has no seat. */
    oh_connection *opening;
    /* A call that had opened its own connection was late, and the node has not answered since. */
    bool is_slow;
    oh_connection *leased;
    size_t identity_length;
    char identity[]; /* Identifies it among all nodes, the password included. */
};

extern OH_PER_THREAD oh_connections *oh_pool_nodes; /* All nodes of this thread. */

/* Removes a pool without connections from the list, and frees it. */
void oh_pool_forget(oh_connections *connections);

/*
 * Finds the node's entry again. Must be called before each use of the entry, because it may belong
 * to another node now, or there may be room for an entry only now. A caller that does not know the
 * time passes 0. Returns the time.
 */
uint64_t oh_pool_join(oh_connections *connections, uint64_t now_ms);

/* ---- The pool of the host, for nodes with shared connections (oh_host_keeps) ---- */

/* Takes over a sound idle connection; NULL if there is none. */
oh_connection *oh_host_take(const oh_host_node *node);

/* Takes a seat for a new connection; OH_STORE_NONE if all are taken. */
uint32_t oh_host_claim(const oh_host_node *node);

/*
 * Waits until it is worth trying again, at most until the deadline (0 if there is none). False if
 * the deadline has passed.
 */
bool oh_host_await(const oh_host_node *node, uint64_t deadline_ns);

/*
 * Puts the connection where the next worker that needs one finds it, and frees this process' copy.
 * If that fails, the connection is closed.
 */
void oh_host_park(const oh_host_node *node, oh_connection *connection);

/* Frees the seat of a connection that is about to be closed. */
void oh_host_free(const oh_host_node *node, uint32_t seat);

/*
 * True if so few connections have an owner that this process may keep one until its request ends.
 */
bool oh_host_is_roomy(const oh_host_node *node);

#endif
