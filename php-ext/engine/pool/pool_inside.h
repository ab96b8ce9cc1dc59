/*
 * What the parts of the pool know of each other: pool (lease and settle) and pool_nodes (which nodes there are).
 */
#ifndef OH_ENGINE_POOL_INSIDE_H
#define OH_ENGINE_POOL_INSIDE_H

#include "engine/pool/node_health.h"
#include "engine/pool/pool.h"
#include "engine/pool/pool_host.h"

struct oh_connections {
    HashTable *all; /* Where it is listed. */
    uint32_t references;
    uint32_t leased_count;
    uint32_t size_max;
    uint32_t timeout_ms;
    oh_endpoint endpoint;
    bool is_of_host; /* `host` counts and keeps them for all workers. */
    oh_host_node host;
    oh_node_health health;
    oh_connection *idle;
    oh_connection *leased;
    zend_string *identity;
};

/*
 * To be called before the segment is asked about the node: its entry may belong to another node now, or there may
 * be room for one at last.
 */
void oh_pool_join(oh_connections *connections);

/* Those that are idle here go to whoever needs them; where there is no host they are closed. */
void oh_pool_park_all(oh_connections *connections);

#endif
