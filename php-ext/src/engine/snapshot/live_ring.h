/*
 * Live ring: the topology of a server pool without some of its nodes, which keep their indexes.
 *
 * A ring is immutable and counted: a pipeline, a transaction or a subscription holds the ring it
 * began with.
 */
#ifndef OH_ENGINE_LIVE_RING_H
#define OH_ENGINE_LIVE_RING_H

#include "core/topology/topology.h"

typedef struct oh_live_ring {
    uint32_t references;
    oh_topology *topology;
    bool *ejected; /* By index. */
} oh_live_ring;

/* Builds a ring without the flagged nodes. Takes over the flags. NULL if there is no memory. */
oh_live_ring *oh_live_ring_build(const oh_server_pool *pool, bool *ejected);

static inline void oh_live_ring_hold(oh_live_ring *ring)
{
    ring->references++;
}

/* NULL is allowed. */
void oh_live_ring_release(oh_live_ring *ring);

#endif
