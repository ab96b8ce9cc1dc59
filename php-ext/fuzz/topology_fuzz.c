/*
 * Any bytes as a topology in shared memory: either it is refused, or every query stays inside the
 * block. The bytes damage a good topology, because random bytes would already be refused at the
 * first word.
 */
#include <string.h>

#include "core/placement/foreign.h"
#include "core/topology/topology.h"
#include "core/topology/topology_layout.h"
#include "fuzz.h"

const char *const fuzz_words[] = {
    "\x01", "\xff", "\xff\xff", "\xff\xff\xff\xff", "\x80", "\x02\x01", NULL};

#define SERVERS 3
#define ALL_SERVERS 4 /* The last server is only in the old ring. */

/* `from` is the distribution of the old ring; OH_DISTRIBUTIONS_COUNT: there is no old ring. */
static void *good_topology(oh_distribution distribution, oh_distribution from, size_t *size)
{
    static oh_server servers[ALL_SERVERS] = {
        {.name = {"a", 1}, .host = {"h", 1}, .port = 1, .weight = 1},
        {.name = {"b", 1}, .path = {"/b", 2}, .weight = 5},
        {.name = {"cc", 2}, .host = {"h", 1}, .port = 2, .weight = 2},
        {.name = {"old", 3}, .host = {"h", 1}, .port = 3, .weight = 1},
    };
    static oh_server old_servers[2];
    static char slots[SERVERS][OH_SHARD_SLOTS_BYTES];

    for (uint32_t slot = 0; slot < OH_SHARD_SLOTS; slot++) { /* Each server has a third. */
        slots[slot % SERVERS][slot / 8] |= (char)(1 << slot % 8);
    }
    for (uint32_t i = 0; i < SERVERS; i++) {
        servers[i].slots =
            distribution == OH_CODIS ? (oh_text){slots[i], sizeof slots[i]} : (oh_text){NULL, 0};
    }
    old_servers[0] = servers[1];
    old_servers[1] = servers[SERVERS];
    oh_server_pool old_ring = {.distribution = from,
        .servers = old_servers,
        .servers_count = 2,
        .hash = OH_HASH_MD5,
        .has_hash_tag = true,
        .hash_tag = {'{', '}'}};
    bool is_moving = from < OH_DISTRIBUTIONS_COUNT && from != OH_CODIS && from != OH_RANDOM;
    oh_server_pool pool = {.distribution = distribution,
        .servers = servers,
        .servers_count = is_moving ? ALL_SERVERS : SERVERS,
        .old_ring = is_moving ? &old_ring : NULL,
        .old_nodes_count = is_moving ? 1 : 0,
        .hash = OH_HASH_MURMUR};
    *size = oh_topology_size(&pool);
    void *memory = malloc(*size);
    MUST(memory && oh_topology_build(&pool, NULL, memory, *size));
    return memory;
}

/*
 * Each change takes three bytes: two for the place, one for the value. Most changes are in the
 * header of the topology, the header of the old ring, and the numbers of the old ring's nodes.
 */
static void damage(uint8_t *memory, size_t size, const uint8_t *bytes, size_t length)
{
    const oh_topology *topology = (const oh_topology *)memory;
    size_t header = sizeof *topology, ring = topology->old_ring, nodes = topology->old_nodes;

    for (; length >= 3; bytes += 3, length -= 3) {
        size_t at = (size_t)(bytes[0] & 0x3f) << 8 | bytes[1];
        size_t place = bytes[0] < 0x80 ? bytes[0] : at;

        if (ring > 0 && bytes[0] >= 0x80 && bytes[0] < 0xc0) {
            place = bytes[0] < 0x88 ? nodes + at % 8 : ring + at % header;
        }
        memory[place % size] ^= bytes[2];
    }
}

static void ask(const oh_topology *topology)
{
    uint32_t nodes = oh_topology_nodes_count(topology);
    for (uint32_t i = 0; i < 64; i++) {
        oh_explanation explanation;
        uint32_t key = i * 0x9e3779b9u;
        oh_topology_explain(topology, (const uint8_t *)&key, i % 5, &explanation);
        MUST(oh_topology_locate(topology, (const uint8_t *)&key, sizeof key) < nodes);
        MUST(oh_topology_place(topology, key) < nodes && explanation.node < nodes);
        uint32_t from = oh_topology_from(topology, (const uint8_t *)&key, i % 5);
        MUST(from == OH_STAYS || from < nodes);
        oh_topology_was_pattern_placed(topology, (const uint8_t *)"{a}*", i % 5);
    }
    for (uint32_t i = 0; i < oh_topology_scan_count(topology); i++) {
        MUST(oh_topology_scan_node(topology, i) < nodes);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        oh_topology_moves_both_ways(topology, i, 0);
        oh_node node = oh_topology_node(topology, i);
        MUST(node.name.bytes[node.name.length] == '\0');
        MUST((node.host.bytes != NULL) != (node.path.bytes != NULL));
    }
    MUST(strlen(oh_topology_fingerprint(topology)) < 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length > 1) {
        size_t size;
        unsigned kinds = OH_DISTRIBUTIONS_COUNT, kind = bytes[0] % kinds;
        unsigned from = bytes[1] % (2 * kinds); /* Half have no old ring. */
        void *memory = good_topology(
            (oh_distribution)kind, (oh_distribution)(from < kinds ? from : kinds), &size);
        damage(memory, size, bytes + 2, length - 2);
        if (oh_topology_valid(memory, size)) {
            ask(memory);
        }
        free(memory);
    }
    return 0;
}
