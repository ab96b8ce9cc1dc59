/*
 * The ring itself: ascending points, a guard that closes them, and ranges that make a look-up one
 * read. Also the two distributions that need little more: modula and random.
 *
 * Implements spec/placement.
 */
#include "core/placement/placement.h"

/*
 * With four to eight ranges for each point one look-up in a hundred has to walk. That is worth the
 * memory while the ranges stay in a cache. In a larger ring a cache miss costs more than the walk.
 */
#define RANGES_PER_POINT 4
#define RANGES_IN_CACHE 65536 /* 512 KiB. */

size_t oh_ring_ranges(size_t points_count)
{
    size_t ranges = 1;

    while (ranges < points_count ||
           (ranges < RANGES_PER_POINT * points_count && ranges < RANGES_IN_CACHE)) {
        ranges *= 2;
    }
    return ranges;
}

/* Moves all points, sorted by the eight bits at `bit`; equal ones keep their order. */
static void sort_by_byte(oh_point *to, const oh_point *from, size_t count, unsigned bit)
{
    size_t places[256] = {0};

    for (size_t i = 0; i < count; i++) {
        places[from[i].value >> bit & 0xff]++;
    }
    size_t place = 0;
    for (int byte = 0; byte < 256; byte++) {
        size_t next = place + places[byte];

        places[byte] = place;
        place = next;
    }
    for (size_t i = 0; i < count; i++) {
        to[places[from[i].value >> bit & 0xff]++] = from[i];
    }
}

/*
 * A radix sort, because it is stable: of equal points the node that comes first in its pool stays
 * first.
 */
void oh_ring_sort(oh_point *points, oh_point *spare, size_t count)
{
    sort_by_byte(spare, points, count, 0);
    sort_by_byte(points, spare, count, 8);
    sort_by_byte(spare, points, count, 16);
    sort_by_byte(points, spare, count, 24);
}

uint32_t oh_ring_shift(uint32_t number_max, size_t ranges_count)
{
    uint32_t shift = 0;

    while (number_max >> shift >= ranges_count) {
        shift++;
    }
    return shift;
}

void oh_ring_close(
    oh_point *points, size_t count, oh_range *ranges, size_t ranges_count, uint32_t shift)
{
    points[count] = (oh_point){UINT32_MAX, points[0].node};
    size_t first = 0;
    for (size_t i = 0; i < ranges_count; i++) {
        size_t next = first;

        while (next < count && points[next].value >> shift == i) {
            next++;
        }
        if (next - first > 1) {
            ranges[i] = (oh_range){(uint32_t)first, {OH_CROWDED, OH_CROWDED}};
        } else {
            uint16_t node = (uint16_t)points[first].node;

            ranges[i] = (oh_range){points[first].value, {node, (uint16_t)points[next].node}};
        }
        first = next;
    }
}

size_t oh_ring_search(const oh_point *points, size_t count, uint32_t number)
{
    size_t left = 0;
    size_t right = count;

    while (left < right) {
        size_t middle = left + (right - left) / 2;

        if (points[middle].value < number) {
            left = middle + 1;
        } else {
            right = middle;
        }
    }
    return left;
}

uint32_t oh_ring_walk(const oh_point *point, uint32_t number)
{
    while (point->value < number) {
        point++;
    }
    return point->node;
}

/*
 * ---- Modula ----
 *
 * Nodes are in sorted order, so a new node in the middle moves the slots of all that follow.
 * nutcracker does the same. A table of slots could be as long as the sum of the weights; the ring
 * needs one point for each node.
 */

oh_point oh_modula_point(uint32_t slots_end, uint32_t node)
{
    return (oh_point){slots_end - 1, node};
}

uint32_t oh_modula_slot(uint32_t hash, uint32_t slots_count)
{
    return hash % slots_count;
}

/*
 * ---- Random ----
 *
 * A write and its read go to different nodes, so this distribution is only useful if every node has
 * the same data. It needs an even spread and speed, not secrecy: a counter per thread, mixed
 * (splitmix64).
 */

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

uint32_t oh_random_draw(uint32_t count, uint32_t stir)
{
    static _Thread_local uint64_t state;
    if (state == 0) {
        /* Differs from process to process where addresses are randomised. */
        state = mix((uint64_t)(uintptr_t)&state);
    }
    state = state + 0x9e3779b97f4a7c15u + stir;
    return (uint32_t)((mix(state) >> 32) * count >> 32);
}
