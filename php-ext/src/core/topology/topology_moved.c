/*
 * The cost of a change of topology: the share of a fixed set of keys that get another node.
 *
 * Implements spec/topology, "How many keys move".
 */

#include "core/base/decimal.h"
#include "core/generated/limits.h"
#include "core/topology/topology.h"

#define KEYS_PER_MILLE (OH_MOVED_KEYS / 1000)

static bool is_same_node(oh_node a, oh_node b)
{
    return oh_text_is_same(a.name, b.name) && oh_text_is_same(a.host, b.host) &&
           oh_text_is_same(a.path, b.path) && a.port == b.port;
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
