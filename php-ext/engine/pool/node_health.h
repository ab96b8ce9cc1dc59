/*
 * Node health: if a node may be used, as this process or all workers of the host have found out.
 *
 * All workers of a server share one word for a node, in the segment. The first one that finds the
 * node dead waits; all others fail immediately. A process that is alone, or has no segment, has its
 * own word. Beside the word is the sentence of the last failure: it tells a refused caller why the
 * node rests.
 *
 * The process that changes the word to "down", or back, writes the line of the log. So there is one
 * line for a host.
 *
 * On the road: pool asks before it leases, and each exchange reports its outcome to pool.
 * snapshot/ejection takes ejected nodes out of placement.
 *
 * Implements spec/health (the rules themselves: core/host/health.h).
 */
#ifndef OH_ENGINE_NODE_HEALTH_H
#define OH_ENGINE_NODE_HEALTH_H

#include "core/host/health.h"
#include "core/topology/server_pool.h"
#include "core/host/store.h"

#include "engine/failure/failure.h"

/* The health of one node, for all that share its connections. It must not be moved in memory. */
typedef struct oh_node_health {
    oh_store_health *known; /* The host's, or `own`. */
    oh_store_health own;
    oh_health_rules rules;
    char *label; /* As the log names it. */
} oh_node_health;

/* `host` is NULL if the segment has no entry for the node. False if there is no memory. */
bool oh_node_health_begin(oh_node_health *health, oh_store_health *host, const oh_server_pool *pool,
    const oh_server *server);
void oh_node_health_end(oh_node_health *health);

/* The node has another entry in the segment, or none. */
void oh_node_health_move(oh_node_health *health, oh_store_health *host);

/*
 * True if the caller may use the node now. Of a node that rests only one caller at a time may try.
 * A failure must pass `born` back. The deadline bounds how long other callers wait for this one's
 * result. If false, the failure is filled.
 */
bool oh_node_health_ask(
    oh_node_health *health, uint64_t deadline_ns, uint64_t *born, oh_failure *failure);

/*
 * A caller that has `born` has waited since, and begins only now. False if the node has gone down,
 * come back or failed again meanwhile: then the caller must ask again.
 */
bool oh_node_health_begin_late(const oh_node_health *health, uint64_t *born);

/*
 * Reports the outcome: a failure that the node caused, with a sentence, or a reply that has just
 * arrived.
 */
void oh_node_health_fail(
    oh_node_health *health, oh_health_cause cause, uint64_t born, const char *why);
void oh_node_health_answer(oh_node_health *health, uint64_t now_ms);

/* ---- Where nodes are ejected ---- */

/*
 * For a ring that is built now: 0 if the node belongs to it, also because its time has come;
 * otherwise its time.
 */
uint64_t oh_node_health_out_until(oh_node_health *health, uint64_t looked_ms);

/* How often any node of the host has been ejected or has returned. */
uint64_t oh_node_health_changes(void);

#endif
