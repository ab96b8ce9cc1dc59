/*
 * Any bytes as an error of a node of a Redis Cluster, after any number of tries. A move of a slot
 * and an ASK lead to the node that the error names. No redirect leads to a node that has left,
 * unless that node is the master of the asked node. The number of tries is limited.
 *
 * The first three bytes choose the asked node and what was tried before; the others are the error.
 */
#include <string.h>

#include "core/generated/limits.h"
#include "core/cluster/redirect.h"
#include "fuzz.h"

const char *const fuzz_words[] = {"\x01\x02\x03MOVED 7 h:1",
    "\x02\x20\x01"
    "ASK 16383 h:65535",
    "MOVED ", "ASK ", " 0 ", ":1", ":65536", "[::1]:2", "::1:2", "?:1", ":2", "h:1", "gone:9",
    "TRYAGAIN", "CLUSTERDOWN x", "LOADING", "MASTERDOWN", "READONLY", " ",
    "127.0.0.1:", "00000000000000001", "4294967297", "-1", NULL};

#define SERVERS 6

static oh_topology *map_of_a_cluster(void)
{
    static oh_server servers[SERVERS] = {
        {.name = {"h:1", 3},
            .host = {"h", 1},
            .port = 1,
            .weight = 1,
            .role = OH_MASTER,
            .id = {"a", 1}},
        {.name = {"h:65535", 7},
            .host = {"h", 1},
            .port = 65535,
            .weight = 1,
            .role = OH_REPLICA,
            .master = 0,
            .id = {"b", 1}},
        {.name = {"::1:2", 5},
            .host = {"::1", 3},
            .port = 2,
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
        {.name = {"h:2", 3},
            .host = {"h", 1},
            .port = 2,
            .weight = 1,
            .role = OH_SPARE,
            .master = 4,
            .id = {"e", 1}},
        {.name = {"127.0.0.1:7", 11},
            .host = {"127.0.0.1", 9},
            .port = 7,
            .weight = 1,
            .role = OH_REPLICA,
            .master = 3,
            .id = {"f", 1}},
    };
    static uint16_t slots[OH_SLOTS_COUNT];
    for (uint32_t i = 0; i < OH_SLOTS_COUNT; i++) {
        slots[i] = (uint16_t)(i % 3 == 0 ? 2 | OH_SLOT_UNSERVED : i % 2 * 2);
    }
    oh_server_pool pool = {.name = {"p", 1},
        .hash = OH_HASH_CRC16,
        .distribution = OH_SLOTS,
        .is_cluster = true,
        .servers = servers,
        .servers_count = SERVERS,
        .slots = slots};
    size_t size = oh_topology_size(&pool);
    void *memory = malloc(size);
    MUST(memory && oh_topology_build(&pool, NULL, memory, size) && oh_topology_valid(memory, size));
    return memory;
}

/* True if the error ends with the port of that node, as it must if it names the node. */
static bool is_named(const oh_topology *map, uint32_t node, oh_text error)
{
    char port[16];
    int length = snprintf(port, sizeof port, "%u", (unsigned)oh_topology_node(map, node).port);
    return error.length > (size_t)length &&
           memcmp(error.bytes + error.length - length, port, (size_t)length) == 0;
}

static void judge(const oh_topology *map, const oh_redirect_case *it, const oh_redirect *redirect)
{
    bool is_sent_on = redirect->action == OH_REDIRECT_FOLLOW || redirect->action == OH_REDIRECT_ASK;
    MUST(redirect->node < SERVERS && redirect->slot < OH_SLOTS_COUNT && redirect->wait_ms <= 320);
    MUST((redirect->action == OH_REDIRECT_GIVE_UP) == (redirect->reason != NULL));
    MUST(!redirect->has_moved ||
         (redirect->action == OH_REDIRECT_FOLLOW && is_named(map, redirect->node, it->error)));
    MUST(redirect->action != OH_REDIRECT_ASK || is_named(map, redirect->node, it->error));
    MUST(redirect->action != OH_REDIRECT_REFRESH || !it->is_fresh);
    MUST(!it->is_held || redirect->action == OH_REDIRECT_NONE ||
         redirect->action == OH_REDIRECT_GIVE_UP);
    if (is_sent_on) {
        bool is_master_of_asked = oh_topology_node(map, it->asked).master == redirect->node;
        MUST(redirect->node != it->asked && it->hops < OH_REDIRECTS_MAX);
        MUST(oh_topology_node(map, redirect->node).role != OH_GONE || is_master_of_asked);
    }
    if (redirect->action == OH_REDIRECT_AGAIN) {
        MUST(it->tries < OH_RETRIES_MAX && (it->left_ms < 0 || redirect->wait_ms < it->left_ms));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static oh_topology *map;
    map = map ? map : map_of_a_cluster();
    if (length >= 3) {
        oh_redirect_case it = {.error = {(const char *)bytes + 3, length - 3},
            .asked = bytes[0] % SERVERS,
            .hops = bytes[1] % 8,
            .tries = bytes[1] / 3,
            .left_ms = (int64_t)bytes[2] * 4 - 100,
            .is_held = bytes[2] % 16 == 15,
            .is_fresh = bytes[2] % 2,
            .chance = bytes[2] * 0x01234567u};
        oh_redirect redirect = oh_redirect_decide(map, &it);
        judge(map, &it, &redirect);
    }
    return 0;
}
