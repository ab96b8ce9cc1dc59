/*
 * Builds the topology as if the ejected nodes were not configured, and leaves their indexes unused.
 */
#include "engine/snapshot/live_ring.h"

#include "core/base/memory.h"

static void release(oh_live_ring *ring)
{
    oh_memory_release(ring->topology);
    oh_memory_release(ring->ejected);
    oh_memory_release(ring);
}

oh_live_ring *oh_live_ring_build(const oh_server_pool *pool, bool *ejected)
{
    size_t size = oh_topology_size(pool);
    oh_live_ring *ring = oh_memory_zeroed(1, sizeof *ring);

    if (!ring) {
        oh_memory_release(ejected);
        return NULL;
    }
    ring->references = 1;
    ring->ejected = ejected;
    ring->topology = oh_memory_allocate(size);
    if (!ring->topology) {
        release(ring);
        return NULL;
    }
    oh_topology_build(pool, ejected, ring->topology, size);
    return ring;
}

void oh_live_ring_release(oh_live_ring *ring)
{
    if (ring && --ring->references == 0) {
        release(ring);
    }
}
