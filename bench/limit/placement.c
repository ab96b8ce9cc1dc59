/*
 * What placing a key costs, next to only hashing it.
 *
 * There are eight equal nodes on a ketama ring, random keys of 20 bytes, and all twelve hash
 * algorithms. Three ways take turns in every round, so that a noisy moment of the machine affects
 * all of them: the hash alone, oh_topology_locate (the hash and OneHop's ring with ranges), and the
 * hash with a plain binary search over the same points. It prints the median round of each, in
 * nanoseconds per key, then the cost of a locate for each distribution and each of its hashes, and
 * then how long rings of 8 to 1,000 servers take to build.
 *
 * No key repeats within a round, so neither the branch predictor nor the cache can learn the
 * answers.
 *
 *     cd php-ext/src && cc -std=gnu11 -O2 -fPIC -fvisibility=hidden -I. -o /tmp/placement \
 *         ../../bench/limit/placement.c core/{base,hash,key,placement,topology}/*.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/placement/placement.h"
#include "core/topology/topology.h"

#define KEYS_COUNT 65536
#define KEY_BYTES 20
#define NODES_COUNT 8
#define SERVERS_MAX 1000
#define ROUNDS 61
#define BUILDS 15

typedef struct {
    oh_hash_fn hash;
    const oh_topology *topology;
    const oh_point *points;
    size_t points_count;
} subject;

typedef uint32_t (*way)(const subject *subject, const uint8_t *key);

static uint8_t keys[KEYS_COUNT][KEY_BYTES];
/* Keeps the compiler from dropping work whose result is not used. */
static volatile uint32_t sink;

/* ---- The pools ---- */

static char names[SERVERS_MAX][32];
static oh_server servers[SERVERS_MAX];

static oh_server_pool pool_of(size_t count, oh_hash hash)
{
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(
            names[i], sizeof names[i], "10.%zu.%zu.%zu:6379", i / 65536, i / 256 % 256, i % 256);
        oh_text name = {names[i], (size_t)length};
        servers[i] = (oh_server){.name = name, .host = name, .port = 6379, .weight = 1};
    }
    return (oh_server_pool){
        .hash = hash, .distribution = OH_KETAMA, .servers = servers, .servers_count = count};
}

static oh_topology *build(const oh_server_pool *pool)
{
    size_t size = oh_topology_size(pool);
    void *memory = malloc(size);
    if (memory == NULL || !oh_topology_build(pool, NULL, memory, size)) {
        fprintf(stderr, "No topology of %zu servers.\n", pool->servers_count);
        exit(1);
    }
    return memory;
}

/* A second copy of the ring's points, from the same code, for the plain binary search. */
static oh_point *points_of(const oh_server_pool *pool, size_t *count)
{
    oh_point *points = malloc(2 * pool->servers_count * OH_KETAMA_POINTS * sizeof *points);
    if (points == NULL) {
        exit(1);
    }
    oh_point *end = points;
    for (size_t i = 0; i < pool->servers_count; i++) {
        uint32_t groups =
            oh_ketama_groups(1, (uint32_t)pool->servers_count, (uint32_t)pool->servers_count);
        end = oh_ketama_points(
            end, servers[i].name.bytes, servers[i].name.length, (uint32_t)i, groups);
    }
    *count = (size_t)(end - points);
    oh_ring_sort(points, end, *count);
    return points;
}

/* ---- The three ways ---- */

static uint32_t hash_alone(const subject *subject, const uint8_t *key)
{
    return subject->hash(key, KEY_BYTES);
}

static uint32_t hash_and_ranges(const subject *subject, const uint8_t *key)
{
    return oh_topology_locate(subject->topology, key, KEY_BYTES);
}

static uint32_t hash_and_binary_search(const subject *subject, const uint8_t *key)
{
    uint32_t hash = subject->hash(key, KEY_BYTES);
    size_t left = 0;
    size_t right = subject->points_count;
    while (left < right) {
        size_t middle = left + (right - left) / 2;
        if (subject->points[middle].value < hash) {
            left = middle + 1;
        } else {
            right = middle;
        }
    }
    return subject->points[left == subject->points_count ? 0 : left].node;
}

static const way ways[] = {hash_alone, hash_and_ranges, hash_and_binary_search};
#define WAYS_COUNT (sizeof ways / sizeof ways[0])

/* ---- Timing ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

static double time_round(way go, const subject *subject)
{
    uint32_t sum = 0;
    uint64_t start = oh_clock_now_ns();
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        sum += go(subject, keys[i]);
    }
    uint64_t end = oh_clock_now_ns();
    sink = sum;
    return (double)(end - start) / KEYS_COUNT;
}

static void check_same_answers(const subject *subject)
{
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        if (hash_and_ranges(subject, keys[i]) != hash_and_binary_search(subject, keys[i])) {
            fprintf(stderr, "The ranges and the binary search disagree about key %zu.\n", i);
            exit(1);
        }
    }
}

static void measure(oh_hash hash)
{
    oh_server_pool pool = pool_of(NODES_COUNT, hash);
    oh_topology *topology = build(&pool);
    subject subject = {.hash = oh_hash_function(hash), .topology = topology};
    oh_point *points = points_of(&pool, &subject.points_count);
    subject.points = points;
    check_same_answers(&subject);

    static double rounds[WAYS_COUNT][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < WAYS_COUNT; i++) {
            rounds[i][round] = time_round(ways[i], &subject);
        }
    }
    double alone = median(rounds[0], ROUNDS);
    double ranges = median(rounds[1], ROUNDS);
    double search = median(rounds[2], ROUNDS);
    printf("%-14s %10.1f %16.1f %7.2f %16.1f %7.2f\n", oh_hash_name(hash), alone, ranges,
        ranges / alone, search, search / alone);
    free(points);
    free(topology);
}

/* Each server of codis has a range of slots. */
static void give_slots(oh_server_pool *pool)
{
    static char bits[NODES_COUNT][OH_SHARD_SLOTS_BYTES];
    for (size_t i = 0; i < pool->servers_count; i++) {
        memset(bits[i] + i * sizeof bits[i] / NODES_COUNT, 0xff, sizeof bits[i] / NODES_COUNT);
        servers[i].slots = (oh_text){bits[i], sizeof bits[i]};
        servers[i].weight = OH_SHARD_SLOTS / NODES_COUNT;
    }
}

static void measure_distribution(oh_distribution distribution, oh_hash hash)
{
    oh_server_pool pool = pool_of(NODES_COUNT, hash);
    pool.distribution = distribution;
    if (distribution == OH_CODIS) {
        give_slots(&pool);
    }
    oh_topology *topology = build(&pool);
    subject subject = {.topology = topology};
    double rounds[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        rounds[round] = time_round(hash_and_ranges, &subject);
    }
    double ns = median(rounds, ROUNDS);
    printf("%-24s %-14s %8.1f %8.1f\n", oh_distribution_name(distribution), oh_hash_name(hash), ns,
        1e3 / ns);
    free(topology);
}

static void measure_distributions(void)
{
    printf("\ndistribution             hash           ns a key million a second\n");
    measure_distribution(OH_KETAMA, OH_HASH_FNV1A_64);
    measure_distribution(OH_KETAMA, OH_HASH_MD5);
    measure_distribution(OH_KETAMA, OH_HASH_CRC32A);
    for (int distribution = 0; distribution < OH_DISTRIBUTIONS_COUNT; distribution++) {
        const oh_foreign *foreign = oh_foreign_of((oh_distribution)distribution);
        for (int hash = 0; foreign != NULL && hash < OH_ALL_HASHES_COUNT; hash++) {
            if ((foreign->hashes & OH_HASH_BIT(hash)) != 0) {
                measure_distribution((oh_distribution)distribution, (oh_hash)hash);
            }
        }
    }
}

static void measure_build(size_t count)
{
    oh_server_pool pool = pool_of(count, OH_HASH_FNV1A_64);
    size_t size = oh_topology_size(&pool);
    double builds[BUILDS];
    for (size_t i = 0; i < BUILDS; i++) {
        uint64_t start = oh_clock_now_ns();
        oh_topology *topology = build(&pool);
        builds[i] = (double)(oh_clock_now_ns() - start) / 1e6;
        free(topology);
    }
    printf("%7zu servers: %8.3f ms, %9zu bytes\n", count, median(builds, BUILDS), size);
}

int main(void)
{
    srandom(1);
    for (size_t i = 0; i < KEYS_COUNT; i++) {
        for (size_t j = 0; j < KEY_BYTES; j++) {
            keys[i][j] = (uint8_t)("0123456789abcdefghijklmnopqrstuvwxyz:{}-"[random() % 40]);
        }
    }
    printf("ns per key      hash alone    hash + ranges   ratio    binary search   ratio\n");
    measure(OH_HASH_FNV1A_64);
    for (int hash = 0; hash < OH_HASHES_COUNT; hash++) {
        if (hash != OH_HASH_FNV1A_64) {
            measure((oh_hash)hash);
        }
    }
    measure_distributions();
    printf("\nBuilding a topology, median of %d:\n", BUILDS);
    for (size_t count = 8; count <= 1000; count *= 5) {
        measure_build(count);
    }
    measure_build(1000);
    return 0;
}
