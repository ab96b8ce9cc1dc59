/*
 * The whole way from a key to its node, against the vectors of spec/placement: rings point by
 * point, keys one by one, ejected servers, and all of it again in a copy of the topology at another
 * address.
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

void test_placement(void)
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
