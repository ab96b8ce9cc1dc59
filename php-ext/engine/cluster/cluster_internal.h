/*
 * The inside of room cluster, the lower parts first: map_store (the map that the host publishes,
 * and this process' copy), refresh_targets (which nodes to ask), refresh (asking two nodes),
 * bootstrap (the first contact), and the cluster itself.
 */
#ifndef OH_ENGINE_CLUSTER_INTERNAL_H
#define OH_ENGINE_CLUSTER_INTERNAL_H

#include "core/generated/timings.h"

#include "engine/cluster/cluster.h"

#define OH_ASKED_MAX 2     /* Nodes in parallel. */
#define OH_LOOK_AGAIN_MS 2 /* For the work of another process. */

/* ---- Map store ---- */

/* Replaces a snapshot by another one, which is counted already, or by none. */
void oh_map_set(oh_snapshot **place, oh_snapshot *snapshot);

/* True if a node of that name is in the map. There must be a map. */
bool oh_map_has(const oh_cluster *cluster, oh_text name);

/*
 * Publishes and adopts the chosen map. False if it is not better than the present one, or there is
 * no memory.
 */
bool oh_map_adopt(oh_cluster *cluster, const oh_server_pool *pool);

/* Copies what another process has published, if it is newer. */
void oh_map_catch_up(oh_cluster *cluster);

/* ---- Refresh targets ---- */

/* A list of nodes that may be asked, in memory of the call. NULL if there is no memory. */
uint32_t *oh_targets_list(const oh_snapshot *snapshot, uint32_t *count);

/* Draws one of them by chance and moves it to the front. */
uint32_t oh_targets_draw(uint32_t *nodes, uint32_t count);

/* Moves a node to the front. False if it is not in the list. */
bool oh_targets_put_first(uint32_t *nodes, uint32_t count, uint32_t node);

/* ---- Refresh ---- */

/*
 * True if this process may refresh now: no process of the host has for `every_ms`. The other
 * returns when one last has.
 */
bool oh_refresh_is_my_turn(oh_cluster *cluster, uint32_t every_ms);
uint64_t oh_refresh_asked_ms(const oh_cluster *cluster);

/*
 * Begins to ask two nodes of the map: sends, and does not wait. The other one goes on, and waits at
 * most `wait_ms`.
 */
void oh_refresh_begin(oh_cluster *cluster, uint64_t deadline_ns);
void oh_refresh_move(oh_cluster *cluster, uint32_t milliseconds);

/* Gives up the refresh. */
void oh_refresh_end(oh_cluster *cluster);

/* The cluster whose refresh began last; NULL if none goes on. */
oh_cluster *oh_refresh_going_on(void);

/*
 * Asks the first two of these seeds, and waits. True if there is a map. Otherwise there is a
 * failure for each that was asked.
 */
bool oh_refresh_ask_seeds(oh_cluster *cluster, const uint32_t *nodes, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures);

/* ---- Bootstrap ---- */

/*
 * The first contact. True if there is a map. Otherwise the failure lists what happened at each
 * node.
 */
bool oh_cluster_bootstrap(oh_cluster *cluster, oh_failure *failure);

/* The deadline of the first contact, and of the first answer after a change of servers. */
uint64_t oh_bootstrap_deadline(const oh_cluster *cluster);

#endif
