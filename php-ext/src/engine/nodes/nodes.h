/*
 * Nodes: asks for the nodes of a server pool that are not in the configuration. A Redis Cluster
 * answers, or the Sentinels of its masters. Their answer is a map, which the processes of a host
 * share.
 *
 *     seeds ─► bootstrap ─────► map ─► store ─► snapshot of each process ─► clients, between calls
 *                                ▲
 *        refresh: asks two nodes ┤ after a redirect, after a failed connection, and now and then
 *          a redirect: that slot ┘ immediately
 *
 * One process of the host asks the nodes; the others copy the map that it publishes. Calls wait
 * only for the bootstrap. A later refresh runs beside the calls of the process that began it: a
 * call sends it, the next calls advance it, and the end of the request finishes it. No lock is held
 * during network waits. Words in the store, with a pid and the time, say which process may ask.
 *
 * Without shared memory each process asks for itself.
 *
 * With Sentinels all of them are asked instead of two nodes, and the map is the server pool as
 * configured, with the addresses that they name. If none answers, the known addresses stay in use;
 * at first these are the addresses of the configuration. So calls never fail because of the
 * Sentinels.
 *
 * Implements spec/topology/cluster.md and sentinel.md.
 */
#ifndef OH_ENGINE_NODES_H
#define OH_ENGINE_NODES_H

#include "core/cluster/cluster_map.h"
#include "core/store/store.h"

#include "engine/snapshot/snapshot.h"

struct oh_protocol;
struct oh_refresh;

/* How to treat a foreign answer: one without any node of the map. */
typedef enum oh_strangers {
    OH_STRANGERS_NONE,    /* There was none. */
    OH_STRANGERS_DOUBTED, /* There was one, so all nodes of the map are asked. */
    OH_STRANGERS_BELIEVED /* No node of the map has answered: the next one is adopted. */
} oh_strangers;

typedef struct oh_nodes {
    /* The identity of the map in the store, and of the meters of its nodes. */
    uint8_t identity[OH_STORE_IDENTITY_BYTES];
    const struct oh_protocol *protocol; /* How the nodes or Sentinels are asked. */
    oh_snapshot *seeds;                 /* The server pool as configured. */
    oh_snapshot *contacts; /* Who can be asked without a map: the seeds, or the Sentinels. */
    oh_snapshot *map;      /* The newest map of this process; NULL before the bootstrap. */
    uint64_t generation;   /* The map's. Without a store, each process counts its own. */
    /* The generation of a map in the store that belongs to another configuration or is damaged. */
    uint64_t foreign;
    /* Its entry in the store; OH_STORE_NONE if this process does not use the store. */
    uint32_t entry;
    uint64_t wanted_ms; /* When a refresh was requested; 0 if none was. */
    uint32_t calls;     /* Calls since the age of the map was last checked. */
    uint64_t due_ns;    /* With Sentinels: when that age is checked again. */
    oh_strangers strangers;
    /* A changed configuration has other seeds, whose first map is not doubted. */
    bool trusts_seeds;
    uint64_t contradicted_ms; /* Since when most Sentinels have contradicted some master; or 0. */
    bool is_silent;           /* Some master is named by no Sentinel. */
    uint64_t asked_ms;        /* Without a store: when the last refresh began. */
    bool has_no_shards;       /* Its nodes are older than 7.0, so CLUSTER SLOTS is used. */
    /* No node of the map has answered, so the next refresh asks the seeds. */
    bool doubts_nodes;
    bool has_preferred_source; /* A redirect has named a node, which the next refresh asks first. */
    uint32_t preferred_source;
    /* The running refresh, in memory of the call that began it, or NULL. */
    struct oh_refresh *refresh;
    struct oh_nodes *next; /* The next oh_nodes with a running refresh. */
} oh_nodes;

/* Who is asked for the nodes of a server pool. */
typedef enum oh_map_kind { OH_MAP_OF_CLUSTER, OH_MAP_OF_SENTINELS, OH_MAP_KINDS_COUNT } oh_map_kind;

/* OH_MAP_KINDS_COUNT if the configuration says where the nodes are. */
oh_map_kind oh_map_kind_of(const oh_server_pool *pool);

/* The identity of a server pool's map in the store. */
void oh_map_identify(const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_map_kind kind,
    uint8_t identity[OH_STORE_IDENTITY_BYTES]);

/*
 * Makes the nodes of a server pool with this identity and file. They live as long as the process.
 * NULL if there is no memory.
 */
oh_nodes *oh_nodes_open(
    const uint8_t pool[OH_STORE_IDENTITY_BYTES], oh_map_kind kind, const char *path);
void oh_nodes_forget(oh_nodes *nodes);

/*
 * Returns the newest map, counted. `seeds` is the newest configuration. The first call bootstraps:
 * it waits for the nodes, or for the process that asks them. NULL and a failure if no node has
 * answered within the server pool's timeout.
 */
oh_snapshot *oh_nodes_discover(oh_nodes *nodes, oh_snapshot *seeds, oh_failure *failure);

/* True if a map is no longer the newest of the host. Costs one or two loads from memory. */
bool oh_nodes_are_old(const oh_nodes *nodes, const oh_snapshot *map);

/* Copies a newer map of the host, if there is one. Returns the newest map, counted. */
oh_snapshot *oh_nodes_hold_newest(oh_nodes *nodes);

/*
 * Called when a call begins. Advances a running refresh, or sends one that is due. Does not wait.
 */
void oh_nodes_tick(oh_nodes *nodes);

/*
 * Like oh_nodes_tick, but called from time to time by a client that waits for messages and makes no
 * calls.
 */
void oh_nodes_tick_waiting(oh_nodes *nodes);

/* Requests a refresh, because the map may be old. */
void oh_nodes_request_refresh(oh_nodes *nodes);

/*
 * Refreshes now and waits at most until the deadline. Used for redirects to nodes that the map does
 * not have, and for commands that a watched master has not executed.
 */
void oh_nodes_ask(oh_nodes *nodes, uint64_t deadline_ns);

/*
 * A call has just failed at this node of a Redis Cluster's map. True if, by the newest map, a
 * replica may be promoted in its place, so that the call may wait for that. oh_nodes_await_failover
 * waits until there is a newer map than this one, at most for OH_FAILOVER_CHECK_MS. Meanwhile the
 * host asks for the map once in each OH_FAILOVER_CHECK_MS.
 */
bool oh_nodes_may_fail_over(const oh_snapshot *map, uint32_t node);
void oh_nodes_await_failover(const oh_snapshot *map, uint64_t deadline_ns);

/* A slot that has moved to the node with this name. */
typedef struct oh_slot_move {
    uint32_t slot;
    oh_text name;
} oh_slot_move;

/* Publishes moves, which redirects have reported, to the whole host. */
void oh_nodes_note_moves(oh_nodes *nodes, const oh_slot_move *moves, uint32_t count);

/*
 * Called at the end of a request: waits a moment for running refreshes to finish, then gives them
 * up.
 */
void oh_nodes_finish_refreshes(void);
void oh_nodes_drop_refreshes(void);

#endif
