/*
 * Rebuilds the ring when nodes are ejected or return. A ring is a topology that is built as if the
 * ejected nodes were not configured; their indexes are unused.
 *
 * The count of changes is read before the health words, so a change in between is noticed the next
 * time.
 */
#include "engine/snapshot/snapshot.h"

#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"
#include "core/base/memory.h"

#include "engine/pool/node_health.h"

/* Builds a ring without the flagged nodes. Takes over the flags. NULL if there is no memory. */
static oh_live_ring *build_ring(const oh_server_pool *pool, bool *ejected)
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
        oh_live_ring_release(ring);
        return NULL;
    }
    oh_topology_build(pool, ejected, ring->topology, size);
    return ring;
}

/*
 * Flags the nodes that are out, and sets when the first of them may return. Returns how many are
 * in.
 */
static uint32_t flag_ejected(
    oh_snapshot *snapshot, uint64_t now_ms, bool *ejected, uint64_t *due_ms)
{
    uint32_t live = 0;

    *due_ms = 0;
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        oh_connections *connections = oh_snapshot_connections(snapshot, i);
        uint64_t until_ms = connections ? oh_pool_out_until(connections, now_ms) : 0;

        ejected[i] = until_ms != 0;
        live += until_ms == 0;
        if (until_ms && (*due_ms == 0 || until_ms < *due_ms)) {
            *due_ms = until_ms;
        }
    }
    return live;
}

static void put_in_place(oh_ejection *ejection, oh_live_ring *ring)
{
    oh_live_ring_release(ejection->ring);
    ejection->ring = ring;
}

/* False if there is no memory. */
static bool rebuild(oh_snapshot *snapshot, uint64_t now_ms)
{
    oh_ejection *ejection = &snapshot->ejection;
    bool *ejected = oh_memory_zeroed(snapshot->nodes_count, sizeof *ejected);

    if (!ejected) {
        return false;
    }
    uint32_t live = flag_ejected(snapshot, now_ms, ejected, &ejection->due_ms);
    bool is_same =
        ejection->ring && memcmp(ejected, ejection->ring->ejected, snapshot->nodes_count) == 0;

    if (live == 0 || is_same) { /* If all nodes are out, the ring stays. */
        oh_memory_release(ejected);
        return true;
    }
    if (live == snapshot->nodes_count) {
        oh_memory_release(ejected);
        put_in_place(ejection, NULL);
        return true;
    }
    oh_live_ring *ring = build_ring(snapshot->pool, ejected);
    if (ring) {
        put_in_place(ejection, ring);
    }
    return ring != NULL;
}

oh_live_ring *oh_ejection_follow(oh_snapshot *snapshot)
{
    oh_ejection *ejection = &snapshot->ejection;
    uint64_t changes = oh_node_health_changes();

    if (OH_LIKELY(changes == ejection->seen && ejection->due_ms == 0)) {
        return ejection->ring;
    }
    uint64_t now_ms = oh_clock_now_ms();
    if (changes != ejection->seen || oh_health_is_rebuild_due(ejection->due_ms, now_ms)) {
        ejection->seen = rebuild(snapshot, now_ms) ? changes : OH_NEVER_SEEN;
    }
    return ejection->ring;
}
