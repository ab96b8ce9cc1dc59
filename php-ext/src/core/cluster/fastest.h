/*
 * Fastest: which of the nodes that have a key answers it soonest, as this host has measured it
 * (`read_from: lowest_latency`).
 *
 * One number is kept for each node: a mean of the times of its reads, 0 before the first read. Each
 * new time has a weight of one eighth. Several processes write it without a lock, and a lost time
 * does not matter.
 *
 * Implements spec/topology/cluster.md, section 7.
 */
#ifndef OH_FASTEST_H
#define OH_FASTEST_H

#include <stdint.h>

#include "core/generated/limits.h"

typedef struct oh_fastest_node {
    uint32_t node;
    uint64_t smoothed_ns;
} oh_fastest_node;

/* The mean after one more read. */
uint64_t oh_fastest_smooth(uint64_t smoothed_ns, uint64_t took_ns);

/*
 * Chooses one of the nodes, at least one and ascending, for a read. `reads` is the number of reads
 * before this one, and `last` is the node of the latest of them.
 */
uint32_t oh_fastest_choose(
    const oh_fastest_node *nodes, uint32_t count, uint64_t reads, uint32_t last);

#endif
