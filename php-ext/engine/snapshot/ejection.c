/*
 * The count is read before the words: a change that comes in between is seen again the next time.
 */
#include "php_onehop.h"

#include "core/base/compiler.h"
#include "core/base/clock.h"

#include "engine/snapshot/ejection.h"
#include "engine/pool/node_health.h"
#include "engine/snapshot/snapshot.h"

#define NEVER_SEEN UINT64_MAX

void oh_ejection_begin(oh_ejection *ejection)
{
    *ejection = (oh_ejection){.seen = NEVER_SEEN};
}

void oh_ejection_end(oh_ejection *ejection)
{
    if (ejection->ring) {
        oh_ring_release(ejection->ring);
        ejection->ring = NULL;
    }
}

void oh_ring_release(oh_ring *ring)
{
    if (--ring->references == 0) {
        free(ring->topology);
        free(ring->ejected);
        free(ring);
    }
}

/* Takes over the flags. */
static oh_ring *build(const oh_pool *pool, bool *ejected)
{
    oh_ring *ring = pemalloc(sizeof *ring, true);
    size_t size = oh_topology_size(pool);

    ring->references = 1;
    ring->ejected = ejected;
    ring->topology = pemalloc(size, true);
    oh_topology_build(pool, ejected, ring->topology, size);
    return ring;
}

/* Flags who is out, and when the first of them may return. How many are in. */
static uint32_t look(oh_snapshot *snapshot, uint64_t now_ms, bool *ejected, uint64_t *due_ms)
{
    uint32_t live = 0;

    *due_ms = 0;
    for (uint32_t i = 0; i < snapshot->nodes_count; i++) {
        uint64_t until_ms = oh_pool_out_until(oh_snapshot_connections(snapshot, i), now_ms);

        ejected[i] = until_ms != 0;
        live += until_ms == 0;
        if (until_ms && (*due_ms == 0 || until_ms < *due_ms)) {
            *due_ms = until_ms;
        }
    }
    return live;
}

static void rebuild(oh_snapshot *snapshot, uint64_t now_ms)
{
    oh_ejection *ejection = &snapshot->ejection;
    bool *ejected = pecalloc(snapshot->nodes_count, sizeof *ejected, true);
    uint32_t live = look(snapshot, now_ms, ejected, &ejection->due_ms);
    bool is_same = ejection->ring && memcmp(ejected, ejection->ring->ejected, snapshot->nodes_count) == 0;

    if (live == 0 || is_same) { /* Without any node the ring stays the one that it was. */
        free(ejected);
        return;
    }
    oh_ejection_end(ejection);
    if (live == snapshot->nodes_count) {
        free(ejected);
    } else {
        ejection->ring = build(snapshot->pool, ejected);
    }
}

oh_ring *oh_ejection_follow(oh_snapshot *snapshot)
{
    oh_ejection *ejection = &snapshot->ejection;
    uint64_t changes = oh_node_health_changes();

    if (OH_LIKELY(changes == ejection->seen && ejection->due_ms == 0)) {
        return ejection->ring;
    }
    uint64_t now_ms = oh_clock_now_ms();
    if (changes != ejection->seen || oh_health_is_rebuild_due(ejection->due_ms, now_ms)) {
        ejection->seen = changes;
        rebuild(snapshot, now_ms);
    }
    return ejection->ring;
}
