/*
 * How much of the key space each node has: a fixed set of hashes, spread evenly over all numbers
 * and over all remainders, is placed and counted.
 *
 * Implements spec/meter, "Share".
 */
#include <string.h>

#include "core/topology/topology_layout.h"

static void share_equally(const oh_topology *topology, uint32_t *shares)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    for (uint32_t i = 0; i < topology->points_count; i++) {
        shares[points[i].node] = OH_SHARES / topology->points_count;
    }
}

/* A slot without a node counts for no node, even if one stands in for it. */
static void share_slots(const oh_topology *topology, uint32_t *shares)
{
    const uint16_t *slots = oh_topology_slots_table(topology);
    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        if (oh_slot_is_served(slots[slot])) {
            shares[slots[slot]] += OH_SHARES / OH_SLOTS_COUNT;
        }
    }
}

void oh_topology_shares(const oh_topology *topology, uint32_t *shares)
{
    memset(shares, 0, topology->nodes_count * sizeof *shares);
    if (topology->distribution == OH_SLOTS) {
        share_slots(topology, shares);
    } else if (topology->is_single) {
        shares[0] = OH_SHARES;
    } else if (topology->distribution == OH_RANDOM) {
        share_equally(topology, shares);
    } else {
        for (uint32_t i = 0; i < OH_SHARES; i++) {
            uint64_t hash = (uint64_t)i * (OH_SHARES + 1);
            shares[oh_topology_place(topology, topology->is_wide ? hash << 32 : hash)]++;
        }
    }
}
