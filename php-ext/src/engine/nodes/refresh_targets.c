/*
 * Chooses the nodes that a refresh asks: random nodes that are not failing, so that hosts do not
 * all ask the same one.
 */
#include "engine/nodes/nodes_internal.h"

#include "core/base/compiler.h"
#include "core/generated/timings.h"

#include "engine/base/environment.h"
#include "engine/base/random.h"

uint32_t *oh_targets_list(const oh_snapshot *snapshot, uint32_t *count)
{
    uint32_t *targets = oh_call_zeroed(snapshot->nodes_count, sizeof *targets);

    *count = 0;
    for (uint32_t i = 0; targets && i < snapshot->nodes_count; i++) {
        const oh_server *server = &snapshot->pool->servers[i];

        if (server->role != OH_GONE && !server->is_failing) {
            targets[(*count)++] = i;
        }
    }
    return targets;
}

uint32_t oh_targets_draw(uint32_t *targets, uint32_t count)
{
    uint32_t chosen = oh_random_below(count), node = targets[chosen];

    targets[chosen] = targets[0];
    return targets[0] = node;
}

bool oh_targets_put_first(uint32_t *targets, uint32_t count, uint32_t node)
{
    for (uint32_t i = 0; i < count; i++) {
        if (targets[i] == node) {
            targets[i] = targets[0];
            targets[0] = node;
            return true;
        }
    }
    return false;
}

uint64_t oh_targets_step_ns(const oh_nodes *nodes, uint32_t count)
{
    uint32_t timeout_ms = nodes->seeds->pool->timeout_ms;
    uint32_t step_ms = timeout_ms ? OH_MIN(timeout_ms / count, OH_STEP_MS_MAX) : OH_STEP_MS_MAX;

    return OH_MAX(step_ms, 1) * UINT64_C(1000000);
}
