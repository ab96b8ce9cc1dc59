/*
 * The inside of room cluster, the lower parts first: map_store (the map that the host publishes,
 * and this process' copy), refresh_targets (whom to ask), refresh (asking two nodes), bootstrap
 * (the first contact), and the cluster itself.
 */
#ifndef OH_ENGINE_CLUSTER_INTERNAL_H
#define OH_ENGINE_CLUSTER_INTERNAL_H

#include "core/generated/timings.h"

#include "engine/cluster/cluster.h"

#define OH_ASKED_MAX 2     /* Nodes at once. */
#define OH_LOOK_AGAIN_MS 2 /* For what another process does. */

/* ---- Map store ---- */

/* Puts a snapshot, which is counted already, or none, in the place of another one. */
void oh_map_set(oh_snapshot **place, oh_snapshot *snapshot);

/* Whether a node of that name is in the map, which there is. */
bool oh_map_has(const oh_cluster *cluster, oh_text name);

/*
 * Publishes and adopts what has been chosen. False: it is no better than what there is, or there is
 * no memory.
 */
bool oh_map_adopt(oh_cluster *cluster, const oh_server_pool *pool);

/* Copies what another process has published, if it is newer. */
void oh_map_catch_up(oh_cluster *cluster);

/* ---- Refresh targets ---- */

/* Nodes that may know, to be drawn from: memory of the call. NULL: there is none. */
uint32_t *oh_targets_list(const oh_snapshot *snapshot, uint32_t *count);

/* One of them by chance, which is put in front of the rest. */
uint32_t oh_targets_draw(uint32_t *nodes, uint32_t count);

/* Puts a node in front of the rest. False: it is not among them. */
bool oh_targets_put_first(uint32_t *nodes, uint32_t count, uint32_t node);

/* ---- Refresh ---- */

/*
 * Whether this process is the one of the host that asks, nobody having asked for so long; when
 * somebody has.
 */
bool oh_refresh_is_my_turn(oh_cluster *cluster, uint32_t every_ms);
uint64_t oh_refresh_asked_ms(const oh_cluster *cluster);

/*
 * Asks two nodes of the map. Sends, and does not wait; and goes on without waiting for longer than
 * so much.
 */
void oh_refresh_begin(oh_cluster *cluster, uint64_t deadline_ns);
void oh_refresh_move(oh_cluster *cluster, uint32_t milliseconds);

/* Gives up what goes on. */
void oh_refresh_end(oh_cluster *cluster);

/* The cluster whose refresh has begun last; NULL: none goes on. */
oh_cluster *oh_refresh_going_on(void);

/*
 * Asks the first two of these seeds, and waits. True: there is a map. Otherwise there is a failure
 * of each that was asked.
 */
bool oh_refresh_ask_seeds(oh_cluster *cluster, const uint32_t *nodes, uint32_t count,
    uint64_t deadline_ns, oh_failure *failures);

/* ---- Bootstrap ---- */

/*
 * The first contact: there is a map afterwards. False, and what each node has met that was asked.
 */
bool oh_cluster_bootstrap(oh_cluster *cluster, oh_failure *failure);

/* Until when it, or the first answer of other servers, is waited for. */
uint64_t oh_bootstrap_deadline(const oh_cluster *cluster);

#endif
