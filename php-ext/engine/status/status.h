/*
 * Status: what the host knows at this moment: server pools, their nodes, connections and numbers.
 *
 * For people and for their dashboards, off the road: it looks at what is there and changes nothing,
 * asks no node, and takes no lock. A process that has never used a server pool has it as well,
 * because it reads what others published.
 *
 * Implements spec/meter.
 */
#ifndef OH_ENGINE_STATUS_H
#define OH_ENGINE_STATUS_H

#include "core/host/meter.h"
#include "core/host/store.h"
#include "core/topology/topology.h"

typedef enum oh_node_state { OH_NODE_UP, OH_NODE_RESTING, OH_NODE_EJECTED } oh_node_state;

typedef struct oh_node_status {
    oh_node node;
    oh_text master; /* Whom a replica of a Redis Cluster follows; absent: nobody. */
    uint32_t share; /* Of OH_SHARES: the keys it has now, nodes that are ejected left out. */
    oh_node_state state;
    uint64_t rests_ms; /* For how much longer somebody leaves it alone. */
    uint32_t failures;
    bool has_reason; /* It is not up, and this is why: */
    char reason[OH_STORE_REASON_WORDS * sizeof(uint64_t) + 1];
    uint32_t leased, idle; /* Connections. */
    const oh_meter *meter; /* What became of its calls; NULL: nothing was counted yet. */
} oh_node_status;

typedef struct oh_server_pool_status {
    struct oh_server_pool_status *next;
    oh_server_pool pool; /* Of a Redis Cluster: with the nodes of its map. No password. */
    const oh_topology *topology;
    oh_node_status *nodes;
    uint32_t nodes_count;
    char *path;
    uint64_t generation;
    uint64_t read_at; /* When the file was last read, in seconds of the calendar. */
    char *problem;    /* Why it was refused then; NULL: it is in use. */

    void *image; /* Behind the above; all of it is memory of the call. */
    oh_server *servers;
} oh_server_pool_status;

/*
 * The server pools that are known to the host, or, without shared memory, to this process; in
 * *list, to be released. Meters are to be read before the next configuration is loaded. False:
 * there is no memory.
 */
bool oh_status_collect(oh_server_pool_status **list);
void oh_status_release(oh_server_pool_status *list);

#endif
