/*
 * Any damage to the image of a Redis Cluster in shared memory. Either the image is refused, or all
 * of these stay inside the block: every query to it, to its pool and to its map, the move of a
 * slot, and the choice of a new map.
 */
#include <string.h>

#include "core/cluster/cluster_map.h"
#include "core/cluster/redirect.h"
#include "core/topology/topology_image.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"\xff\xff", "\xff\xff\xff\xff", "\x80", "\x02\x01",
    "\x00\x00\x08", "\x40\x00\x10\x41\x02\x20", "\xc0\x10\xff\xc0\x30\x01", "\x81\x00\xff", NULL};

#define SERVERS 5
#define REPLY                                                                                      \
    "*2\r\n*4\r\n:0\r\n:9000\r\n*3\r\n$1\r\nh\r\n:3\r\n$1\r\nc\r\n*3\r\n$1\r\nh\r\n:9\r\n$"        \
    "1\r\nz\r\n*3\r\n:9001\r\n:16383\r\n*3\r\n$1\r\nh\r\n:1\r\n$1\r\na\r\n"

static const uint8_t salt[OH_IMAGE_SALT_BYTES] = {1, 2, 3};
static oh_server servers[SERVERS] = {
    {.name = {"h:1", 3},
        .host = {"h", 1},
        .port = 1,
        .weight = 1,
        .role = OH_MASTER,
        .id = {"a", 1}},
    {.name = {"h:2", 3},
        .host = {"h", 1},
        .port = 2,
        .weight = 1,
        .role = OH_REPLICA,
        .master = 0,
        .id = {"b", 1},
        .is_near = true},
    {.name = {"h:3", 3},
        .host = {"h", 1},
        .port = 3,
        .weight = 1,
        .role = OH_MASTER,
        .master = 2,
        .id = {"c", 1}},
    {.name = {"gone:9", 6},
        .host = {"gone", 4},
        .port = 9,
        .weight = 1,
        .role = OH_GONE,
        .master = 3},
    {.name = {"h:5", 3},
        .host = {"h", 1},
        .port = 5,
        .weight = 1,
        .role = OH_SPARE,
        .master = 4,
        .is_failing = true},
};

static const uint8_t *good_image(size_t *size)
{
    static uint16_t slots[OH_SLOTS_COUNT];
    static uint64_t *image;
    oh_server_pool pool = {.name = {"p", 1},
        .hash = OH_HASH_CRC16,
        .distribution = OH_SLOTS,
        .is_cluster = true,
        .servers = servers,
        .servers_count = SERVERS,
        .slots = slots,
        .username = {"u", 1},
        .zone = {{"zone", 4}, {"a b", 3}},
        .variables = {"ONE TWO", 7},
        .redis_auth = {"x", 1},
        .tls = {.is_on = true, .server_name = {"n", 1}},
        .epoch = 7};
    for (uint32_t i = 0; i < OH_SLOTS_COUNT; i++) {
        slots[i] = (uint16_t)(i < 100 ? 2 | OH_SLOT_UNSERVED : i < 9000 ? 0 : 2);
    }
    *size = oh_image_size(&pool);
    if (!image) {
        image = malloc(*size);
        MUST(image != NULL);
        oh_image_write(&pool, salt, image);
    }
    return (const uint8_t *)image;
}

/*
 * Each change takes three bytes: 2 bits for the part, 14 for the place in it, and the value. The
 * parts are the two headers, the table of slots, and the rest.
 */
static void damage(uint8_t *image, size_t size, const uint8_t *bytes, size_t length)
{
    size_t topology = (size_t)((const uint8_t *)oh_image_topology(image) - image),
           behind = topology + OH_SLOTS_COUNT * 2;
    for (; length >= 3; bytes += 3, length -= 3) {
        size_t place = (size_t)(bytes[0] & 0x3f) << 8 | bytes[1];
        switch (bytes[0] >> 6) {
        case 0: place %= topology; break;
        case 1: place = topology + place % 256; break;
        case 2: place = topology + place * 2; break;
        default: place = behind + place % (size - behind); break;
        }
        image[place % size] ^= bytes[2];
    }
}

static void share(const oh_topology *topology, uint32_t nodes)
{
    uint32_t *shares = malloc(nodes * sizeof *shares);
    MUST(shares != NULL);
    oh_topology_shares(topology, shares);
    free(shares);
}

static void read_pool(const void *image, uint32_t nodes)
{
    oh_server *read = malloc(nodes * sizeof *read);
    oh_server_pool pool;
    MUST(read != NULL);
    oh_image_pool(image, read, &pool);
    MUST(pool.servers_count == nodes && pool.name.bytes[pool.name.length] == '\0');
    free(read);
}

static void move(
    const void *image, size_t size, oh_topology *topology, uint32_t slot, uint32_t node)
{
    oh_topology_move_slot(topology, slot, node);
    MUST(oh_topology_place(topology, slot) == node && oh_image_is_valid(image, size));
}

static void ask(const oh_topology *topology, uint32_t nodes)
{
    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot += 61) {
        MUST(oh_topology_place(topology, slot) < nodes);
    }
    for (uint32_t i = 0; i < nodes; i++) {
        oh_node node = oh_topology_node(topology, i);
        MUST(node.name.bytes[node.name.length] == '\0' && node.master < nodes &&
             node.role < OH_ROLES_COUNT);
        MUST(oh_topology_find(topology, node.name.bytes, node.name.length) <= i);
        for (int j = 0; j < 3; j++) {
            static const char *const errors[] = {"MOVED 5 :3", "LOADING", "ASK 77 h:5"};
            oh_redirect_case it = {.error = {errors[j], strlen(errors[j])},
                .asked = i,
                .left_ms = -1,
                .is_fresh = true};
            MUST(oh_redirect_decide(topology, &it).node < nodes);
        }
    }
    MUST(strlen(oh_topology_fingerprint(topology)) < 64);
}

static void adopt(const oh_topology *current)
{
    char reason[OH_CLUSTER_REASON_BYTES];
    oh_cluster_answer answer = {.reply = {(const uint8_t *)REPLY, strlen(REPLY)}, .host = {"h", 1}};
    oh_cluster_map *map;
    MUST(oh_cluster_read(&answer, &map, reason));
    if (oh_cluster_choose(current, map, NULL, reason)) {
        MUST(oh_cluster_keep_indexes(map, current));
        oh_server_pool configured = {
            .name = {"p", 1}, .hash = OH_HASH_CRC16, .distribution = OH_SLOTS, .is_cluster = true};
        oh_server_pool pool = oh_cluster_pool(map, &configured);
        size_t size = oh_image_size(&pool);
        void *image = malloc(size);
        MUST(image != NULL);
        oh_image_write(&pool, salt, image);
        MUST(oh_image_is_valid(image, size));
        free(image);
    }
    oh_cluster_free(map);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    size_t size;
    const uint8_t *good = good_image(&size);
    uint8_t *image = malloc(size);
    MUST(image != NULL);
    memcpy(image, good, size);
    damage(image, size, bytes, length);
    if (oh_image_is_valid(image, size) && oh_topology_slots(oh_image_topology(image))) {
        oh_topology *topology = (oh_topology *)(uintptr_t)oh_image_topology(image);
        uint32_t nodes = oh_topology_nodes_count(topology);
        switch (length % 8) { /* Doing all of them would take ten times as long. */
        case 0: adopt(topology); break;
        case 1: move(image, size, topology, (uint32_t)length % OH_SLOTS_COUNT, nodes - 1); break;
        case 2: share(topology, nodes); break;
        case 3: read_pool(image, nodes); break;
        default: ask(topology, nodes); break;
        }
    }
    free(image);
    return 0;
}
