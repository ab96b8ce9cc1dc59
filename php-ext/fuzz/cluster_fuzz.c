/*
 * Any bytes as two answers of nodes about their cluster, or as an answer and an error reply. An
 * accepted answer gives a valid topology, which keeps every node's index and has a node for every
 * slot. No error leads to a node outside of that topology.
 */
#include <string.h>

#include "core/cluster/cluster_map.h"
#include "core/cluster/redirect.h"
#include "fuzz.h"

#define SLOTS(last)                                                                                \
    "*1\r\n*4\r\n:0\r\n:" last                                                                     \
    "\r\n*3\r\n$1\r\na\r\n:1\r\n$1\r\nx\r\n*3\r\n$1\r\nb\r\n:1\r\n$1\r\ny\r\n"
#define SHARDS                                                                                     \
    "*1\r\n*4\r\n$5\r\nslots\r\n*2\r\n:0\r\n:16383\r\n$5\r\nnodes\r\n*1\r\n*8\r\n$2\r\nid\r\n$"    \
    "1\r\nx\r\n$4\r\nport\r\n:1\r\n"                                                               \
    "$2\r\nip\r\n$1\r\nh\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"

/* The first byte of the first four words says where they are cut: into one answer, or into two. */
const char *const fuzz_words[] = {"\xff" SLOTS("16383"), "\xff" SHARDS,
    "\x80" SLOTS("16383") SLOTS("16382"), "\x80" SHARDS SHARDS, SLOTS("16383"), SHARDS,
    "$8\r\nendpoint\r\n", "$6\r\nhealth\r\n$4\r\nfail\r\n", "$6\r\nonline\r\n", "$7\r\nreplica\r\n",
    "*3\r\n", "*2\r\n", "*0\r\n", "*-1\r\n", "$-1\r\n", "$0\r\n\r\n", "$1\r\n?\r\n", ":0\r\n",
    ":65536\r\n", "%1\r\n", "_\r\n", "MOVED 7 a:1", "ASK 7 :1", "MOVED 16384 b:1", "CLUSTERDOWN",
    "*99999999\r\n", "*1000000\r\n", "$17\r\navailability-zone\r\n$1\r\na\r\n",
    "$22\r\ncluster_current_epoch:\r\n", "\r\n", ":", "0", NULL};

static oh_topology *topology_of(const oh_cluster_map *map)
{
    oh_server_pool configured = {
        .name = {"p", 1}, .hash = OH_HASH_CRC16, .distribution = OH_SLOTS, .is_cluster = true};
    oh_server_pool pool = oh_cluster_pool(map, &configured);
    size_t size = oh_topology_size(&pool);
    void *memory = malloc(size);
    MUST(memory && oh_topology_build(&pool, NULL, memory, size) && oh_topology_valid(memory, size));
    return memory;
}

static void ask(oh_topology *topology, const uint8_t *bytes, size_t length)
{
    uint32_t count = oh_topology_nodes_count(topology);
    for (uint32_t slot = (uint32_t)length % 61; slot < OH_SLOTS_COUNT; slot += 61) {
        MUST(oh_topology_place(topology, slot) < count);
    }
    for (uint32_t i = 0; i < count; i++) {
        oh_node node = oh_topology_node(topology, i);
        MUST(node.master < count &&
             oh_topology_find(topology, node.name.bytes, node.name.length) == i);
        oh_redirect_case it = {
            .error = {(const char *)bytes, length}, .asked = i, .left_ms = 100, .is_fresh = i % 2};
        oh_redirect redirect = oh_redirect_decide(topology, &it);
        MUST(redirect.node < count && redirect.slot < OH_SLOTS_COUNT);
        if (redirect.has_moved) {
            oh_topology_move_slot(topology, redirect.slot, redirect.node);
            MUST(oh_topology_place(topology, redirect.slot) == redirect.node);
        }
    }
}

static void adopt(oh_topology *current, const oh_cluster_answer *answer)
{
    char reason[OH_CLUSTER_REASON_BYTES];
    oh_cluster_map *map;
    MUST(oh_cluster_read(answer, &map, reason));
    if (oh_cluster_choose(current, map, NULL, reason)) {
        MUST(oh_cluster_keep_indexes(map, current));
        oh_topology *next = topology_of(map);
        for (uint32_t i = 0; i < oh_topology_nodes_count(current); i++) {
            oh_text name = oh_topology_node(current, i).name;
            uint32_t place = oh_topology_find(next, name.bytes, name.length);
            MUST(place == i || place == oh_topology_nodes_count(next));
        }
        free(next);
    }
    oh_cluster_free(map);
}

/* The first byte says where the rest is cut: into an answer, and the next answer or an error. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    char reason[OH_CLUSTER_REASON_BYTES] = "";
    if (length < 2) {
        return 0;
    }
    size_t cut = 1 + bytes[0] * (length - 1) / 255;
    oh_cluster_answer first = {.reply = {bytes + 1, cut - 1},
        .info = {bytes + cut, length - cut},
        .host = {"a", 1},
        .zone = {{"a", length % 2}, {"b", length / 2 % 2}}};
    oh_cluster_answer second = {.reply = {bytes + cut, length - cut}, .host = {"b", 1}};
    oh_cluster_map *map;
    oh_cluster_map *next;
    if (oh_cluster_read(&first, &map, reason)) {
        if (map->served_count > 0) {
            oh_topology *topology = topology_of(map);
            if (oh_cluster_read(&second, &next, reason)) {
                oh_cluster_free(next);
                adopt(topology, &second);
            }
            ask(topology, bytes + cut, length - cut);
            free(topology);
        }
        oh_cluster_free(map);
    } else {
        MUST(reason[0] != '\0');
    }
    return 0;
}
