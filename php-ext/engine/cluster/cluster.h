/*
 * Cluster: the map of a Redis Cluster, as the processes of a host have it.
 *
 *     seeds (configuration) ─► first contact ─► map ─► store ─► snapshot of each process ─► its clients, between calls
 *                                                ▲
 *                   refresh: two nodes are asked ─┤ wanted: after a redirect, a failed connection; and now and then
 *                   a redirect that was followed ─┘ (that one slot, at once)
 *
 * One process of the host asks, all others copy what it publishes: no client and no request asks
 * for itself. Only the first contact is waited for. A refresh that comes later goes on beside the
 * calls of whoever began it: it is sent when a call begins, looked after when the next ones do, and
 * finished when the request ends. No lock is held while the network is waited for: who may ask is
 * settled by words in the store, with the asker's pid and the time.
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
    /* Of the map in the store, and of what is counted of its nodes. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    oh_snapshot *seeds;  /* The server pool as it is configured. */
    oh_snapshot *map;    /* The newest that this process has; NULL before the first contact. */
    uint64_t generation; /* Of the map; without a store it counts by itself. */
    uint64_t foreign;    /* Of a map in the store that is of another configuration, or nonsense. */
    uint32_t entry;      /* In the store; OH_STORE_NONE: this process goes without. */
    uint64_t wanted_ms;  /* Something has shown that the map may be old: when; 0: nothing has. */
    uint32_t calls;      /* Since it was last looked whether the map is old for its years. */
    uint64_t reads;      /* That were given to whoever is fastest. */
    /* Reads of each master, by its index, that were given to those who take turns. */
    uint32_t turns[OH_POOL_SERVERS_MAX];
    uint64_t asked_ms;  /* Without a store: when the last refresh began. */
    bool has_no_shards; /* Its nodes are older than 7.0: CLUSTER SLOTS is asked. */
    /* None of the nodes it knows has answered: the next one asks the seeds. */
    bool doubts_nodes;
    bool has_preferred_source; /* A redirect has named a node since: it is asked first. */
    uint32_t preferred_source;
    struct oh_refresh *refresh; /* Going on; memory of the call that began it. */
    struct oh_cluster *next;    /* That has one, too. */
} oh_cluster;

/* What the map of a server pool is known by in the store. */
void oh_cluster_identify(
    const uint8_t pool[OH_STORE_IDENTITY_BYTES], uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * The cluster of a server pool of this identity and file. Kept as long as the process. NULL: there
 * is no memory.
 */
oh_cluster *oh_cluster_open(const uint8_t pool[OH_STORE_IDENTITY_BYTES], const char *path);
void oh_cluster_forget(oh_cluster *cluster);

/*
 * The newest map, counted; the seeds are those of the newest configuration. At the first contact
 * this waits, for the nodes or for the process that asks them. NULL and a failure if none has
 * answered within the server pool's timeout.
 */
oh_snapshot *oh_cluster_discover(oh_cluster *cluster, oh_snapshot *seeds, oh_failure *failure);

/* Whether a map is no longer the newest that there is in the host. A load or two. */
bool oh_cluster_is_old(const oh_cluster *cluster, const oh_snapshot *map);

/* Catches up with the host, and holds the newest map: it is counted. */
oh_snapshot *oh_cluster_hold_newest(oh_cluster *cluster);

/*
 * A call begins: if a refresh goes on, it is moved; if one is due, it is sent. Nothing is waited
 * for.
 */
void oh_cluster_tick(oh_cluster *cluster);

/* The same, now and then, for who waits for messages and calls nothing. */
void oh_cluster_tick_waiting(oh_cluster *cluster);

/* The map may be old. */
void oh_cluster_request_refresh(oh_cluster *cluster);

/* Asks now, and waits, but not beyond the deadline: a node is named that the map does not have. */
void oh_cluster_ask(oh_cluster *cluster, uint64_t deadline_ns);

/* A slot has moved to the node of that name. */
typedef struct oh_cluster_move {
    uint32_t slot;
    oh_text name;
} oh_cluster_move;

/* Redirects have said so. Tells the whole host. */
void oh_cluster_note_moves(oh_cluster *cluster, const oh_cluster_move *moves, uint32_t count);

/*
 * The request ends: what still goes on is given a moment; and what goes on even then is given up.
 */
void oh_cluster_finish_refreshes(void);
void oh_cluster_drop_refreshes(void);

#endif
