/*
 * A ring of points of 64 bits, for a client whose hash has 64 bits.
 *
 * The upper half of a number leads to its range, as a whole number does in a narrow ring. A number
 * is searched among all points if its upper half is that of a point, which happens once in ten
 * million, or if its range is crowded.
 *
 * Implements spec/placement, sections 6 and 7.
 */
#include <stdbool.h>

#include "core/placement/placement.h"

static void sort_by_byte(oh_wide_point *to, const oh_wide_point *from, size_t count, unsigned bit)
{
    size_t places[257] = {0};

    for (size_t i = 0; i < count; i++) {
        places[(from[i].value >> bit & 0xff) + 1]++;
    }
    for (size_t byte = 1; byte < 256; byte++) {
        places[byte] += places[byte - 1];
    }
    for (size_t i = 0; i < count; i++) {
        to[places[from[i].value >> bit & 0xff]++] = from[i];
    }
}

void oh_wide_ring_sort(oh_wide_point *points, oh_wide_point *spare, size_t count)
{
    for (unsigned bit = 0; bit < 64; bit += 16) {
        sort_by_byte(spare, points, count, bit);
        sort_by_byte(points, spare, count, bit + 8);
    }
}

static uint32_t upper(uint64_t number)
{
    return (uint32_t)(number >> 32);
}

void oh_wide_ring_close(
    oh_wide_point *points, size_t count, oh_range *ranges, size_t ranges_count, uint32_t shift)
{
    points[count] = (oh_wide_point){.value = UINT64_MAX, .node = points[0].node};
    size_t first = 0;
    for (size_t i = 0; i < ranges_count; i++) {
        size_t next = first;

        while (next < count && upper(points[next].value) >> shift == i) {
            next++;
        }
        uint16_t node = (uint16_t)points[first].node;
        uint16_t after = next - first > 1 ? OH_CROWDED : (uint16_t)points[next].node;
        node = next - first > 1 ? OH_CROWDED : node;
        /* The place of a crowded range is not used. */
        uint32_t split = next - first > 1 ? 0 : upper(points[first].value);
        ranges[i] = (oh_range){split, {node, after}};
        first = next;
    }
}

size_t oh_wide_ring_search(const oh_wide_point *points, size_t count, uint64_t number)
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

uint32_t oh_wide_ring_locate(const oh_wide_point *points, size_t count, const oh_range *ranges,
    uint32_t shift, uint64_t number)
{
    const oh_range *range = &ranges[upper(number) >> shift];
    uint32_t node = range->nodes[upper(number) > range->split];
    bool is_found = node != OH_CROWDED && upper(number) != range->split;

    return OH_LIKELY(is_found) ? node : points[oh_wide_ring_search(points, count, number)].node;
}
