/*
 * Keys that move: the old owner of a key, the sequence of SCAN, and how many keys a change of the
 * configuration moves.
 *
 * Implements spec/topology: moving, and "How many keys move".
 */
#include <string.h>

#include "core/base/decimal.h"
#include "core/generated/limits.h"
#include "core/key/key.h"
#include "core/topology/topology.h"
#include "core/topology/topology_layout.h"

bool oh_topology_is_moving(const oh_topology *topology)
{
    return topology->old_ring != 0;
}

uint32_t oh_topology_old_nodes_count(const oh_topology *topology)
{
    return topology->old_nodes_count;
}

bool oh_node_is_same_address(oh_node a, oh_node b)
{
    return oh_text_is_same(a.host, b.host) && oh_text_is_same(a.path, b.path) && a.port == b.port;
}

uint32_t oh_topology_from(const oh_topology *topology, const uint8_t *key, size_t length)
{
    if (topology->old_ring == 0) {
        return OH_STAYS;
    }
    const oh_topology *old_ring = oh_topology_at(topology, topology->old_ring);
    uint32_t to = oh_topology_locate(topology, key, length);
    uint32_t from = oh_topology_old_nodes(topology)[oh_topology_locate(old_ring, key, length)];
    bool stays = from == to || oh_node_is_same_address(oh_topology_node(topology, from),
                                   oh_topology_node(topology, to));
    return stays ? OH_STAYS : from;
}

bool oh_topology_was_pattern_placed(
    const oh_topology *topology, const uint8_t *pattern, size_t length)
{
    const uint8_t *star = length ? memchr(pattern, '*', length) : NULL;

    if (topology->old_ring == 0 || !star) {
        return true;
    }
    const oh_topology *old_ring = oh_topology_at(topology, topology->old_ring);
    oh_bytes whole = {pattern, length};
    oh_bytes tagged = old_ring->has_hash_tag ? oh_key_hashed(whole, old_ring->hash_tag) : whole;
    return oh_topology_nodes_count(old_ring) == 1 ||
           (tagged.length < length && tagged.bytes + tagged.length < star);
}

static uint32_t ring_count(const oh_topology *topology)
{
    return topology->nodes_count - topology->old_nodes_count;
}

static uint32_t old_ring_count(const oh_topology *topology)
{
    return topology->old_ring == 0
               ? 0
               : oh_topology_nodes_count(oh_topology_at(topology, topology->old_ring));
}

bool oh_topology_moves_both_ways(const oh_topology *topology, uint32_t from, uint32_t to)
{
    oh_node target = oh_topology_node(topology, to);

    for (uint32_t i = 0; from < ring_count(topology) && i < old_ring_count(topology); i++) {
        if (oh_node_is_same_address(
                oh_topology_node(topology, oh_topology_old_nodes(topology)[i]), target)) {
            return true;
        }
    }
    return false;
}

uint32_t oh_topology_scan_count(const oh_topology *topology)
{
    return old_ring_count(topology) + ring_count(topology);
}

uint32_t oh_topology_scan_node(const oh_topology *topology, uint32_t place)
{
    uint32_t old = old_ring_count(topology);

    return place < old ? oh_topology_old_nodes(topology)[place] : place - old;
}

/* ---- The cost of a change: the share of a fixed set of keys that get another node ---- */

#define KEYS_PER_MILLE (OH_MOVED_KEYS / 1000)

static bool is_same_node(oh_node a, oh_node b)
{
    return oh_text_is_same(a.name, b.name) && oh_node_is_same_address(a, b);
}

uint32_t oh_topology_moved(const oh_topology *a, const oh_topology *b)
{
    char key[4 + OH_DECIMAL_DIGITS_MAX] = "key:";
    uint32_t moved = 0;

    for (uint32_t i = 0; i < OH_MOVED_KEYS; i++) {
        size_t length = 4 + oh_decimal_write(key + 4, i);
        uint32_t from = oh_topology_locate(a, (const uint8_t *)key, length);
        uint32_t to = oh_topology_locate(b, (const uint8_t *)key, length);

        moved += !is_same_node(oh_topology_node(a, from), oh_topology_node(b, to));
    }
    return (moved + KEYS_PER_MILLE / 2) / KEYS_PER_MILLE;
}
