/*
 * Snapshot: one server pool of one version of a configuration, or of the map of a Redis Cluster. It
 * has the directives, the topology, and the connections of each node. It is immutable, except for
 * the set of ejected nodes and for parts that are made at their first use. It is counted: a client
 * holds the snapshot it began with.
 */
#ifndef OH_ENGINE_SNAPSHOT_H
#define OH_ENGINE_SNAPSHOT_H

#include "core/topology/topology.h"

#include "engine/pool/meter.h"
#include "engine/pool/pool.h"
#include "engine/snapshot/config_image.h"

/*
 * Live ring: the topology of a server pool without some of its nodes, which keep their indexes.
 *
 * A ring is immutable and counted: a pipeline, a transaction or a subscription holds the ring it
 * began with.
 */
typedef struct oh_live_ring {
    uint32_t references;
    oh_topology *topology;
    bool *ejected; /* By index. */
} oh_live_ring;

static inline void oh_live_ring_hold(oh_live_ring *ring)
{
    ring->references++;
}

/* NULL is allowed. */
void oh_live_ring_release(oh_live_ring *ring);

#define OH_NEVER_SEEN UINT64_MAX

/* The ejected nodes of a server pool with auto_eject_hosts. */
typedef struct oh_ejection {
    oh_live_ring *ring; /* NULL if no node is ejected: keys are placed as configured. */
    /* The count of changes when the ring was built; OH_NEVER_SEEN before that. */
    uint64_t seen;
    uint64_t due_ms; /* When the first node may return; 0 if none is ejected. */
} oh_ejection;

/* Linked lists of the nodes that may answer reads (read_from.h). */
typedef struct oh_read_nodes {
    uint32_t first, count; /* If this node is a master: the nodes that may answer for it. */
    uint32_t next;         /* The node after this one in its list. */
    bool are_near;
} oh_read_nodes;

/* The reads that this process has given to nodes of a server pool, whatever its version or map. */
typedef struct oh_read_counts {
    uint64_t fastest; /* Reads of the fastest node. */
    uint32_t *turns;  /* By index of the master: reads that its nodes took in turn. */
    uint32_t turns_count;
} oh_read_counts;

/* A followed configuration: when its existing clients ask room source for a newer version. */
typedef struct oh_followed {
    uint64_t due_ns;
    struct oh_loaded *loaded;
} oh_followed;

typedef struct oh_snapshot {
    uint32_t references;
    const oh_server_pool *pool;
    const oh_topology *topology;
    uint32_t nodes_count;
    uint32_t masters_count; /* Nodes that have keys. */
    /*
     * Who has the newest map. NULL if the snapshot is not one of a map: then its nodes are those of
     * the configuration.
     */
    struct oh_nodes *known_by;
    bool is_cluster;              /* The map of a Redis Cluster: its keys have slots. */
    bool is_watched;              /* Sentinels name the addresses of its masters. */
    oh_followed *followed;        /* NULL if the configuration never changes. */
    oh_connections **connections; /* By index of the node; opened at the first use. */
    oh_metered *meters;           /* Also by index; opened together with them. */
    oh_read_nodes *read_nodes;    /* Also by index; NULL until the first use. */
    oh_read_counts *read_counts;  /* The server pool's; NULL for Sentinels. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES]; /* Of the server pool. */
    bool ejects; /* auto_eject_hosts: oh_ejection_follow has the ring for placement. */
    oh_ejection ejection;

    /* By index, if keys move from an old ring: until when a node cannot migrate. Otherwise NULL. */
    uint64_t *by_hand_ns;

    oh_server_pool own_pool; /* The memory of `pool`. */
    oh_server *servers;
    void *image;
    size_t image_length;
    oh_secrets secrets;
} oh_snapshot;

/*
 * Makes a snapshot from an image and takes over the image. The caller releases the snapshot. NULL
 * if there is no memory.
 */
oh_snapshot *oh_snapshot_make(
    oh_config_image *config_image, const uint8_t identity[OH_STORE_IDENTITY_BYTES]);
void oh_snapshot_release(oh_snapshot *snapshot);

/*
 * True if a node has its own keys. Replicas have none, and neither have indexes of a Redis Cluster
 * that have no node.
 */
static inline bool oh_snapshot_has_keys(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->pool->servers[node].role == OH_MASTER;
}

/*
 * The home of a key is a node or, in a Redis Cluster, a slot; a node has many slots. If a command
 * needs several keys together, they must have one home.
 */
static inline uint32_t oh_snapshot_homes_count(const oh_snapshot *snapshot)
{
    return snapshot->is_cluster ? OH_SLOTS_COUNT : snapshot->nodes_count;
}

static inline uint32_t oh_snapshot_node_of(const oh_snapshot *snapshot, uint32_t home)
{
    return snapshot->is_cluster ? snapshot->pool->slots[home] & (uint16_t)~OH_SLOT_UNSERVED : home;
}

/* The next node after this one that has keys; after the last comes the first. */
uint32_t oh_snapshot_next(const oh_snapshot *snapshot, uint32_t node);

/* Until when keys of a node go by DUMP and RESTORE, because it has refused a MIGRATE. */
static inline uint64_t oh_snapshot_by_hand(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->by_hand_ns[node];
}
static inline void oh_snapshot_go_by_hand(oh_snapshot *snapshot, uint32_t node, uint64_t until_ns)
{
    snapshot->by_hand_ns[node] = until_ns;
}

/* The connections of a node, and where its calls are counted. NULL if there is no memory. */
oh_connections *oh_snapshot_connections(oh_snapshot *snapshot, uint32_t node);
oh_metered *oh_snapshot_metered(oh_snapshot *snapshot, uint32_t node);

/*
 * Ejection: the ring for placement while nodes are ejected, in server pools with auto_eject_hosts.
 *
 *     health of the nodes (the host's) ──► ring of this process, without ejected nodes ──► clients
 *               ▲
 *     checked again if the count of changes is new, or a node may return: one load for a call
 *
 * Each process builds its own ring from the health that all of them share. No process waits for
 * another.
 *
 * Implements spec/health, "Ejecting": rebuild.
 */

/*
 * Returns the current ring for placement, rebuilt if nodes left or may return. NULL means the
 * topology of the snapshot. A caller that uses the ring after the next call of this function must
 * hold it. If there is no memory for a new ring, the old one stays.
 */
oh_live_ring *oh_ejection_follow(oh_snapshot *snapshot);

#endif
