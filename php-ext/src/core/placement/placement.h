/*
 * Placement: from a hash to a node, with a ring of points.
 *
 * A point is (value, node). Points are in ascending order. A number belongs to the first point
 * whose value is not below it. A number above the last point belongs to the first point. `ketama`
 * spreads digests of the nodes' names over 32 bits. `modula` is the same ring over the slots 0 ..
 * sum of weights - 1, with one point at the last slot of each node. `random` draws a point and
 * ignores the number.
 *
 * A binary search over a thousand points costs ten mispredicted branches. So the numbers are cut
 * into equal ranges, several for each point. Then most look-ups are one shift, one read and one
 * comparison without a branch:
 *
 *     range of   nodes                what a number of the range gets
 *     0 points   {b, b}               the next point's node
 *     1 point    {b, c}               up to the point (split) its node, above it the next one's
 *     more       {CROWDED, CROWDED}   a walk from the point at split; one range in a hundred
 *
 * Pure functions over the caller's memory; topology owns the layout. A call comes here from hash.
 *
 * Implements spec/placement.
 */
#ifndef OH_PLACEMENT_H
#define OH_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/compiler.h"
#include "core/generated/limits.h"

/* Points per node if all weigh the same and rounding removes none: 40 groups of 4. */
#define OH_KETAMA_POINTS 160

typedef struct oh_point {
    uint32_t value;
    uint32_t node;
} oh_point;

typedef struct oh_range {
    /* The value of the range's one point; if crowded, the place of its first point. */
    uint32_t split;
    uint16_t nodes[2];
} oh_range;

#define OH_CROWDED UINT16_MAX
_Static_assert(
    OH_POOL_SERVERS_MAX <= OH_CROWDED, "A node's index must fit a range and differ from the mark.");

/* ---- Ring ---- */

/*
 * The number of ranges of a ring with this many points: at least one for each point, so a sort can
 * use the memory of the ranges as its spare.
 */
size_t oh_ring_ranges(size_t points_count);

/* Sorts by value; equal values keep their order. `spare` has room for as many points. */
void oh_ring_sort(oh_point *points, oh_point *spare, size_t count);

/* How many low bits are shifted out of a number, 0 .. number_max, to get its range. */
uint32_t oh_ring_shift(uint32_t number_max, size_t ranges_count);

/*
 * Closes a ring of `count` sorted points, count > 0: writes all ranges and, after the points, a
 * guard of the greatest value that stands for the first point.
 */
void oh_ring_close(
    oh_point *points, size_t count, oh_range *ranges, size_t ranges_count, uint32_t shift);

/*
 * Finds by binary search the point that `number` belongs to. If it returns `count`, the place of
 * the guard, that is the first point.
 */
size_t oh_ring_search(const oh_point *points, size_t count, uint32_t number);

/*
 * The node that `number` belongs to. Walks from `point` to the point of the number, or to the
 * guard. `point` must not be behind the point of the number.
 */
uint32_t oh_ring_walk(const oh_point *point, uint32_t number);

/* The node that `number` belongs to, by range. */
static inline uint32_t oh_ring_locate(
    const oh_point *points, const oh_range *ranges, uint32_t shift, uint32_t number)
{
    const oh_range *range = &ranges[number >> shift];

    /* No branch: half of them would be mispredicted. */
    uint32_t node = range->nodes[number > range->split];
    return OH_UNLIKELY(node == OH_CROWDED) ? oh_ring_walk(points + range->split, number) : node;
}

/* ---- Wide ring: points of 64 bits ---- */

typedef struct oh_wide_point {
    uint64_t value;
    uint32_t node;
    uint32_t zero; /* Fills the gap, because no byte of a topology may be undefined. */
} oh_wide_point;

/*
 * Like the functions for a ring. `spare` has room for as many points; ranges are those of the upper
 * halves of numbers.
 */
void oh_wide_ring_sort(oh_wide_point *points, oh_wide_point *spare, size_t count);
void oh_wide_ring_close(
    oh_wide_point *points, size_t count, oh_range *ranges, size_t ranges_count, uint32_t shift);
size_t oh_wide_ring_search(const oh_wide_point *points, size_t count, uint64_t number);

/* The node that `number` belongs to. */
uint32_t oh_wide_ring_locate(const oh_wide_point *points, size_t count, const oh_range *ranges,
    uint32_t shift, uint64_t number);

/* ---- Ketama ---- */

/* Groups of four points that a node gets; may be 0 for a light node among heavy ones. */
uint32_t oh_ketama_groups(uint32_t weight, uint32_t weights_sum, uint32_t nodes_count);

/* Writes the 4 * groups points of a node, unsorted, and returns the place after them. */
oh_point *oh_ketama_points(
    oh_point *points, const char *name, size_t name_length, uint32_t node, uint32_t groups);

/* ---- Modula: a node owns as many slots in a row as it weighs ---- */

/* The point of a node whose slots end just below `slots_end`: its last slot. */
oh_point oh_modula_point(uint32_t slots_end, uint32_t node);

/* The slot of a hash among `slots_count` slots. */
uint32_t oh_modula_slot(uint32_t hash, uint32_t slots_count);

/* ---- Random: any node, whatever the key ---- */

/*
 * A number below `count`, count > 0. Forked processes inherit the same state; `stir` makes their
 * numbers differ.
 */
uint32_t oh_random_draw(uint32_t count, uint32_t stir);

#endif
