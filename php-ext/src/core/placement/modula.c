/*
 * modula: the hash modulo the sum of the weights is a slot; each node owns as many slots in a row
 * as it weighs.
 *
 * Nodes are in sorted order, so a new node in the middle moves the slots of all that follow.
 * nutcracker does the same. A table of slots could be as long as the sum of the weights; the ring
 * needs one point for each node.
 *
 * Implements spec/placement, modula.
 */
#include "core/placement/placement.h"

oh_point oh_modula_point(uint32_t slots_end, uint32_t node)
{
    return (oh_point){slots_end - 1, node};
}

uint32_t oh_modula_slot(uint32_t hash, uint32_t slots_count)
{
    return hash % slots_count;
}
