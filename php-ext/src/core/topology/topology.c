/*
 * Queries of a topology: where a key lives, why there, and which nodes there are.
 *
 * Implements spec/topology.
 */
#include "core/topology/topology.h"

#include <string.h>

#include "core/base/compiler.h"
#include "core/topology/topology_layout.h"

/* ---- From a key to a node ---- */

static const oh_foreign *foreign_of(const oh_topology *topology)
{
    return oh_foreign_of((oh_distribution)topology->distribution);
}

static oh_bytes hashed_part(const oh_topology *topology, const uint8_t *key, size_t length)
{
    const oh_foreign *foreign = foreign_of(topology);
    oh_bytes whole = {key, length};

    if (foreign) {
        return foreign->part(whole, topology->has_hash_tag ? topology->hash_tag : NULL);
    }
    return topology->has_hash_tag ? oh_key_hashed(whole, topology->hash_tag) : whole;
}

/* nutcracker does not hash an empty key. */
static uint64_t hash_of(const oh_topology *topology, oh_bytes hashed)
{
    const oh_foreign *foreign = foreign_of(topology);

    if (foreign) {
        return foreign->hash((oh_hash)topology->hash, hashed);
    }
    return hashed.length == 0 ? 0 : oh_hash_functions[topology->hash](hashed.bytes, hashed.length);
}

static inline uint32_t node_at(const oh_topology *topology, uint32_t number)
{
    return oh_ring_locate(oh_topology_at(topology, topology->points),
        oh_topology_at(topology, OH_TOPOLOGY_RANGES), topology->shift, number);
}

static uint32_t any_node(const oh_topology *topology, uint32_t hash)
{
    const oh_point *points = oh_topology_at(topology, topology->points);

    return points[oh_random_draw(topology->points_count, hash)].node;
}

uint64_t oh_topology_hash(const oh_topology *topology, const uint8_t *key, size_t length)
{
    return hash_of(topology, hashed_part(topology, key, length));
}

static uint32_t node_of_wide(const oh_topology *topology, uint64_t number)
{
    return oh_wide_ring_locate(oh_topology_at(topology, topology->points), topology->points_count,
        oh_topology_at(topology, OH_TOPOLOGY_RANGES), topology->shift, number);
}

static uint32_t foreign_node(const oh_topology *topology, uint64_t number)
{
    return topology->is_wide ? node_of_wide(topology, number) : node_at(topology, (uint32_t)number);
}

uint32_t oh_topology_place(const oh_topology *topology, uint64_t hash)
{
    uint32_t number = (uint32_t)hash;

    switch ((oh_distribution)topology->distribution) {
    case OH_KETAMA: return node_at(topology, number);
    case OH_MODULA:
    case OH_CODIS: return node_at(topology, oh_modula_slot(number, topology->slots_count));
    case OH_SLOTS:
        return oh_topology_slots_table(topology)[number % OH_SLOTS_COUNT] & ~OH_SLOT_UNSERVED;
    case OH_RANDOM: return any_node(topology, number);
    default: return foreign_node(topology, hash ^ foreign_of(topology)->flip);
    }
}

/* Not inlined: the plain road below then needs fewer registers and jumps. */
static OH_NOINLINE uint32_t locate_otherwise(
    const oh_topology *topology, const uint8_t *key, size_t length)
{
    return topology->is_single
               ? 0
               : oh_topology_place(topology, oh_topology_hash(topology, key, length));
}

uint32_t oh_topology_locate(const oh_topology *topology, const uint8_t *key, size_t length)
{
    if (OH_UNLIKELY(!topology->is_plain || length == 0)) {
        return locate_otherwise(topology, key, length);
    }
    return node_at(topology, oh_hash_functions[topology->hash](key, length));
}

static uint64_t wide_point_value(const oh_topology *topology, uint64_t number)
{
    const oh_wide_point *points = oh_topology_at(topology, topology->points);
    size_t place = oh_wide_ring_search(points, topology->points_count, number);

    return points[place % topology->points_count].value;
}

/* The value of the ring point that a number belongs to. */
static uint32_t point_value(const oh_topology *topology, uint32_t number)
{
    const oh_point *points = oh_topology_at(topology, topology->points);
    size_t place = oh_ring_search(points, topology->points_count, number);

    return points[place % topology->points_count].value;
}

static uint64_t foreign_point_value(const oh_topology *topology, uint64_t hash)
{
    uint64_t flip = foreign_of(topology)->flip;
    uint64_t number = hash ^ flip;

    return flip ^ (topology->is_wide ? wide_point_value(topology, number)
                                     : point_value(topology, (uint32_t)number));
}

void oh_topology_explain(
    const oh_topology *topology, const uint8_t *key, size_t length, oh_explanation *explanation)
{
    *explanation = (oh_explanation){.hashed = {key, length}};
    if (topology->is_single) {
        return;
    }
    oh_bytes hashed = hashed_part(topology, key, length);
    uint64_t hash = hash_of(topology, hashed);
    *explanation = (oh_explanation){.hashed = hashed,
        .hash = hash,
        .node = oh_topology_place(topology, hash),
        .is_placed = true};
    switch ((oh_distribution)topology->distribution) {
    case OH_MODULA:
    case OH_CODIS:
        explanation->point = oh_modula_slot((uint32_t)hash, topology->slots_count);
        break;
    case OH_SLOTS: explanation->point = hash % OH_SLOTS_COUNT; break;
    case OH_RANDOM: break;
    case OH_KETAMA: explanation->point = point_value(topology, (uint32_t)hash); break;
    default: explanation->point = foreign_point_value(topology, hash);
    }
}

/* ---- What is in it ---- */

size_t oh_topology_length(const oh_topology *topology)
{
    return topology->length;
}

uint32_t oh_topology_nodes_count(const oh_topology *topology)
{
    return topology->nodes_count;
}

oh_node oh_topology_node(const oh_topology *topology, uint32_t index)
{
    const oh_node_record *records = oh_topology_at(topology, topology->nodes);
    const oh_node_record *record = &records[index];
    oh_text address = {oh_topology_at(topology, record->address), record->address_length};
    oh_text absent = {NULL, 0};
    oh_text slots = {oh_topology_at(topology, record->slots), record->slots_length};

    return (oh_node){
        .index = index,
        .name = {oh_topology_at(topology, record->name), record->name_length},
        .host = record->is_unix ? absent : address,
        .path = record->is_unix ? address : absent,
        .port = record->port,
        .weight = record->weight,
        .is_ejected = record->is_ejected,
        .id = {oh_topology_at(topology, record->id), record->id_length},
        .role = (oh_role)record->role,
        .master = record->master,
        .is_named = record->flags & OH_NODE_IS_NAMED,
        .slots = record->slots_length > 0 ? slots : absent,
        .is_failing = record->flags & OH_NODE_IS_FAILING,
        .is_loading = record->flags & OH_NODE_IS_LOADING,
        .is_near = record->flags & OH_NODE_IS_NEAR,
    };
}

uint32_t oh_topology_find(const oh_topology *topology, const char *name, size_t length)
{
    const oh_node_record *records = oh_topology_at(topology, topology->nodes);

    for (uint32_t i = 0; i < topology->nodes_count; i++) {
        if (records[i].name_length == length &&
            memcmp(oh_topology_at(topology, records[i].name), name, length) == 0) {
            return i;
        }
    }
    return topology->nodes_count;
}

const uint16_t *oh_topology_slots(const oh_topology *topology)
{
    return topology->distribution == OH_SLOTS ? oh_topology_slots_table(topology) : NULL;
}

uint64_t oh_topology_epoch(const oh_topology *topology)
{
    return topology->epoch;
}

oh_hash oh_topology_hash_function(const oh_topology *topology)
{
    return (oh_hash)topology->hash;
}

oh_distribution oh_topology_distribution(const oh_topology *topology)
{
    return (oh_distribution)topology->distribution;
}

const char *oh_topology_fingerprint(const oh_topology *topology)
{
    return topology->fingerprint;
}

/*
 * ---- How much of the key space each node has ----
 *
 * A fixed set of hashes, spread evenly over all numbers and over all remainders, is placed and
 * counted. Implements spec/meter, "Share".
 */

static void share_equally(const oh_topology *topology, uint32_t *shares)
{
    const oh_point *points = oh_topology_at(topology, topology->points);

    for (uint32_t i = 0; i < topology->points_count; i++) {
        shares[points[i].node] = OH_SHARES / topology->points_count;
    }
}

/* A slot without a node counts for no node, even if one stands in for it. */
static void share_slots(const oh_topology *topology, uint32_t *shares)
{
    const uint16_t *slots = oh_topology_slots_table(topology);

    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        if (oh_slot_is_served(slots[slot])) {
            shares[slots[slot]] += OH_SHARES / OH_SLOTS_COUNT;
        }
    }
}

void oh_topology_shares(const oh_topology *topology, uint32_t *shares)
{
    memset(shares, 0, topology->nodes_count * sizeof *shares);
    if (topology->distribution == OH_SLOTS) {
        share_slots(topology, shares);
    } else if (topology->is_single) {
        shares[0] = OH_SHARES;
    } else if (topology->distribution == OH_RANDOM) {
        share_equally(topology, shares);
    } else {
        for (uint32_t i = 0; i < OH_SHARES; i++) {
            uint64_t hash = (uint64_t)i * (OH_SHARES + 1);

            shares[oh_topology_place(topology, topology->is_wide ? hash << 32 : hash)]++;
        }
    }
}
