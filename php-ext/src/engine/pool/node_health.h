/*
 * Node health: the circuit breaker of a node, shared by all workers of the host.
 *
 * All workers of a server share one word for each node, in the segment. The first caller that finds
 * the node dead waits; all others fail immediately. A process without a segment has its own word.
 * Next to the word is the text of the last failure, which goes into the failures of refused
 * callers.
 *
 * The process that changes the word to "down", or back, logs it. So there is one line per host.
 *
 * pool asks before it leases, and each exchange reports its outcome to pool. snapshot/ejection
 * removes ejected nodes from placement.
 *
 * Implements spec/health (the rules themselves: core/health/health.h).
 */
#ifndef OH_ENGINE_NODE_HEALTH_H
#define OH_ENGINE_NODE_HEALTH_H

#include "core/base/compiler.h"
#include "core/health/health.h"
#include "core/topology/server_pool.h"
#include "core/store/store.h"

#include "engine/failure/failure.h"

/* The health of one node, for all that share its connections. It must not be moved in memory. */
typedef struct oh_node_health {
    oh_store_health *known; /* The host's, or `own`. */
    oh_store_health own;
    oh_health_rules rules;
    char *label;   /* Its name in the log. */
    bool has_keys; /* False for a Sentinel. */
} oh_node_health;

/* `host` is NULL if the segment has no entry for the node. False if there is no memory. */
bool oh_node_health_begin(oh_node_health *health, oh_store_health *host, const oh_server_pool *pool,
    const oh_server *server);
void oh_node_health_end(oh_node_health *health);

/* Switches to another entry in the segment, or to none. */
void oh_node_health_move(oh_node_health *health, oh_store_health *host);

/*
 * True if the caller may use the node now. Only one caller at a time may try a node that rests. If
 * its attempt fails, the caller passes `born` back. The deadline limits how long other callers wait
 * for the result of the attempt. If it returns false, the failure is set.
 */
bool oh_node_health_ask(
    oh_node_health *health, uint64_t deadline_ns, uint64_t *born, oh_failure *failure);

/* True, with the failure, if no caller may use the node now. Unlike asking, it tries nothing. */
bool oh_node_health_rests(const oh_node_health *health, oh_failure *failure);

/*
 * For a caller that has waited since it got `born` and begins only now. False if the node has gone
 * down, come back or failed again in the meantime; then the caller must ask again.
 */
bool oh_node_health_begin_late(const oh_node_health *health, uint64_t *born);

/*
 * Reports the outcome: a failure that the node caused, with its reason, or a reply that has just
 * arrived. True if the node is down after the failure.
 */
bool oh_node_health_fail(
    oh_node_health *health, oh_health_cause cause, uint64_t born, const char *why);
void oh_node_health_answer(oh_node_health *health, uint64_t now_ms);

/*
 * A call has failed at a master of a Redis Cluster. True if calls wait for a replica to be promoted
 * in its place. `has_heir`: the newest map has a replica that may be promoted.
 */
bool oh_node_health_awaits_heir(oh_node_health *health, bool has_heir);

/* ---- Its connections ---- */

/* Connections whose last reply is older must not be leased again. */
void oh_node_health_condemn(oh_node_health *health, uint64_t older_than_ms);

/* True if a connection whose last reply arrived at `used_ms` is not condemned. */
static inline bool oh_node_health_allows(
    const oh_node_health *health, uint64_t used_ms, uint64_t now_ms)
{
    uint64_t condemned_ms =
        atomic_load_explicit(&health->known->condemned_ms, memory_order_relaxed);

    /* An instant in the future is damage. */
    return OH_LIKELY(used_ms > condemned_ms) || condemned_ms > now_ms;
}

/* ---- Ejection ---- */

/*
 * For a ring that is built now: 0 if the node belongs to it, otherwise the instant when it may
 * return. A node whose instant has passed belongs to it.
 */
uint64_t oh_node_health_out_until(oh_node_health *health, uint64_t checked_ms);

/* How often nodes of the host have been ejected or have returned. */
uint64_t oh_node_health_changes(void);

#endif
