/*
 * Status: the present state of the host: server pools, their nodes, connections and counters.
 *
 * The status is meant for people and dashboards. It only reads: it asks no node and takes no lock.
 * It also shows server pools that this process has never used, because it reads the published
 * images.
 *
 * Implements spec/meter.
 */
#ifndef OH_ENGINE_STATUS_H
#define OH_ENGINE_STATUS_H

#include "core/health/meter.h"
#include "core/store/store.h"
#include "core/topology/topology.h"

#include "engine/snapshot/snapshot.h"

typedef enum oh_node_state {
    OH_NODE_UP,
    OH_NODE_RESTING,
    OH_NODE_EJECTED,
    OH_NODE_RETURNED /* Its ejection is over, and it has not answered since. */
} oh_node_state;

typedef struct oh_node_status {
    oh_node node;
    oh_text master; /* The master of a replica in a Redis Cluster; otherwise absent. */
    uint32_t share; /* Its share of the keys now, in parts of OH_SHARES; ejected nodes have none. */
    oh_node_state state;
    uint64_t rests_ms; /* For how much longer a process will not use it. */
    uint32_t failures;
    bool has_reason; /* The node is not up, and `reason` says why. */
    char reason[OH_STORE_REASON_WORDS * sizeof(uint64_t) + 1];
    uint32_t leased, idle; /* Connections. */
    bool is_of_host;       /* These are connections of all workers; if false, of this process. */
    const oh_meter *meter; /* The counters of its calls; NULL if nothing was counted yet. */
    oh_metered_own own;    /* The counts of this process alone. */
} oh_node_status;

typedef struct oh_server_pool_status {
    struct oh_server_pool_status *next;
    oh_server_pool pool; /* Without the password; in a Redis Cluster with the nodes of the map. */
    const oh_topology *topology;
    oh_node_status *nodes;
    uint32_t nodes_count;
    char *path;
    uint64_t generation;
    uint64_t read_at; /* When the file was last read, in seconds since 1970. */
    char *problem;    /* Why it was refused then; NULL if it is in use. */

    void *image; /* The fields above point into it. Everything is memory of the call. */
    oh_server *servers;
} oh_server_pool_status;

/*
 * Collects the server pools of the host or, without shared memory, of this process. The caller
 * releases *list, and reads the meters before the next configuration is loaded. False if there is
 * no memory.
 */
bool oh_status_collect(oh_server_pool_status **list);
void oh_status_release(oh_server_pool_status *list);

/* ---- Internal to the room: node_status (the nodes), used by status ---- */

/* Removes unprintable bytes: any process may have written the text. */
void oh_status_make_printable(char *text);

/*
 * Fills the nodes of a server pool of this identity. `snapshot` is this process' own; NULL if it
 * has none. False if there is no memory.
 */
bool oh_status_describe_nodes(
    oh_server_pool_status *status, const uint8_t *identity, const oh_snapshot *snapshot);

#endif
