/*
 * Any bytes as a topology in shared memory: either it is refused, or every query stays inside the
 * block. The bytes damage a good topology, because random bytes would already be refused at the
 * first word.
 */
#include <string.h>

#include "core/placement/foreign.h"
#include "core/topology/topology.h"
#include "fuzz.h"

const char *const fuzz_words[] = {
    "\x01", "\xff", "\xff\xff", "\xff\xff\xff\xff", "\x80", "\x02\x01", NULL};

#define SERVERS 3

static void *good_topology(oh_distribution distribution, size_t *size)
{
    static oh_server servers[SERVERS] = {
        {.name = {"a", 1}, .host = {"h", 1}, .port = 1, .weight = 1},
        {.name = {"b", 1}, .path = {"/b", 2}, .weight = 5},
        {.name = {"cc", 2}, .host = {"h", 1}, .port = 2, .weight = 2},
    };
    static char slots[SERVERS][OH_SHARD_SLOTS_BYTES];

    for (uint32_t slot = 0; slot < OH_SHARD_SLOTS; slot++) { /* Each has every third slot. */
        slots[slot % SERVERS][slot / 8] |= (char)(1 << slot % 8);
    }
    for (uint32_t i = 0; i < SERVERS; i++) {
        servers[i].slots =
            distribution == OH_CODIS ? (oh_text){slots[i], sizeof slots[i]} : (oh_text){NULL, 0};
    }
    oh_server_pool pool = {.distribution = distribution,
        .servers = servers,
        .servers_count = SERVERS,
        .hash = OH_HASH_MURMUR};
    *size = oh_topology_size(&pool);
    void *memory = malloc(*size);
    MUST(memory != NULL && oh_topology_build(&pool, NULL, memory, *size));
    return memory;
}

/* Each change takes three bytes: two for the place, one for the value. */
static void damage(uint8_t *memory, size_t size, const uint8_t *bytes, size_t length)
{
    for (; length >= 3; bytes += 3, length -= 3) {
        /* Most changes are in the header. */
        size_t place = bytes[0] < 0xc0 ? bytes[0] : (size_t)(bytes[0] & 0x3f) << 8 | bytes[1];
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
    }
    for (uint32_t i = 0; i < nodes; i++) {
        oh_node node = oh_topology_node(topology, i);
        MUST(node.name.bytes[node.name.length] == '\0');
        MUST((node.host.bytes != NULL) != (node.path.bytes != NULL));
    }
    MUST(strlen(oh_topology_fingerprint(topology)) < 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length > 0) {
        size_t size;
        void *memory = good_topology((oh_distribution)(bytes[0] % OH_DISTRIBUTIONS_COUNT), &size);
        damage(memory, size, bytes + 1, length - 1);
        if (oh_topology_valid(memory, size)) {
            ask(memory);
        }
        free(memory);
    }
    return 0;
}
