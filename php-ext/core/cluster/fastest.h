/*
 * Fastest: which of the nodes that have a key answers it soonest, as this host has measured it
 * (`read_from: lowest_latency`).
 *
 * Of each node one number is remembered: a mean of how long reads took that weighs a new one with
 * an eighth, 0 while there is none. Several processes write it without a lock: a time that gets
 * lost is one of many.
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
 * Which of the nodes, at least one and ascending, is to answer a read. `reads` is how many were
 * given a node before; `last` the node that was given last.
 */
uint32_t oh_fastest_choose(
    const oh_fastest_node *nodes, uint32_t count, uint64_t reads, uint32_t last);

#endif
