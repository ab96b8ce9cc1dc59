/*
 * Live ring: the topology of a server pool without some of its nodes, which keep their indexes.
 *
 * A ring never changes, and its users are counted: a pipeline, a transaction or a subscription
 * keeps the ring it began with to its end.
 */
#ifndef OH_ENGINE_LIVE_RING_H
#define OH_ENGINE_LIVE_RING_H

#include "core/topology/topology.h"

typedef struct oh_live_ring {
    uint32_t references;
    oh_topology *topology;
    bool *ejected; /* By index. */
} oh_live_ring;

/* A ring without the flagged nodes. It takes over the flags. NULL if there is no memory. */
oh_live_ring *oh_live_ring_build(const oh_server_pool *pool, bool *ejected);

static inline void oh_live_ring_hold(oh_live_ring *ring)
{
    ring->references++;
}

/* NULL is allowed. */
void oh_live_ring_release(oh_live_ring *ring);

#endif
