/*
 * Snapshot: one server pool of one version of a configuration, or of the map of a Redis Cluster, as
 * a process has it: directives, topology, and the connections of each node. Never changed once it
 * is made (but for which nodes are ejected at the moment, and what is made when it is first asked
 * for), and counted: a client holds the one it began with.
 */
#ifndef OH_ENGINE_SNAPSHOT_H
#define OH_ENGINE_SNAPSHOT_H

#include "core/topology/topology.h"

#include "engine/pool/meter.h"
#include "engine/pool/pool.h"
#include "engine/snapshot/config_image.h"
#include "engine/snapshot/live_ring.h"

#define OH_NEVER_SEEN UINT64_MAX

/* Which nodes are out of the ring, for a server pool that ejects them: ejection.h. */
typedef struct oh_ejection {
    oh_live_ring *ring; /* NULL: every node is in, keys are placed as configured. */
    uint64_t seen;      /* The count of changes that is in it; OH_NEVER_SEEN: nobody has looked. */
    uint64_t due_ms;    /* When the first node may return; 0: none is out. */
} oh_ejection;

/*
 * A list of nodes that may answer reads, threaded through the nodes themselves:
 * engine/redirects/read_from.h.
 */
typedef struct oh_read_nodes {
    uint32_t first, count; /* Of those that may answer for this node, a master. */
    uint32_t next;         /* Behind this one, in the list that it is in. */
    bool are_near;
} oh_read_nodes;

typedef struct oh_snapshot {
    uint32_t references;
    const oh_server_pool *pool;
    const oh_topology *topology;
    uint32_t nodes_count;
    uint32_t masters_count;       /* Those that have keys: all, but in a Redis Cluster. */
    struct oh_cluster *cluster;   /* Whose map it is; NULL: it is no Redis Cluster, or its seeds. */
    oh_connections **connections; /* By index of the node; opened when first asked for. */
    oh_metered *meters;           /* Likewise, and together with them. */
    oh_read_nodes *read_nodes;    /* Likewise; NULL until one is asked for. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* Of the server pool. */
    bool ejects; /* auto_eject_hosts: ask oh_ejection_follow what to place by. */
    oh_ejection ejection;

    oh_server_pool own_pool; /* The memory behind the above. */
    oh_server *servers;
    void *image;
    size_t image_length;
    char *password; /* NULL: none. */
    size_t password_length;
} oh_snapshot;

/*
 * A snapshot of what was read, which it takes over. Given back by release. NULL: there is no
 * memory.
 */
oh_snapshot *oh_snapshot_make(
    oh_config_image *config_image, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
void oh_snapshot_release(oh_snapshot *snapshot);

/*
 * Whether a node has keys of its own. Replicas of a Redis Cluster have not, nor have places that
 * nobody is at.
 */
static inline bool oh_snapshot_has_keys(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->pool->servers[node].role == OH_MASTER;
}

/*
 * A key is at home on a node, or in a slot of a Redis Cluster, of which a node has many. What needs
 * several keys needs them in one home.
 */
static inline uint32_t oh_snapshot_homes_count(const oh_snapshot *snapshot)
{
    return snapshot->cluster ? OH_SLOTS_COUNT : snapshot->nodes_count;
}

static inline uint32_t oh_snapshot_node_of(const oh_snapshot *snapshot, uint32_t home)
{
    return snapshot->cluster ? snapshot->pool->slots[home] & (uint16_t)~OH_SLOT_UNSERVED : home;
}

/* The next node behind this one that has keys, going round. */
uint32_t oh_snapshot_next(const oh_snapshot *snapshot, uint32_t node);

/*
 * The connections of a node, and where its calls are counted. NULL: there is no memory to begin
 * with it.
 */
oh_connections *oh_snapshot_connections(oh_snapshot *snapshot, uint32_t node);
oh_meter *oh_snapshot_meter(oh_snapshot *snapshot, uint32_t node);

#endif
