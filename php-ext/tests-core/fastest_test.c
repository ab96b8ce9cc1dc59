/*
 * The choice of the fastest node, against spec/topology/vectors/fastest.json.
 */
#include <string.h>

#include "core/cluster/fastest.h"
#include "check.h"
#include "vectors.h"

static uint64_t large(const json_t *value)
{
    return (uint64_t)json_integer_value(value);
}

static void test_smooth(const json_t *test)
{
    CHECK(oh_fastest_smooth(large(json_object_get(test, "smoothed")),
              large(json_object_get(test, "took"))) == large(json_object_get(test, "result")));
}

static void test_choose(const json_t *test)
{
    const json_t *pairs = json_object_get(test, "nodes");
    oh_fastest_node nodes[OH_FASTEST_NODES_MAX];
    uint32_t count = (uint32_t)json_array_size(pairs);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *pair = json_array_get(pairs, i);
        nodes[i] = (oh_fastest_node){
            (uint32_t)large(json_array_get(pair, 0)), large(json_array_get(pair, 1))};
    }
    CHECK(oh_fastest_choose(nodes, count, vectors_number(test, "reads"),
              vectors_number(test, "last")) == vectors_number(test, "chosen"));
}

void test_fastest(void)
{
    json_t *page = vectors_load("topology/vectors/fastest.json");
    json_t *group;
    json_t *test;
    EACH_GROUP(page, group)
    {
        bool is_smooth = strcmp(vectors_string(group, "type"), "SmoothTest") == 0;
        EACH_TEST(group, test)
        {
            test_begin(
                "fastest %u: %s", vectors_number(test, "tcId"), vectors_string(test, "comment"));
            (is_smooth ? test_smooth : test_choose)(test);
        }
    }
    json_decref(page);
}
