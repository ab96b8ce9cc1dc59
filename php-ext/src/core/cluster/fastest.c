/*
 * The node with the lowest mean. Now and then another node gets a read; otherwise no process would
 * notice that it has become faster.
 *
 * Implements spec/topology/cluster.md, section 7.
 */
#include "core/cluster/fastest.h"

uint64_t oh_fastest_smooth(uint64_t smoothed_ns, uint64_t took_ns)
{
    uint64_t next = smoothed_ns == 0 ? took_ns : smoothed_ns - smoothed_ns / 8 + took_ns / 8;

    return next > 0 ? next : 1;
}

uint32_t oh_fastest_choose(
    const oh_fastest_node *nodes, uint32_t count, uint64_t reads, uint32_t last)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i].smoothed_ns == 0) {
            return nodes[i].node;
        }
        if (nodes[i].smoothed_ns < nodes[best].smoothed_ns ||
            (nodes[i].smoothed_ns == nodes[best].smoothed_ns && nodes[i].node == last)) {
            best = i;
        }
    }
    if (count > 1 && reads % OH_FASTEST_OTHERS_EVERY == OH_FASTEST_OTHERS_EVERY - 1) {
        uint32_t other = (uint32_t)(reads / OH_FASTEST_OTHERS_EVERY % (count - 1));

        best = other < best ? other : other + 1;
    }
    return nodes[best].node;
}
