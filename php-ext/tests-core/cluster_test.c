/*
 * Redis Cluster, against the vectors of spec/: an answer gives a map, or the reason why it gives
 * none; the better of two answers is chosen, and nodes keep their indexes; each redirect and each
 * read has its node. Without vectors: the seeds, a map of 2,000 nodes, and allocations that fail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cluster/cluster_map.h"
#include "core/generated/limits.h"
#include "core/cluster/fastest.h"
#include "core/cluster/redirect.h"
#include "core/topology/topology_image.h"
#include "check.h"
#include "vectors.h"

static oh_text text_of(const json_t *text)
{
    const char *value = json_string_value(text);
    return (oh_text){value, value ? strlen(value) : 0};
}

static oh_cluster_map *read_answer(const json_t *told, const char *asked, char *reason)
{
    bytes reply = bytes_of_latin(json_object_get(told, "reply"));
    bytes info = {calloc(1, 1), 0};
    if (json_object_get(told, "info")) {
        free(info.bytes);
        info = bytes_of_latin(json_object_get(told, "info"));
    }
    oh_cluster_answer answer = {.reply = {reply.bytes, reply.length},
        .info = {info.bytes, info.length},
        .host = {asked, strlen(asked)},
        .zone = {
            text_of(json_object_get(told, "zone")), text_of(json_object_get(told, "zone_hosts"))}};
    oh_cluster_map *map;
    bool is_read = oh_cluster_read(&answer, &map, reason);
    CHECK(is_read == (map != NULL));
    free(reply.bytes);
    free(info.bytes);
    return map;
}

static oh_server_pool pool_of_seeds(void)
{
    static oh_server seed = {.name = {"s:1", 3}, .host = {"s", 1}, .port = 1, .weight = 1};
    return (oh_server_pool){.name = {"p", 1},
        .hash = OH_HASH_CRC16,
        .distribution = OH_SLOTS,
        .has_hash_tag = true,
        .hash_tag = {'{', '}'},
        .is_redis = true,
        .is_cluster = true,
        .read_from = OH_READ_SAME_ZONE,
        .zone = {{"east", 4}, {"a.west.example", 14}},
        .servers = &seed,
        .servers_count = 1};
}

static oh_topology *topology_of_map(const oh_cluster_map *map)
{
    oh_server_pool seeds = pool_of_seeds();
    oh_server_pool pool = oh_cluster_pool(map, &seeds);
    return topology_of(&pool, NULL);
}

/* ---- Against the vectors ---- */

static void check_node(const oh_topology *topology, uint32_t index, const json_t *told)
{
    static const char *const roles[OH_ROLES_COUNT] = {"master", "replica", "spare", "gone"};
    oh_node node = oh_topology_node(topology, index);
    CHECK(node.index == index && strcmp(node.name.bytes, vectors_string(told, "name")) == 0);
    CHECK(strcmp(node.id.bytes, vectors_string(told, "id")) == 0);
    CHECK(strcmp(roles[node.role], vectors_string(told, "role")) == 0);
    CHECK(node.master == vectors_number(told, "master"));
    CHECK(node.is_failing == json_is_true(json_object_get(told, "failing")));
    CHECK(node.is_loading == json_is_true(json_object_get(told, "loading")));
    CHECK(node.is_near == json_is_true(json_object_get(told, "near")));
    CHECK(oh_topology_find(topology, node.name.bytes, node.name.length) == index);
}

static void check_slots(const oh_topology *topology, const json_t *runs)
{
    const uint16_t *slots = oh_topology_slots(topology);
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        json_int_t owner = json_integer_value(json_array_get(run, 2));
        bool is_served = json_is_true(json_array_get(run, 3));
        json_int_t last = json_integer_value(json_array_get(run, 1));
        for (json_int_t slot = json_integer_value(json_array_get(run, 0)); slot <= last; slot++) {
            CHECK(slots[slot] == (owner | (is_served ? 0 : (json_int_t)OH_SLOT_UNSERVED)));
            CHECK(oh_topology_place(topology, (uint32_t)slot) == (uint32_t)owner);
        }
    }
}

/* Checks that a map, its topology, and the pool read from its image are as expected. */
static void check_map(const oh_cluster_map *map, const json_t *told)
{
    static const uint8_t salt[OH_IMAGE_SALT_BYTES] = {1};
    const json_t *nodes = json_object_get(told, "nodes");
    CHECK(map->served_count == vectors_number(told, "served") &&
          map->epoch == vectors_number(told, "epoch"));
    CHECK(map->nodes_count == json_array_size(nodes));
    if (map->nodes_count == 0) {
        return;
    }
    oh_server_pool seeds = pool_of_seeds();
    oh_server_pool pool = oh_cluster_pool(map, &seeds);
    size_t size = oh_image_size(&pool);
    void *image = malloc(size);
    oh_image_write(&pool, salt, image);
    CHECK(oh_image_is_valid(image, size));
    const oh_topology *topology = oh_image_topology(image);
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        check_node(topology, i, json_array_get(nodes, i));
    }
    check_slots(topology, json_object_get(told, "slots"));
    CHECK(oh_topology_epoch(topology) == map->epoch);
    if (map->served_count > 0) {
        CHECK(strcmp(oh_topology_fingerprint(topology), vectors_string(told, "fingerprint")) == 0);
    }
    oh_server *servers = calloc(map->nodes_count, sizeof *servers);
    oh_server_pool again;
    oh_image_pool(image, servers, &again);
    CHECK(again.is_cluster && again.read_from == OH_READ_SAME_ZONE &&
          strcmp(again.zone.name.bytes, "east") == 0 &&
          strcmp(again.zone.hosts.bytes, "a.west.example") == 0);
    again.redis_auth = pool.redis_auth;
    void *second = malloc(oh_image_size(&again));
    oh_image_write(&again, salt, second);
    CHECK(oh_image_equals(image, size, second, oh_image_size(&again)));
    free(second);
    free(servers);
    free(image);
}

static void test_reply(const json_t *test)
{
    char reason[OH_CLUSTER_REASON_BYTES] = "";
    oh_cluster_map *map = read_answer(test, vectors_string(test, "asked"), reason);
    const json_t *told = json_object_get(test, "map");
    CHECK((map != NULL) == (told != NULL));
    if (map && told) {
        check_map(map, told);
    } else if (!told) {
        CHECK(strcmp(reason, vectors_string(test, "reason")) == 0);
    }
    oh_cluster_free(map);
}

/* The topology after redirects have moved these slots. */
static oh_topology *after_moves(const oh_topology *current, const json_t *moves)
{
    oh_topology *topology = current ? malloc(oh_topology_length(current)) : NULL;
    if (!topology) {
        return NULL;
    }
    memcpy(topology, current, oh_topology_length(current));
    for (size_t i = 0; i < json_array_size(moves); i++) {
        const json_t *told = json_array_get(moves, i);
        const char *name = json_string_value(json_array_get(told, 1));
        oh_topology_move_slot(topology, (uint32_t)json_integer_value(json_array_get(told, 0)),
            oh_topology_find(topology, name, strlen(name)));
    }
    oh_topology_sign(topology);
    return topology;
}

/* Handles one pair of answers. Returns the topology that is current afterwards. */
static oh_topology *take_step(const json_t *step, oh_topology *asked)
{
    oh_topology *current = after_moves(asked, json_object_get(step, "moved"));
    char reason[OH_CLUSTER_REASON_BYTES] = "";
    const json_t *told[2] = {json_object_get(step, "first"), json_object_get(step, "second")};
    oh_cluster_map *maps[2];
    for (int i = 0; i < 2; i++) {
        maps[i] = json_is_null(told[i]) ? NULL : read_answer(told[i], "127.0.0.1", reason);
    }
    oh_cluster_map *chosen = oh_cluster_choose(current, maps[0], maps[1], reason);
    const json_t *expected = json_object_get(step, "chosen");
    if (!expected) {
        CHECK(!chosen && strcmp(reason, vectors_string(step, "reason")) == 0);
    } else {
        CHECK(chosen && chosen == maps[strcmp(json_string_value(expected), "second") == 0]);
    }
    if (chosen && expected) {
        CHECK(oh_cluster_keep_indexes(chosen, current));
        oh_cluster_keep_moved(chosen, asked, current);
        check_map(chosen, json_object_get(step, "map"));
        free(current);
        current = topology_of_map(chosen);
    }
    oh_cluster_free(maps[0]);
    oh_cluster_free(maps[1]);
    free(asked);
    return current;
}

static void test_adoption(const json_t *test)
{
    oh_topology *current = NULL;
    const json_t *steps = json_object_get(test, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        current = take_step(json_array_get(steps, i), current);
    }
    free(current);
}

static void test_redirect(const json_t *test, const oh_topology *map)
{
    static const char *const actions[] = {"none", "follow", "ask", "again", "refresh", "give_up"};
    vectors_begin("redirect", test);
    bytes error = bytes_of_latin(json_object_get(test, "error"));
    oh_redirect_case it = {.error = {(const char *)error.bytes, error.length},
        .asked = vectors_number(test, "asked"),
        .hops = vectors_number(test, "hops"),
        .tries = vectors_number(test, "tries"),
        .left_ms = json_integer_value(json_object_get(test, "left_ms")),
        .is_held = json_is_true(json_object_get(test, "held")),
        .is_fresh = json_is_true(json_object_get(test, "fresh")),
        .chance = (uint32_t)json_integer_value(json_object_get(test, "chance"))};
    const json_t *told = json_object_get(test, "decision");
    oh_redirect redirect = oh_redirect_decide(map, &it);
    CHECK(strcmp(actions[redirect.action], vectors_string(told, "action")) == 0);
    CHECK(redirect.node == vectors_number(told, "node") &&
          redirect.slot == vectors_number(told, "slot"));
    CHECK(redirect.has_moved == json_is_true(json_object_get(told, "has_moved")));
    CHECK(redirect.wants_refresh == json_is_true(json_object_get(told, "wants_refresh")));
    CHECK(redirect.wait_ms == vectors_number(told, "wait_ms"));
    const char *reason = json_string_value(json_object_get(told, "reason"));
    CHECK((reason == NULL) == (redirect.reason == NULL) &&
          (!reason || strcmp(reason, redirect.reason) == 0));
    free(error.bytes);
}

static void test_redirects(void)
{
    char reason[OH_CLUSTER_REASON_BYTES];
    json_t *page = vectors_load("route/vectors/redirects.json");
    json_t *group;
    json_t *test;
    EACH_GROUP(page, group)
    {
        oh_cluster_map *map = read_answer(group, "127.0.0.1", reason);
        oh_topology *topology = topology_of_map(map);
        oh_cluster_free(map);
        EACH_TEST(group, test)
        {
            test_redirect(test, topology);
        }
        free(topology);
    }
    json_decref(page);
}

static void test_leaving(const json_t *test)
{
    static const char *const decisions[] = {"stay", "successor", "fallback"};
    const oh_leaving_case it = {.is_sent = json_is_true(json_object_get(test, "sent")),
        .has_heard = json_is_true(json_object_get(test, "heard")),
        .may_repeat = json_is_true(json_object_get(test, "reads")),
        .is_blocking = json_is_true(json_object_get(test, "blocks")),
        .is_bound = json_is_true(json_object_get(test, "bound")),
        .has_successor = json_is_true(json_object_get(test, "successor")),
        .has_fallback = json_is_true(json_object_get(test, "fallback")),
        .left_ns = vectors_number(test, "left_ms") * UINT64_C(1000000),
        .timeout_ms = vectors_number(test, "timeout_ms")};
    CHECK(strcmp(decisions[oh_leaving_decide(&it)], vectors_string(test, "decision")) == 0);
}

/* ---- The fastest node ---- */

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

/* ---- Without vectors ---- */

static bool is_refusal(const char *error, bool is_watched, bool has_fallback)
{
    return oh_redirect_is_refusal((oh_text){error, strlen(error)}, is_watched, has_fallback);
}

static void test_refusals(void)
{
    test_begin("refusals of a plain server pool: the whole first word decides");
    CHECK(is_refusal("READONLY You can't write", false, false));
    CHECK(is_refusal("READONLY You can't write", true, false));
    CHECK(!is_refusal("READONLYX", true, true) && !is_refusal("ERR READONLY", true, true));
    CHECK(!is_refusal("NOREPLICAS Not enough", false, true));
    CHECK(is_refusal("NOREPLICAS Not enough", true, false));
    CHECK(!is_refusal("LOADING Redis is", true, false) && is_refusal("LOADING x", false, true));
    CHECK(is_refusal("MASTERDOWN Link", false, true) && !is_refusal("", true, true));
}

static void test_seeds(void)
{
    oh_server_pool pool = pool_of_seeds();
    test_begin("cluster: before the first map, the seeds are the nodes");
    oh_topology *topology = topology_of(&pool, NULL);
    CHECK(oh_topology_valid(topology, oh_topology_length(topology)) &&
          oh_topology_epoch(topology) == 0);
    CHECK(oh_topology_slots(topology)[16383] == OH_SLOT_UNSERVED);
    CHECK(oh_topology_locate(topology, (const uint8_t *)"k", 1) == 0);
    free(topology);
}

/*
 * Writes a reply of CLUSTER SLOTS. Each master has one replica; the pieces have `piece` slots each.
 */
static char *write_large(uint32_t masters, uint32_t piece, size_t *length)
{
    char *text = malloc(OH_CLUSTER_REPLY_BYTES_MAX * 2);
    *length = (size_t)sprintf(text, "*%u\r\n", (OH_SLOTS_COUNT + piece - 1) / piece);
    for (uint32_t first = 0; first < OH_SLOTS_COUNT; first += piece) {
        uint32_t last = first + piece > OH_SLOTS_COUNT ? OH_SLOTS_COUNT - 1 : first + piece - 1;
        uint32_t node = first / piece % masters;
        *length += (size_t)sprintf(text + *length,
            "*4\r\n:%u\r\n:%u\r\n*3\r\n$8\r\n10.%05u\r\n:6379\r\n$40\r\n%040u\r\n*3\r\n$8\r\n11.%"
            "05u\r\n:6379\r\n$40\r\n%040u\r\n",
            first, last, node, node, node, node + 100000);
    }
    return text;
}

static void test_large(void)
{
    char reason[OH_CLUSTER_REASON_BYTES];
    size_t length;
    char *text = write_large(1000, 1, &length);
    test_begin("cluster: a map of 2,000 nodes in 16,384 pieces, %zu bytes", length);
    oh_cluster_answer answer = {.reply = {(const uint8_t *)text, length}, .host = {"h", 1}};
    oh_cluster_map *map, *second;
    CHECK(oh_cluster_read(&answer, &map, reason) && oh_cluster_read(&answer, &second, reason));
    CHECK(map->nodes_count == 2000 && map->served_count == OH_SLOTS_COUNT);
    oh_topology *topology = topology_of_map(map);
    CHECK(oh_topology_valid(topology, oh_topology_length(topology)));
    CHECK(oh_cluster_choose(topology, second, NULL, reason) == second &&
          oh_cluster_keep_indexes(second, topology));
    oh_topology *again = topology_of_map(second);
    CHECK(oh_topology_moved(topology, again) == 0);
    CHECK(strcmp(oh_topology_fingerprint(topology), oh_topology_fingerprint(again)) == 0);

    test_begin(
        "cluster: the fingerprint changes when a slot moves, and back when the slot moves back");
    uint32_t from = oh_topology_place(again, 7);
    oh_topology_move_slot(again, 7, 9);
    oh_topology_sign(again);
    CHECK(oh_topology_place(again, 7) == 9);
    CHECK(strcmp(oh_topology_fingerprint(topology), oh_topology_fingerprint(again)) != 0);
    oh_topology_move_slot(again, 7, from);
    oh_topology_sign(again);
    CHECK(strcmp(oh_topology_fingerprint(topology), oh_topology_fingerprint(again)) == 0);
    free(again);
    free(topology);
    oh_cluster_free(map);
    oh_cluster_free(second);
    free(text);
}

static int allocations_left;

static void *allocate_some(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void test_no_memory(void)
{
    char reason[OH_CLUSTER_REASON_BYTES];
    size_t length;
    char *text = write_large(20, 100, &length);
    oh_cluster_answer answer = {.reply = {(const uint8_t *)text, length}, .host = {"h", 1}};
    oh_cluster_map *map = NULL;
    size_t usual = oh_arena_chunk_bytes;
    int failures = 0;
    test_begin("cluster: every allocation may fail");
    oh_arena_chunk_bytes = 1;
    oh_memory_allocate = allocate_some;
    for (int i = 0; !map; i++) {
        allocations_left = i;
        if (!oh_cluster_read(&answer, &map, reason)) {
            failures++;
            CHECK(strcmp(reason, "there is not enough memory") == 0);
        }
    }
    oh_memory_allocate = malloc;
    oh_arena_chunk_bytes = usual;
    CHECK(failures > 20);
    oh_cluster_free(map);
    free(text);
}

void test_cluster(void)
{
    vectors_run("topology/vectors/cluster_replies.json", "ClusterReplyTest", test_reply);
    vectors_run("topology/vectors/cluster_adoption.json", "ClusterAdoptionTest", test_adoption);
    vectors_run("wire/vectors/wire.json", "LeavingTest", test_leaving);
    vectors_run("topology/vectors/topology.json", "SmoothTest", test_smooth);
    vectors_run("topology/vectors/topology.json", "ChooseTest", test_choose);
    test_redirects();
    test_refusals();
    test_seeds();
    test_large();
    test_no_memory();
}
