/* A topology as a whole: fingerprints, moved keys, ejection, and damage by other processes. */
#include <stdlib.h>
#include <string.h>

#include "core/topology/server_pool.h"
#include "core/topology/topology_image.h"
#include "core/topology/topology_layout.h"
#include "check.h"
#include "vectors.h"

#define KEYS 200

static const char *name_of(const oh_topology *topology, uint32_t node)
{
    return oh_topology_node(topology, node).name.bytes;
}

static uint32_t locate_number(const oh_topology *topology, uint32_t number)
{
    return oh_topology_locate(topology, (const uint8_t *)&number, sizeof number);
}

/* ---- Fingerprints ---- */

/* The pool goes through an image, as it does before it has connections. */
static void test_connection_name(const oh_server_pool *pool, const char *wanted)
{
    static const uint8_t salt[OH_IMAGE_SALT_BYTES] = {0};
    void *image = malloc(oh_image_size(pool));
    oh_server *servers = calloc(pool->servers_count, sizeof *servers);
    oh_server_pool read;
    char name[OH_CONNECTION_NAME_BYTES];
    oh_image_write(pool, salt, image);
    oh_image_pool(image, servers, &read);
    oh_connection_name_write(&read, name);
    CHECK(strcmp(name, wanted) == 0);

    /* The pool that was read is written again, with another address, as a map is. */
    void *map = malloc(oh_image_size(&read));
    servers[0].port++;
    oh_image_write(&read, salt, map);
    oh_image_pool(map, servers, &read);
    oh_connection_name_write(&read, name);
    CHECK(strcmp(name, wanted) == 0);
    free(map);
    free(servers);
    free(image);
}

static void test_fingerprint(const json_t *test)
{
    oh_config *config = config_of(vectors_string(test, "config"));
    const char *name = vectors_string(test, "pool");
    const oh_server_pool *pool = oh_config_pool(config, name, strlen(name));
    oh_topology *topology = topology_of(pool, NULL);
    CHECK(strcmp(oh_topology_fingerprint(topology), vectors_string(test, "fingerprint")) == 0);
    test_connection_name(pool, vectors_string(test, "name"));
    free(topology);
    oh_config_free(config);
}

static void test_moved(const json_t *test)
{
    oh_config *before = config_of(vectors_string(test, "before"));
    oh_config *after = config_of(vectors_string(test, "after"));
    oh_topology *from = topology_of(oh_config_pool(before, "p", 1), NULL);
    oh_topology *to = topology_of(oh_config_pool(after, "p", 1), NULL);
    CHECK(oh_topology_moved(from, to) == vectors_number(test, "moved"));
    free(from);
    free(to);
    oh_config_free(before);
    oh_config_free(after);
}

/* ---- Ejection ---- */

static void check_without(oh_distribution distribution, size_t gone)
{
    oh_server_pool pool = pool_of(9);
    pool.distribution = distribution;
    for (size_t i = 0; i < pool.servers_count; i++) {
        pool.servers[i].weight = (uint32_t)(i % 3 + 1);
    }
    bool ejected[9] = {false};
    ejected[gone] = true;
    oh_topology *whole = topology_of(&pool, NULL);
    oh_topology *without = topology_of(&pool, ejected);
    CHECK(oh_topology_length(whole) == oh_topology_length(without));
    CHECK(strcmp(oh_topology_fingerprint(whole), oh_topology_fingerprint(without)) == 0);

    oh_server_pool rest = pool;
    rest.servers = malloc(8 * sizeof *rest.servers);
    rest.servers_count = 8;
    for (size_t i = 0; i < 8; i++) {
        rest.servers[i] = pool.servers[i < gone ? i : i + 1];
    }
    oh_topology *smaller = topology_of(&rest, NULL);
    for (uint32_t i = 0; i < KEYS; i++) {
        CHECK(strcmp(name_of(without, locate_number(without, i)),
                  name_of(smaller, locate_number(smaller, i))) == 0);
    }
    free(whole);
    free(without);
    free(smaller);
    free(rest.servers);
    pool_free(&pool);
}

static void test_ejection(void)
{
    test_begin("an ejected node gets no keys, as if it were not in the pool, but keeps its index");
    for (size_t gone = 0; gone < 9; gone++) {
        check_without(OH_KETAMA, gone);
        check_without(OH_MODULA, gone);
    }
    test_begin("a pool whose nodes are all ejected places keys as if none were");
    oh_server_pool pool = pool_of(5);
    bool all[5] = {true, true, true, true, true};
    oh_topology *none = topology_of(&pool, NULL);
    oh_topology *every = topology_of(&pool, all);
    for (uint32_t i = 0; i < KEYS; i++) {
        CHECK(locate_number(none, i) == locate_number(every, i));
    }
    CHECK(oh_topology_node(every, 4).is_ejected && !oh_topology_node(none, 4).is_ejected);
    free(none);
    free(every);
    pool_free(&pool);
}

static void test_random(void)
{
    test_begin("random uses all live nodes about equally often, and no others");
    oh_server_pool pool = pool_of(8);
    pool.distribution = OH_RANDOM;
    pool.servers[0].weight = 1000;
    bool ejected[8] = {[3] = true};
    oh_topology *topology = topology_of(&pool, ejected);
    unsigned counts[8] = {0};
    for (uint32_t i = 0; i < 70000; i++) {
        counts[locate_number(topology, 1)]++;
    }
    for (int i = 0; i < 8; i++) {
        CHECK(i == 3 ? counts[i] == 0 : counts[i] > 9000 && counts[i] < 11000);
    }
    free(topology);
    pool_free(&pool);
}

/* ---- Damage ---- */

static void ask_everything(const oh_topology *topology)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 50; i++) {
        oh_explanation explanation;
        uint32_t key = i * 0x9e3779b9u;
        oh_topology_explain(topology, (const uint8_t *)&key, i % 5, &explanation);
        sum += locate_number(topology, key) + oh_topology_place(topology, key) +
               (uint32_t)explanation.point;
    }
    for (uint32_t i = 0; i < oh_topology_nodes_count(topology); i++) {
        oh_node node = oh_topology_node(topology, i);
        sum += (uint32_t)strlen(node.name.bytes);
        sum += (uint32_t)strlen(node.host.bytes ? node.host.bytes : node.path.bytes);
    }
    sum += (uint32_t)strlen(oh_topology_fingerprint(topology));
    sum += (uint32_t)strlen(oh_hash_name(oh_topology_hash_function(topology)));
    sum += (uint32_t)strlen(oh_distribution_name(oh_topology_distribution(topology)));
    volatile uint32_t sink = sum;
    (void)sink;
}

/* Damage is either detected or harmless: the sanitizers check that. */
static void test_damage(oh_distribution distribution)
{
    test_begin("a damaged topology is refused or harmless, %s", oh_distribution_name(distribution));
    oh_server_pool pool = pool_of(3);
    pool.distribution = distribution;
    pool.has_hash_tag = true;
    oh_topology *good = topology_of(&pool, NULL);
    size_t length = oh_topology_length(good);
    oh_topology *bad = malloc(length);
    uint32_t state = 3;
    unsigned refused = 0;
    for (size_t i = 0; i < sizeof *good * 8 + 4000; i++) {
        size_t bit = i < sizeof *good * 8 ? i : random_next(&state) % (length * 8);
        memcpy(bad, good, length);
        ((uint8_t *)bad)[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (oh_topology_valid(bad, length)) {
            ask_everything(bad);
        } else {
            refused++;
        }
    }
    CHECK(refused > 100);
    ask_everything(good);
    free(good);
    free(bad);
    pool_free(&pool);
}

/*
 * Other processes may have written the nodes from which a ring is built. Their weights must not
 * make the ring larger than its memory.
 */
static void test_weights(void)
{
    static const uint32_t bad[][2] = {
        {0, 1}, {0x80000000, 0x80000001}, {UINT32_MAX, 2}, {0x7fffffff, 1}};
    oh_server_pool pool = pool_of(2);
    oh_topology *topology = topology_of(&pool, NULL);
    size_t length = oh_topology_length(topology);
    oh_node_record *nodes = (oh_node_record *)((char *)topology + topology->nodes);

    test_begin("a topology with weights that no configuration can have is refused");
    CHECK(oh_topology_valid(topology, length));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nodes[0].weight = bad[i][0];
        nodes[1].weight = bad[i][1];
        CHECK(!oh_topology_valid(topology, length));
    }
    nodes[0].weight = 0x7ffffffe;
    CHECK(oh_topology_valid(topology, length));
    free(topology);
    pool_free(&pool);
}

static void test_cuts(void)
{
    test_begin("an incomplete topology is refused");
    oh_server_pool pool = pool_of(2);
    pool.distribution = OH_MODULA;
    oh_topology *whole = topology_of(&pool, NULL);
    size_t length = oh_topology_length(whole);
    CHECK(oh_topology_valid(whole, length) && oh_topology_valid(whole, length + 1));
    for (size_t cut = 0; cut < length; cut++) {
        void *part = malloc(cut > 0 ? cut : 1);
        memcpy(part, whole, cut);
        CHECK(!oh_topology_valid(part, cut));
        free(part);
    }
    CHECK(!oh_topology_build(&pool, NULL, whole, length - 1));
    free(whole);
    pool_free(&pool);
}

static void test_rebuild(void)
{
    test_begin("two topologies of one pool have the same bytes");
    oh_server_pool pool = pool_of(40);
    oh_topology *one = topology_of(&pool, NULL);
    size_t length = oh_topology_length(one);
    CHECK(length == oh_topology_size(&pool));
    void *two = malloc(length);
    memset(two, 0xa5, length);
    CHECK(oh_topology_build(&pool, NULL, two, length) && memcmp(one, two, length) == 0);
    free(one);
    free(two);
    pool_free(&pool);
}

void test_topology(void)
{
    vectors_run("topology/vectors/topology.json", "FingerprintTest", test_fingerprint);
    vectors_run("topology/vectors/topology.json", "MovedTest", test_moved);
    test_ejection();
    test_random();
    test_damage(OH_KETAMA);
    test_damage(OH_MODULA);
    test_damage(OH_RANDOM);
    test_weights();
    test_cuts();
    test_rebuild();
}
