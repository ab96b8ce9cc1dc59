/*
 * Maps as a whole: reading one, choosing between two, and keeping the indexes of nodes.
 *
 * Implements spec/topology/cluster.md, sections 3 to 5.
 */
#include "core/cluster/cluster_map.h"

#include <stdio.h>
#include <string.h>

#include "core/cluster/cluster_reader.h"

/* The shortest description of a node: an array with a one-byte endpoint and a port. */
#define NODE_BYTES_MIN 15

/* ---- Reading ---- */

/* cluster_current_epoch, from the text of CLUSTER INFO; 0 if it is not there. */
static uint64_t read_epoch(oh_bytes info)
{
    static const char name[] = "cluster_current_epoch:";

    if (info.length == 0) {
        return 0;
    }
    oh_values values = oh_values_of(info.bytes, info.length);
    oh_text text;
    if (!oh_value_take_text(&values, &text)) {
        return 0;
    }
    const char *at = text.bytes;
    const char *end = at + text.length;
    for (; at && (size_t)(end - at) > sizeof name; at = memchr(at, '\n', (size_t)(end - at))) {
        at += *at == '\n';
        if ((size_t)(end - at) >= sizeof name && memcmp(at, name, sizeof name - 1) == 0) {
            uint64_t epoch = 0;

            for (at += sizeof name - 1;
                at < end && *at >= '0' && *at <= '9' && epoch < UINT64_MAX / 16; at++) {
                epoch = epoch * 10 + (uint64_t)(*at - '0');
            }
            return epoch;
        }
    }
    return 0;
}

static oh_cluster_map *make_map(size_t nodes_max)
{
    oh_arena arena = {NULL};
    oh_cluster_map *map = oh_arena_take(&arena, sizeof *map);

    if (!map) {
        return NULL;
    }
    map->nodes = oh_arena_take(&arena, nodes_max * sizeof *map->nodes);
    map->arena = arena;
    memset(map->slots, 0xff, sizeof map->slots); /* OH_NO_OWNER. */
    if (!map->nodes) {
        oh_cluster_free(map);
        return NULL;
    }
    return map;
}

bool oh_cluster_read(
    const oh_cluster_answer *answer, oh_cluster_map **map, char reason[OH_CLUSTER_REASON_BYTES])
{
    oh_cluster_reader reader = {.answer = answer, .reason = reason};

    *map = NULL;
    if (answer->reply.length > OH_CLUSTER_REPLY_BYTES_MAX) {
        return oh_cluster_fail(
            &reader, OH_REASON_MAP_TOO_LONG, (unsigned)OH_CLUSTER_REPLY_BYTES_MAX);
    }
    size_t nodes = answer->reply.length / NODE_BYTES_MIN + 1;
    reader.nodes_max = nodes < OH_POOL_SERVERS_MAX ? nodes : OH_POOL_SERVERS_MAX;
    reader.values = oh_values_of(answer->reply.bytes, answer->reply.length);
    reader.map = make_map(reader.nodes_max);
    reader.ids = oh_memory_allocate(sizeof *reader.ids);
    bool is_read = reader.map && reader.ids;
    if (is_read) {
        memset(reader.ids, 0, sizeof *reader.ids);
        is_read = oh_cluster_read_reply(&reader) && oh_cluster_close(&reader);
    } else {
        oh_cluster_fail_memory(&reader);
    }
    oh_memory_release(reader.ids);
    if (!is_read) {
        oh_cluster_free(reader.map);
        return false;
    }
    reader.map->epoch = read_epoch(answer->info);
    *map = reader.map;
    return true;
}

void oh_cluster_free(oh_cluster_map *map)
{
    if (map) {
        oh_arena arena = map->arena;

        oh_arena_release(&arena);
    }
}

/* ---- Choosing ---- */

static uint32_t served_by(const oh_topology *topology)
{
    const uint16_t *slots = oh_topology_slots(topology);
    uint32_t served = 0;

    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        served += (slots[slot] & OH_SLOT_UNSERVED) == 0;
    }
    return served;
}

/*
 * True if both are of one cluster. Epochs of another cluster, or of one that was created again,
 * mean nothing.
 */
static bool have_common_node(const oh_topology *current, const oh_cluster_map *map)
{
    for (uint32_t i = 0; i < oh_topology_nodes_count(current); i++) {
        oh_text id = oh_topology_node(current, i).id;

        for (uint32_t j = 0; id.length > 0 && j < map->nodes_count; j++) {
            if (oh_text_is_same(map->nodes[j].id, id)) {
                return true;
            }
        }
    }
    return false;
}

bool oh_cluster_is_foreign(const oh_topology *current, const oh_cluster_map *map)
{
    return current && !have_common_node(current, map);
}

static bool is_fit(const oh_topology *current, const oh_cluster_map *map, char *reason)
{
    if (!map) {
        return false;
    }
    if (map->served_count == 0) {
        snprintf(reason, OH_CLUSTER_REASON_BYTES, OH_REASON_MAP_EMPTY);
        return false;
    }
    if (!current || !have_common_node(current, map)) {
        return true;
    }
    if (map->epoch > 0 && map->epoch < oh_topology_epoch(current)) {
        snprintf(reason, OH_CLUSTER_REASON_BYTES, OH_REASON_MAP_OLDER,
            (unsigned long long)map->epoch, (unsigned long long)oh_topology_epoch(current));
        return false;
    }
    uint32_t served = served_by(current);
    if (map->served_count < (served + 1) / 2) {
        snprintf(reason, OH_CLUSTER_REASON_BYTES, OH_REASON_MAP_PARTIAL, map->served_count, served);
        return false;
    }
    return true;
}

oh_cluster_map *oh_cluster_choose(const oh_topology *current, oh_cluster_map *first,
    oh_cluster_map *second, char reason[OH_CLUSTER_REASON_BYTES])
{
    first = is_fit(current, first, reason) ? first : NULL;
    second = is_fit(current, second, reason) ? second : NULL;
    if (!first || !second) {
        return first ? first : second;
    }
    if (oh_cluster_is_foreign(current, first) != oh_cluster_is_foreign(current, second)) {
        return oh_cluster_is_foreign(current, first) ? second : first;
    }
    if (first->epoch != second->epoch) {
        return first->epoch > second->epoch ? first : second;
    }
    return first->served_count >= second->served_count ? first : second;
}

/* ---- Places ---- */

/* A node that has left keeps its index. Its texts must outlive the topology they are in. */
static bool keep_gone(
    oh_cluster_map *map, const oh_topology *current, uint32_t index, oh_server *server)
{
    oh_node node = oh_topology_node(current, index);
    char *texts = oh_arena_take(&map->arena, node.name.length + 1 + node.host.length + 1);

    if (!texts) {
        return false;
    }
    memcpy(texts, node.name.bytes, node.name.length);
    char *host = texts + node.name.length + 1;
    if (node.host.length > 0) {
        memcpy(host, node.host.bytes, node.host.length);
    }
    *server = (oh_server){.name = {texts, node.name.length},
        .host = {host, node.host.length},
        .port = node.port,
        .weight = 1,
        .role = OH_GONE,
        .master = (uint16_t)index};
    return true;
}

/*
 * Finds the new index of each node: to[i] is that of node i of the map. Returns how many indexes
 * there are then.
 */
static uint32_t find_places(oh_cluster_map *map, const oh_topology *current, oh_node_index *names,
    uint16_t *to, bool *is_taken)
{
    uint32_t places = oh_topology_nodes_count(current);

    memset(names, 0, sizeof *names);
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        to[i] = OH_NO_OWNER;
        *oh_node_index_find(names, map->nodes, map->nodes[i].name, false) = (uint16_t)(i + 1);
    }
    for (uint32_t i = 0; i < places; i++) {
        uint16_t found =
            *oh_node_index_find(names, map->nodes, oh_topology_node(current, i).name, false);

        is_taken[i] = found != 0 && to[found - 1] == OH_NO_OWNER;
        if (is_taken[i]) {
            to[found - 1] = (uint16_t)i;
        }
    }
    for (uint32_t i = 0, free_place = 0; i < map->nodes_count; i++) {
        for (; to[i] == OH_NO_OWNER && free_place < places && is_taken[free_place]; free_place++) {
        }
        if (to[i] == OH_NO_OWNER) {
            to[i] = (uint16_t)(free_place < places ? free_place : places++);
            is_taken[to[i]] = true;
        }
    }
    for (; places > 0 && !is_taken[places - 1]; places--) {
    }
    return places;
}

static bool move_nodes(oh_cluster_map *map, const oh_topology *current, const uint16_t *to,
    const bool *is_taken, uint32_t places)
{
    oh_server *nodes = oh_arena_take(&map->arena, places * sizeof *nodes);

    if (!nodes) {
        return false;
    }
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        nodes[to[i]] = map->nodes[i];
        nodes[to[i]].master = to[map->nodes[i].master];
    }
    for (uint32_t i = 0; i < places; i++) {
        if (!is_taken[i] && !keep_gone(map, current, i, &nodes[i])) {
            return false;
        }
    }
    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        uint16_t flag = map->slots[slot] & OH_SLOT_UNSERVED;

        map->slots[slot] = (uint16_t)(to[map->slots[slot] ^ flag] | flag);
    }
    map->nodes = nodes;
    map->nodes_count = places;
    return true;
}

bool oh_cluster_keep_indexes(oh_cluster_map *map, const oh_topology *current)
{
    if (!current || oh_topology_nodes_count(current) > OH_POOL_SERVERS_MAX ||
        map->nodes_count == 0) {
        return true;
    }
    struct {
        oh_node_index names;
        uint16_t to[OH_POOL_SERVERS_MAX];
        bool is_taken[OH_NODES_MAX];
    } *work = oh_memory_allocate(sizeof *work);
    if (!work) {
        return false;
    }
    memset(work->is_taken, 0, sizeof work->is_taken);
    uint32_t places = find_places(map, current, &work->names, work->to, work->is_taken);
    bool is_moved = move_nodes(map, current, work->to, work->is_taken, places);
    oh_memory_release(work);
    return is_moved;
}

/* True if the map and `current` have the same node at this index, and it is well in the map. */
static bool is_well(const oh_cluster_map *map, const oh_topology *current, uint32_t index)
{
    const oh_server *server = &map->nodes[index];

    return server->role != OH_GONE && !server->is_failing &&
           oh_text_is_same(server->name, oh_topology_node(current, index).name);
}

void oh_cluster_keep_moved(
    oh_cluster_map *map, const oh_topology *asked, const oh_topology *current)
{
    const uint16_t *before = asked ? oh_topology_slots(asked) : NULL;
    const uint16_t *now = current ? oh_topology_slots(current) : NULL;

    for (uint32_t slot = 0; before && now && slot < OH_SLOTS_COUNT; slot++) {
        uint16_t node = now[slot];

        if (node != before[slot] && (node & OH_SLOT_UNSERVED) == 0 && node < map->nodes_count &&
            is_well(map, current, node)) {
            map->served_count += (map->slots[slot] & OH_SLOT_UNSERVED) != 0;
            map->slots[slot] = node;
            map->nodes[node].role = OH_MASTER;
            map->nodes[node].master = node;
        }
    }
}

oh_server_pool oh_cluster_pool(const oh_cluster_map *map, const oh_server_pool *configured)
{
    oh_server_pool pool = *configured;

    pool.servers = map->nodes;
    pool.servers_count = map->nodes_count;
    pool.slots = map->slots;
    pool.epoch = map->epoch;
    return pool;
}
