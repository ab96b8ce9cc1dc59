/* The inside of room pool, for pool (lease and settle) and pool_nodes (which nodes there are). */
#ifndef OH_ENGINE_POOL_INTERNAL_H
#define OH_ENGINE_POOL_INTERNAL_H

#include "core/base/compiler.h"

#include "engine/pool/node_health.h"
#include "engine/pool/pool.h"
#include "engine/pool/pool_host.h"

struct oh_connections {
    oh_connections *next, *previous; /* In the list of all nodes of its thread. */
    uint32_t references;
    uint32_t leased_count;
    uint32_t size_max;
    uint32_t timeout_ms;
    oh_endpoint endpoint;
    bool is_of_host; /* `host` counts them and keeps them for all workers. */
    oh_host_node host;
    oh_node_health health;
    oh_connection *idle;
    oh_connection *leased;
    size_t identity_length;
    char identity[]; /* Identifies it among all nodes, the password included. */
};

extern OH_PER_THREAD oh_connections *oh_pool_nodes; /* All nodes of this thread. */

/* Takes one without any connection from the list, and frees it. */
void oh_pool_forget(oh_connections *connections);

/*
 * Call it before the segment is asked about the node: its entry may belong to another node now, or
 * there may be room for one at last.
 */
void oh_pool_join(oh_connections *connections);

#endif
