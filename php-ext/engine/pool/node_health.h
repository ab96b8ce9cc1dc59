/*
 * Node health: whether a node is worth asking, as this process or all workers of the host have
 * found out.
 *
 * All workers of a server share one word for a node, in the segment. The first one that finds the
 * node dead waits, all others fail at once. A process that is alone, or has no segment, has its own
 * word. Beside the word stands the sentence of the failure for which the node last rested: a caller
 * that is refused wants to know why.
 *
 * The process that changes the word to "down", or back, writes the line of the log. So there is one
 * line for a host.
 *
 * On the road: pool asks before it leases, and is told by the verdict of each exchange.
 * snapshot/ejection takes nodes out of placement by it.
 *
 * Implements spec/health (the rules themselves: core/host/health.h).
 */
#ifndef OH_ENGINE_NODE_HEALTH_H
#define OH_ENGINE_NODE_HEALTH_H

#include "core/host/health.h"
#include "core/topology/server_pool.h"
#include "core/host/store.h"

#include "engine/failure/failure.h"

/* Of one node, for all who share its connections. Not to be moved. */
typedef struct oh_node_health {
    oh_store_health *known; /* The host's, or `own`. */
    oh_store_health own;
    oh_health_rules rules;
    char *label; /* As the log names it. */
} oh_node_health;

/* `host` is NULL if the segment has no place for the node. False: there is no memory. */
bool oh_node_health_begin(oh_node_health *health, oh_store_health *host, const oh_server_pool *pool,
    const oh_server *server);
void oh_node_health_end(oh_node_health *health);

/* The node has another place in the segment, or none. */
void oh_node_health_move(oh_node_health *health, oh_store_health *host);

/*
 * Whether the node is worth asking now: one that rests is asked by one caller at a time. `born` is
 * what a failure must give back; the deadline bounds how long others wait for this caller's result.
 * False and a failure.
 */
bool oh_node_health_ask(
    oh_node_health *health, uint64_t deadline_ns, uint64_t *born, oh_failure *failure);

/*
 * Who was told `born` has waited since, and begins only now. False: the node has gone down, come
 * back or failed again meanwhile, so he must ask again.
 */
bool oh_node_health_begin_late(const oh_node_health *health, uint64_t *born);

/*
 * What became of it: a failure that is the node's, told in a sentence, or a reply that has just
 * arrived.
 */
void oh_node_health_fail(
    oh_node_health *health, oh_health_cause cause, uint64_t born, const char *why);
void oh_node_health_answer(oh_node_health *health, uint64_t now_ms);

/* ---- Where nodes are ejected ---- */

/*
 * For a ring that is built now: 0 if the node is in it, where it returns to if its time has come;
 * or its time.
 */
uint64_t oh_node_health_out_until(oh_node_health *health, uint64_t looked_ms);

/* How often any node of the host has been ejected or has returned. */
uint64_t oh_node_health_changes(void);

#endif
