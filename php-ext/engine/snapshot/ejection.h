/*
 * Ejection: what keys are placed by while nodes are out of the ring, for server pools with auto_eject_hosts.
 *
 *     health of each node (the host's) ──► ring of this process: the topology without those that are out ──► clients
 *               ▲
 *     a count of changes, and the instant at which the next node may return, say when to look again: one load for a call
 *
 * Every process builds for itself, from what all of them know; nobody waits for anybody. A ring never changes: who began
 * a pipeline, a transaction or a subscription with one ends it with that one.
 *
 * Implements spec/health, "Ejecting": rebuild.
 */
#ifndef OH_ENGINE_EJECTION_H
#define OH_ENGINE_EJECTION_H

#include "core/topology/topology.h"

struct oh_snapshot;

/* The topology of a server pool without some of its nodes, which keep their indexes. Counted. */
typedef struct oh_ring {
    uint32_t references;
    oh_topology *topology;
    bool *ejected; /* By index. */
} oh_ring;

/* Where a snapshot stands. */
typedef struct oh_ejection {
    oh_ring *ring;   /* NULL: every node is in, keys are placed as configured. */
    uint64_t seen;   /* The count of changes that is in it. */
    uint64_t due_ms; /* When the first node may return; 0: none is out. */
} oh_ejection;

/* Before anything was looked at. */
void oh_ejection_begin(oh_ejection *ejection);
void oh_ejection_end(oh_ejection *ejection);

/*
 * The ring to place by now, built anew if nodes left or may return; NULL: the topology of the snapshot. To be held by
 * whoever keeps it longer than until the next call of this.
 */
oh_ring *oh_ejection_follow(struct oh_snapshot *snapshot);

static inline void oh_ring_hold(oh_ring *ring)
{
    ring->references++;
}

void oh_ring_release(oh_ring *ring);

#endif
