/*
 * Collects the nodes and slots of an answer into a map: one entry for each node, however often it
 * is named, and at the end a node for every slot.
 *
 * Implements spec/topology/cluster.md, sections 2 and 3.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/cluster/cluster_reader.h"

bool oh_cluster_fail(oh_cluster_reader *reader, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->reason, OH_CLUSTER_REASON_BYTES, format, arguments);
    va_end(arguments);
    return false;
}

bool oh_cluster_fail_memory(oh_cluster_reader *reader)
{
    return oh_cluster_fail(reader, OH_REASON_MAP_MEMORY);
}

/* ---- Texts ---- */

bool oh_cluster_is_plain(oh_text text, size_t length_max)
{
    if (text.length == 0 || text.length > length_max) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        char c = text.bytes[i];

        if (c <= ' ' || c > '~' || c == '"' || c == '\'' || c == '\\' || c == '/') {
            return false;
        }
    }
    return true;
}

static oh_text copy(oh_cluster_reader *reader, oh_text text)
{
    char *to = oh_arena_take(&reader->map->arena, text.length + 1);

    if (to) {
        memcpy(to, text.bytes, text.length);
    }
    return (oh_text){to, text.length};
}

oh_text oh_cluster_host(oh_text endpoint, oh_text address, oh_text open)
{
    bool is_unknown = endpoint.length == 1 && endpoint.bytes[0] == '?';
    oh_text host = is_unknown ? address : endpoint;

    if (host.length == 0 || (host.length == 1 && host.bytes[0] == '?')) {
        return open;
    }
    if (host.length > 2 && host.bytes[0] == '[' && host.bytes[host.length - 1] == ']') {
        return (oh_text){host.bytes + 1, host.length - 2};
    }
    return host;
}

/* True if the server announces the zone, or if its host is in it. */
static bool is_near(const oh_told_node *told, oh_text host, const oh_zone *zone)
{
    return oh_zone_has(zone, host) ||
           (zone->name.length > 0 && oh_text_is_same(told->zone, zone->name));
}

/* ---- Index ---- */

/* The hash begins with a value that no node knows. So no node can choose names that all collide. */
static uint32_t first_place(const oh_node_index *index, oh_text text)
{
    uint64_t hash = (uintptr_t)index;

    for (size_t i = 0; i < text.length; i++) {
        hash = (hash ^ (uint8_t)text.bytes[i]) * UINT64_C(0x100000001b3);
    }
    return (uint32_t)(((hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % OH_INDEX_PLACES;
}

uint16_t *oh_node_index_find(oh_node_index *index, const oh_server *nodes, oh_text text, bool is_id)
{
    uint32_t place = first_place(index, text);

    while (index->places[place] != 0) {
        const oh_server *node = &nodes[index->places[place] - 1];

        if (oh_text_is_same(is_id ? node->id : node->name, text)) {
            break;
        }
        place = (place + 1) % OH_INDEX_PLACES;
    }
    return &index->places[place];
}

/* ---- Nodes ---- */

static bool insert_node(
    oh_cluster_reader *reader, const oh_told_node *told, oh_server *node, uint16_t *place)
{
    oh_cluster_map *map = reader->map;

    if (map->nodes_count == reader->nodes_max) {
        return oh_cluster_fail(reader, OH_REASON_MAP_NODES, (unsigned)OH_POOL_SERVERS_MAX);
    }
    node->is_near = is_near(told, node->host, &reader->answer->zone);
    node->id = copy(reader, node->id);
    node->host = copy(reader, node->host);
    node->name = copy(reader, node->name);
    if (!node->id.bytes || !node->host.bytes || !node->name.bytes) {
        return oh_cluster_fail_memory(reader);
    }
    node->weight = 1;
    node->role = OH_SPARE;
    node->master = (uint16_t)map->nodes_count;
    node->is_failing = told->is_failing;
    node->is_loading = told->is_loading;
    map->nodes[map->nodes_count++] = *node;
    *place = (uint16_t)map->nodes_count;
    return true;
}

bool oh_cluster_add_node(oh_cluster_reader *reader, const oh_told_node *told, uint16_t *index)
{
    /*
     * Only new names are copied to the heap, because a node may be named once for each of its
     * slots.
     */
    char name[OH_ADDRESS_BYTES_MAX];
    *index = OH_NO_OWNER;
    if (told->port == 0) {
        return true;
    }
    oh_server node = {.host = oh_cluster_host(told->has_endpoint ? told->endpoint : told->address,
                          told->address, reader->answer->host)};
    if (told->port < 0 || told->port > OH_PORT_MAX) {
        return oh_cluster_fail(reader, OH_REASON_MAP_PORT);
    }
    if (!oh_cluster_is_plain(node.host, OH_SERVER_ADDRESS_BYTES_MAX)) {
        return oh_cluster_fail(reader, OH_REASON_MAP_HOST);
    }
    node.port = (uint16_t)told->port;
    node.name = oh_address_write(name, node.host, node.port);
    node.id = told->id.length > 0 ? told->id : node.name;
    if (told->id.length > 0 && !oh_cluster_is_plain(told->id, OH_NODE_ID_BYTES_MAX)) {
        return oh_cluster_fail(reader, OH_REASON_MAP_ID);
    }
    uint16_t *place = oh_node_index_find(reader->ids, reader->map->nodes, node.id, true);
    if (*place == 0 && !insert_node(reader, told, &node, place)) {
        return false;
    }
    *index = (uint16_t)(*place - 1);
    return oh_text_is_same(reader->map->nodes[*index].name, node.name) ||
           oh_cluster_fail(reader, OH_REASON_MAP_ADDRESSES, OH_SHOWN_BYTES_MAX,
               reader->map->nodes[*index].id.bytes);
}

bool oh_cluster_claim(oh_cluster_reader *reader, int64_t first, int64_t last, uint16_t owner)
{
    if (first < 0 || last < first || last >= OH_SLOTS_COUNT) {
        return oh_cluster_fail(reader, OH_REASON_MAP_RANGE, (long long)first, (long long)last);
    }
    for (int64_t slot = first; slot <= last; slot++) {
        if (reader->map->slots[slot] != OH_NO_OWNER) {
            return oh_cluster_fail(reader, OH_REASON_MAP_CLAIMED, (long long)slot);
        }
        reader->map->slots[slot] = owner;
    }
    return true;
}

/* ---- Closing ---- */

/*
 * If a node was replaced at its address, the answer names both, the old one as failing. The old one
 * is marked as gone here, and close_up removes it.
 */
static bool drop_doubles(oh_cluster_reader *reader)
{
    oh_cluster_map *map = reader->map;

    memset(reader->ids, 0, sizeof *reader->ids);
    for (uint32_t i = 0; i < map->nodes_count; i++) {
        uint16_t *place = oh_node_index_find(reader->ids, map->nodes, map->nodes[i].name, false);

        if (*place == 0) {
            *place = (uint16_t)(i + 1);
            continue;
        }
        oh_server *other = &map->nodes[*place - 1];
        if (!map->nodes[i].is_failing && !other->is_failing) {
            return oh_cluster_fail(
                reader, OH_REASON_MAP_TWICE, OH_SHOWN_BYTES_MAX, map->nodes[i].name.bytes);
        }
        if (map->nodes[i].is_failing) {
            map->nodes[i].role = OH_GONE;
        } else {
            other->role = OH_GONE;
            *place = (uint16_t)(i + 1);
        }
    }
    return true;
}

/*
 * Removes the nodes that are gone. The memory of `ids` is used again, for the new index of each
 * node.
 */
static void close_up(oh_cluster_reader *reader)
{
    oh_cluster_map *map = reader->map;
    uint16_t *to = reader->ids->places;
    uint32_t count = 0;

    for (uint32_t i = 0; i < map->nodes_count; i++) {
        bool is_kept = map->nodes[i].role != OH_GONE;

        to[i] = is_kept ? (uint16_t)count : OH_NO_OWNER;
        map->nodes[count] = map->nodes[i];
        count += is_kept;
    }
    map->nodes_count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t master = to[map->nodes[i].master];

        map->nodes[i].master = master != OH_NO_OWNER ? master : (uint16_t)i;
        if (master == OH_NO_OWNER) {
            map->nodes[i].role = OH_SPARE;
        }
    }
    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        if (map->slots[slot] != OH_NO_OWNER) {
            map->slots[slot] = to[map->slots[slot]];
        }
    }
}

/*
 * A slot without a node gets the node of the nearest slot before it that has one. The last slot of
 * all counts as the slot before slot 0.
 */
static void stand_in(oh_cluster_map *map)
{
    uint16_t last = 0;

    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        last = map->slots[slot] != OH_NO_OWNER ? map->slots[slot] : last;
    }
    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        if (map->slots[slot] != OH_NO_OWNER) {
            last = map->slots[slot];
            map->nodes[last].role = OH_MASTER;
            map->nodes[last].master = last;
            map->served_count++;
        } else {
            map->slots[slot] = (uint16_t)(last | OH_SLOT_UNSERVED);
        }
    }
}

bool oh_cluster_close(oh_cluster_reader *reader)
{
    if (!drop_doubles(reader)) {
        return false;
    }
    close_up(reader);
    stand_in(reader->map);
    return true;
}
