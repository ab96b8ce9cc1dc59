/*
 * The whole way from a key to its node, against the vectors of spec/placement: rings point by
 * point, keys one by one, ejected servers, and all of it again in a copy of the topology at another
 * address. And a ring's ranges against a linear search, on pools of many sizes and weights: at
 * every point, beside every point, at both ends, and at random numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "core/topology/topology_layout.h"
#include "check.h"
#include "vectors.h"

static const char *const pages[] = {"ketama", "keys", "foreign"};

static bool is_listed(const json_t *names, oh_text name)
{
    size_t place;
    json_t *listed;
    json_array_foreach(names, place, listed)
    {
        if (json_string_length(listed) == name.length &&
            memcmp(json_string_value(listed), name.bytes, name.length) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- Rings ---- */

static void check_ends(const json_t *expected, const oh_point *points)
{
    size_t place;
    json_t *pair;
    json_array_foreach(expected, place, pair)
    {
        CHECK(points[place].value == json_integer_value(json_array_get(pair, 0)));
        CHECK(points[place].node == json_integer_value(json_array_get(pair, 1)));
    }
}

static void check_ring(const json_t *group, const oh_topology *topology)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    uint32_t counts[OH_POOL_SERVERS_MAX] = {0};
    uint32_t checksum = 2166136261u;
    for (uint32_t i = 0; i < topology->points_count; i++) {
        counts[points[i].node]++;
        checksum = (checksum ^ points[i].value) * 16777619u;
        checksum = (checksum ^ points[i].node) * 16777619u;
    }
    CHECK(checksum == vectors_number(group, "checksum"));
    CHECK(topology->points_count == vectors_number(group, "total"));
    size_t place;
    json_t *expected;
    json_array_foreach(json_object_get(group, "points"), place, expected)
    {
        CHECK(counts[place] == json_integer_value(expected));
    }
    const json_t *last = json_object_get(group, "last");
    check_ends(json_object_get(group, "first"), points);
    check_ends(last, points + topology->points_count - json_array_size(last));
}

static void check_nodes(const json_t *group, const oh_topology *topology)
{
    const json_t *names = json_object_get(group, "servers");
    const json_t *dead = json_object_get(group, "dead");
    CHECK(oh_topology_nodes_count(topology) == json_array_size(names));
    for (uint32_t i = 0; i < oh_topology_nodes_count(topology); i++) {
        oh_node node = oh_topology_node(topology, i);
        CHECK(node.index == i &&
              strcmp(node.name.bytes, json_string_value(json_array_get(names, i))) == 0);
        CHECK(node.is_ejected == is_listed(dead, node.name));
    }
}

/* ---- Keys ---- */

static void check_member(const json_t *test, const oh_topology *topology, bytes key)
{
    for (int i = 0; i < 20; i++) {
        oh_node node =
            oh_topology_node(topology, oh_topology_locate(topology, key.bytes, key.length));
        CHECK(is_listed(json_object_get(test, "nodes"), node.name));
    }
}

static void check_place(const json_t *test, const oh_topology *topology, bytes key)
{
    const char *expected = vectors_string(test, "node");
    uint32_t located = oh_topology_locate(topology, key.bytes, key.length);
    CHECK(strcmp(oh_topology_node(topology, located).name.bytes, expected) == 0);

    oh_explanation explanation;
    oh_topology_explain(topology, key.bytes, key.length, &explanation);
    CHECK(explanation.node == located);
    CHECK((json_int_t)explanation.hash == json_integer_value(json_object_get(test, "hash")));
    CHECK((json_int_t)explanation.point == json_integer_value(json_object_get(test, "point")));
    CHECK(explanation.is_placed == (oh_topology_nodes_count(topology) > 1));
    if (explanation.is_placed) {
        CHECK(oh_topology_hash(topology, key.bytes, key.length) == explanation.hash);
        CHECK(oh_topology_place(topology, explanation.hash) == located);
    }
    if (json_object_get(test, "hashed")) {
        bytes hashed = bytes_of_field(test, "hashed");
        CHECK(bytes_equal(hashed, explanation.hashed.bytes, explanation.hashed.length));
        free(hashed.bytes);
    }
}

static void test_keys(
    const json_t *group, const oh_topology *topology, const char *page, const char *where)
{
    json_t *test;
    EACH_TEST(group, test)
    {
        test_begin("placement %s %u%s: %s, %s", page, vectors_number(test, "tcId"), where,
            vectors_string(group, "comment"), vectors_string(test, "comment"));
        bytes key = bytes_of_field(test, "key");
        if (strcmp(vectors_string(group, "type"), "MemberTest") == 0) {
            check_member(test, topology, key);
        } else {
            check_place(test, topology, key);
        }
        free(key.bytes);
    }
}

static void test_group(const json_t *group, const char *page)
{
    oh_config *config = config_of(vectors_string(group, "config"));
    const char *name = vectors_string(group, "pool");
    const oh_server_pool *pool = oh_config_pool(config, name, strlen(name));
    bool ejected[OH_POOL_SERVERS_MAX] = {false};
    for (size_t i = 0; i < pool->servers_count; i++) {
        ejected[i] = is_listed(json_object_get(group, "dead"), pool->servers[i].name);
    }
    oh_topology *topology = topology_of(pool, ejected);
    oh_config_free(config);

    test_begin("placement %s: %s", page, vectors_string(group, "comment"));
    CHECK(oh_topology_valid(topology, oh_topology_length(topology)));
    check_nodes(group, topology);
    if (strcmp(vectors_string(group, "type"), "RingTest") == 0) {
        check_ring(group, topology);
    }
    test_keys(group, topology, page, "");

    oh_topology *copy = malloc(oh_topology_length(topology));
    memcpy(copy, topology, oh_topology_length(topology));
    memset(topology, 0xa5, oh_topology_length(topology));
    free(topology);
    test_keys(group, copy, page, " in a copy");
    free(copy);
}

static void test_pages(void)
{
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "placement/vectors/%s.json", pages[i]);
        json_t *page = vectors_load(path);
        json_t *group;
        EACH_GROUP(page, group)
        {
            test_group(group, pages[i]);
        }
        json_decref(page);
    }
}

/* ---- The ranges of a ring ---- */

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

static void test_ranges(void)
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

void test_placement(void)
{
    test_pages();
    test_ranges();
}
