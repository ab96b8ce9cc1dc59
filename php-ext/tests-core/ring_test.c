/*
 * The ring's ranges against a linear search, on pools of many sizes and weights: at every point,
 * beside every point, at both ends, and at random numbers.
 */
#include <stdlib.h>

#include "core/topology/topology_layout.h"
#include "check.h"
#include "vectors.h"

/* The rule, literally: the first point that is not below the number, or else the first point. */
static uint32_t search_slowly(const oh_topology *topology, uint32_t number)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    for (uint32_t i = 0; i < topology->points_count; i++) {
        if (points[i].value >= number) {
            return points[i].node;
        }
    }
    return points[0].node;
}

static bool is_found(const oh_topology *topology, uint32_t number)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    const oh_range *ranges = oh_topology_at(topology, OH_TOPOLOGY_RANGES);
    uint32_t expected = search_slowly(topology, number);
    size_t searched =
        oh_ring_search(points, topology->points_count, number) % topology->points_count;
    return oh_ring_locate(points, ranges, topology->shift, number) == expected &&
           points[searched].node == expected;
}

static void check_numbers(const oh_topology *topology, uint32_t *state)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    uint32_t number_max = oh_topology_number_max(topology);
    uint32_t stride = topology->points_count / 400 + 1;
    for (uint32_t i = 0; i < topology->points_count; i += stride) {
        uint32_t value = points[i].value;
        CHECK(value <= number_max && (i == 0 || points[i - 1].value <= value));
        CHECK(is_found(topology, value));
        CHECK(is_found(topology, value > 0 ? value - 1 : 0));
        CHECK(is_found(topology, value < number_max ? value + 1 : value));
    }
    for (int i = 0; i < 400; i++) {
        CHECK(
            is_found(topology, (uint32_t)(random_next(state) * ((uint64_t)number_max + 1) >> 32)));
    }
    CHECK(is_found(topology, 0) && is_found(topology, number_max));
}

static uint32_t weight_of(int mode, uint32_t *state)
{
    switch (mode) {
    case 0: return 1;
    case 1: return 1 + random_next(state) % 10;
    case 2: return 1 + random_next(state) % 500000;
    default: return random_next(state) % 8 == 0 ? 300000 : 1;
    }
}

static void test_pool(size_t count, int mode, oh_distribution distribution, uint32_t *state)
{
    test_begin("ring of %zu, weights %d, %s", count, mode, oh_distribution_name(distribution));
    oh_server_pool pool = pool_of(count);
    bool *ejected = calloc(count, sizeof *ejected);
    pool.distribution = distribution;
    for (size_t i = 0; i < count; i++) {
        pool.servers[i].weight = weight_of(mode, state);
        ejected[i] = random_next(state) % 5 == 0;
    }
    oh_topology *whole = topology_of(&pool, NULL);
    oh_topology *part = topology_of(&pool, ejected);
    CHECK(oh_topology_valid(whole, oh_topology_length(whole)));
    CHECK(oh_topology_valid(part, oh_topology_length(part)));
    check_numbers(whole, state);
    check_numbers(part, state);
    free(whole);
    free(part);
    free(ejected);
    pool_free(&pool);
}

/* Searches in a crowded range, and compares modula with a plain table of slots. */
static void test_modula_slots(void)
{
    test_begin("modula gives each node as many slots in a row as its weight, even if many nodes "
               "share a range");
    oh_server_pool pool = pool_of(300);
    pool.distribution = OH_MODULA;
    pool.servers[299].weight = 1u << 30;
    oh_topology *topology = topology_of(&pool, NULL);
    for (uint32_t slot = 0; slot < 299; slot++) {
        CHECK(oh_topology_place(topology, slot) == slot);
    }
    CHECK(oh_topology_place(topology, 299) == 299);
    CHECK(oh_topology_place(topology, (1u << 30) + 298) == 299);
    CHECK(oh_topology_place(topology, (1u << 30) + 299) == 0);
    free(topology);
    pool_free(&pool);
}

static void test_sort(void)
{
    test_begin("points of equal value keep their order");
    oh_point points[1000];
    oh_point spare[1000];
    uint32_t state = 7;
    for (uint32_t i = 0; i < 1000; i++) {
        points[i] = (oh_point){(random_next(&state) % 50) * 0x01010101u, i};
    }
    oh_ring_sort(points, spare, 1000);
    for (uint32_t i = 1; i < 1000; i++) {
        CHECK(points[i - 1].value < points[i].value ||
              (points[i - 1].value == points[i].value && points[i - 1].node < points[i].node));
    }
}

void test_ring(void)
{
    static const size_t counts[] = {1, 2, 3, 5, 8, 16, 25, 26, 47, 64, 101, 128, 257, 600};
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        for (int mode = 0; mode < 4; mode++) {
            test_pool(counts[i], mode, OH_KETAMA, &state);
            test_pool(counts[i], mode, OH_MODULA, &state);
        }
    }
    test_modula_slots();
    test_sort();
}
