/*
 * Live ring: the topology of a server pool without some of its nodes, which keep their indexes.
 *
 * A ring never changes, and it is counted: a pipeline, a transaction or a subscription that began
 * with one ends with it.
 */
#ifndef OH_ENGINE_LIVE_RING_H
#define OH_ENGINE_LIVE_RING_H

#include "core/topology/topology.h"

typedef struct oh_live_ring {
    uint32_t references;
    oh_topology *topology;
    bool *ejected; /* By index. */
} oh_live_ring;

/* A ring without the nodes that are flagged. It takes over the flags. NULL: there is no memory. */
oh_live_ring *oh_live_ring_build(const oh_server_pool *pool, bool *ejected);

static inline void oh_live_ring_hold(oh_live_ring *ring)
{
    ring->references++;
}

/* NULL is fine. */
void oh_live_ring_release(oh_live_ring *ring);

#endif
