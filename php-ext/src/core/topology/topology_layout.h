/*
 * The inside of a topology, for the files of this room alone.
 *
 * All positions are offsets from the beginning of the block. Every area begins at a multiple of
 * eight bytes. The layout depends on the pool only, not on which nodes are ejected, so a topology
 * is replaced in place by its successor.
 *
 * A topology of a Redis Cluster has no ring and no points. A table of slots follows its header.
 *
 * If keys move from an old ring, a second topology, of that ring alone, is at the end.
 */
#ifndef OH_TOPOLOGY_LAYOUT_H
#define OH_TOPOLOGY_LAYOUT_H

#include "core/placement/placement.h"
#include "core/topology/topology.h"

#define OH_TOPOLOGY_MAGIC 0x4f485436u /* "OHT6": also the version of the layout. */
#define OH_FINGERPRINT_DIGITS 32

struct oh_topology {
    uint32_t magic;
    uint32_t length; /* Of the whole block. */
    uint32_t hash;
    uint32_t distribution;
    uint32_t nodes_count;
    uint32_t points_count; /* Without the guard. */
    uint32_t slots_count;  /* modula, codis: the sum of the weights that take part. */
    uint32_t ranges_count;
    uint32_t shift;           /* Shifts a number to its range. */
    uint32_t points;          /* Offset of points_count points and the guard. */
    uint32_t nodes;           /* Offset of nodes_count records. */
    uint32_t texts;           /* Offset of the names and addresses. */
    uint32_t old_ring;        /* Offset of the topology of the ring that keys move from; 0: none. */
    uint32_t old_nodes_count; /* How many nodes, the last ones, have keys only by the old ring. */
    uint32_t old_nodes;       /* Offset: for each node of the old ring its index here. */
    uint32_t zero;
    uint64_t epoch; /* Under OH_SLOTS: the epoch of the cluster. */
    /* Several nodes, ketama, no hash tag: locate then takes its short road. */
    uint8_t is_plain;
    uint8_t has_hash_tag;
    uint8_t hash_tag[2];
    uint8_t is_single;    /* One server of a file has every key. */
    uint8_t is_wide;      /* The points are oh_wide_point. */
    char fingerprint[34]; /* OH_FINGERPRINT_DIGITS, a NUL, and a byte of padding. */
};

/* The ranges follow the header directly, which saves the plain road an addition. */
_Static_assert(sizeof(oh_topology) % 8 == 0, "The ranges must be aligned.");
#define OH_TOPOLOGY_RANGES ((uint32_t)sizeof(oh_topology))
#define OH_TOPOLOGY_SLOTS ((uint32_t)sizeof(oh_topology))
#define OH_SLOTS_BYTES (OH_SLOTS_COUNT * sizeof(uint16_t))

typedef struct oh_node_record {
    uint32_t name; /* Offset of the text, whose end is a NUL. */
    uint32_t name_length;
    uint32_t address; /* Host or path. */
    uint32_t address_length;
    uint32_t weight;
    uint16_t port;
    uint8_t is_unix;
    uint8_t is_ejected;
    uint32_t id; /* Offset; the text is empty outside a Redis Cluster. */
    uint32_t id_length;
    uint32_t slots; /* Offset of the bits of its slots, or of nothing. */
    uint32_t slots_length;
    uint16_t master;
    uint8_t role;
    uint8_t flags;
} oh_node_record;

#define OH_NODE_IS_FAILING 1u
#define OH_NODE_IS_NEAR 2u
#define OH_NODE_IS_NAMED 4u
#define OH_NODE_IS_LOADING 8u
_Static_assert(
    sizeof(oh_node_record) == 44, "Nothing but fields may stand in it: images are compared.");

static inline const void *oh_topology_at(const oh_topology *topology, uint32_t offset)
{
    return (const char *)topology + offset;
}

/* The greatest number that placement looks up. */
static inline uint32_t oh_topology_number_max(const oh_topology *topology)
{
    bool has_slots = topology->distribution == OH_MODULA || topology->distribution == OH_CODIS;

    return has_slots ? topology->slots_count - 1 : UINT32_MAX;
}

/* The table of slots, OH_SLOTS_COUNT entries; meaningful only under OH_SLOTS. */
static inline const uint16_t *oh_topology_slots_table(const oh_topology *topology)
{
    return oh_topology_at(topology, OH_TOPOLOGY_SLOTS);
}

/* True if a node has the slot of this entry of the table. */
static inline bool oh_slot_is_served(uint16_t entry)
{
    return (entry & OH_SLOT_UNSERVED) == 0;
}

static inline const uint32_t *oh_topology_old_nodes(const oh_topology *topology)
{
    return oh_topology_at(topology, topology->old_nodes);
}

/* Writes the fingerprint of a Redis Cluster whose slots are known: 32 digits and a NUL. */
void oh_topology_fingerprint_of_slots(
    const oh_topology *topology, char fingerprint[OH_FINGERPRINT_DIGITS + 1]);

/* Writes the fingerprint of a pool: 32 digits and a NUL. */
void oh_topology_fingerprint_of(
    const oh_server_pool *pool, char fingerprint[OH_FINGERPRINT_DIGITS + 1]);

#endif
