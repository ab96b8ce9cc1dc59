/*
 * Cluster: the map of a Redis Cluster, as the processes of a host have it.
 *
 *     seeds ─► first contact ─► map ─► store ─► snapshot of each process ─► clients, between calls
 *                                ▲
 *        refresh: asks two nodes ┤ after a redirect, after a failed connection, and now and then
 *          a redirect: that slot ┘ immediately
 *
 * One process of the host asks the nodes; all others copy the map that it publishes. Calls wait for
 * the first contact only. A later refresh goes on beside the calls of the process that began it: it
 * is sent when a call begins, advanced when the next ones begin, and finished when the request
 * ends. No lock is held while it waits for the network. Words in the store, with a pid and the
 * time, say which process may ask.
 *
 * Without shared memory each process asks for itself.
 *
 * Implements spec/topology/cluster.md.
 */
#ifndef OH_ENGINE_CLUSTER_H
#define OH_ENGINE_CLUSTER_H

#include "core/cluster/cluster_map.h"
#include "core/host/store.h"

#include "engine/snapshot/snapshot.h"

struct oh_refresh;

typedef struct oh_cluster {
    /* The identity of the map in the store, and of the meters of its nodes. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_snapshot *seeds;  /* The server pool as configured. */
    oh_snapshot *map;    /* The newest that this process has; NULL before the first contact. */
    uint64_t generation; /* Of the map; without a store it counts by itself. */
    /* The generation of a map in the store that is of another configuration, or damaged. */
    uint64_t foreign;
    uint32_t entry;     /* In the store; OH_STORE_NONE if this process does not use the store. */
    uint64_t wanted_ms; /* When a sign came that the map may be old; 0 if none has. */
    uint32_t calls;     /* Calls since the age of the map was last checked. */
    uint64_t reads;     /* Reads that went to the fastest node. */
    /* Reads of each master, by its index, that were given to its nodes in turn. */
    uint32_t turns[OH_POOL_SERVERS_MAX];
    uint64_t asked_ms;  /* Without a store: when the last refresh began. */
    bool has_no_shards; /* Its nodes are older than 7.0: ask CLUSTER SLOTS. */
    /* None of the nodes of the map has answered: the next refresh asks the seeds. */
    bool doubts_nodes;
    bool has_preferred_source; /* A redirect has named a node since: ask it first. */
    uint32_t preferred_source;
    struct oh_refresh *refresh; /* The refresh that goes on, in memory of the call that began it. */
    struct oh_cluster *next;    /* The next cluster with a refresh. */
} oh_cluster;

/* The identity of a server pool's map in the store. */
void oh_cluster_identify(
    const uint8_t pool[OH_STORE_IDENTITY_BYTES], uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * The cluster of a server pool of this identity and file. It lives as long as the process. NULL if
 * there is no memory.
 */
oh_cluster *oh_cluster_open(const uint8_t pool[OH_STORE_IDENTITY_BYTES], const char *path);
void oh_cluster_forget(oh_cluster *cluster);

/*
 * The newest map, counted; the seeds are those of the newest configuration. The first contact
 * waits, for the nodes or for the process that asks them. NULL and a failure if none has answered
 * within the server pool's timeout.
 */
oh_snapshot *oh_cluster_discover(oh_cluster *cluster, oh_snapshot *seeds, oh_failure *failure);

/* True if a map is no longer the newest of the host. One or two loads. */
bool oh_cluster_is_old(const oh_cluster *cluster, const oh_snapshot *map);

/* Catches up with the host, and holds the newest map: it is counted. */
oh_snapshot *oh_cluster_hold_newest(oh_cluster *cluster);

/*
 * For the begin of a call: advances a refresh that goes on, or sends one that is due. It does not
 * wait.
 */
void oh_cluster_tick(oh_cluster *cluster);

/* The same, now and then, for a client that waits for messages and makes no calls. */
void oh_cluster_tick_waiting(oh_cluster *cluster);

/* The map may be old. */
void oh_cluster_request_refresh(oh_cluster *cluster);

/*
 * Refreshes now, and waits at most until the deadline. For a redirect to a node that the map does
 * not have.
 */
void oh_cluster_ask(oh_cluster *cluster, uint64_t deadline_ns);

/* A slot has moved to the node of that name. */
typedef struct oh_cluster_move {
    uint32_t slot;
    oh_text name;
} oh_cluster_move;

/* Publishes moves that redirects have reported to the whole host. */
void oh_cluster_note_moves(oh_cluster *cluster, const oh_cluster_move *moves, uint32_t count);

/*
 * For the end of a request: a refresh that still goes on gets a moment to finish, and is then given
 * up.
 */
void oh_cluster_finish_refreshes(void);
void oh_cluster_drop_refreshes(void);

#endif
