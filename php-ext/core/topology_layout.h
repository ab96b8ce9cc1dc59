/*
 * The inside of a topology, for the files of this room alone.
 *
 * All places are offsets from the beginning of the block. Every area begins at a multiple of eight bytes. The layout
 * depends on the pool only, not on which nodes are ejected, so a topology is replaced in place by its successor.
 */
#ifndef OH_TOPOLOGY_LAYOUT_H
#define OH_TOPOLOGY_LAYOUT_H

#include "placement/placement.h"
#include "topology.h"

#define OH_TOPOLOGY_MAGIC 0x4f485431u /* "OHT1": also the version of the layout. */
#define OH_FINGERPRINT_DIGITS 32

struct oh_topology {
    uint32_t magic;
    uint32_t length; /* Of the whole block. */
    uint32_t hash;
    uint32_t distribution;
    uint32_t nodes_count;
    uint32_t points_count; /* Without the guard. */
    uint32_t slots_count;  /* modula: the sum of the weights that take part. */
    uint32_t ranges_count;
    uint32_t shift;   /* From a number to its range. */
    uint32_t points;  /* Offset of points_count points and the guard. */
    uint32_t nodes;   /* Offset of nodes_count records. */
    uint32_t texts;   /* Offset of the names and addresses. */
    uint8_t is_plain; /* Several nodes, ketama, no hash tag: the road that locate takes without asking further. */
    uint8_t has_hash_tag;
    uint8_t hash_tag[2];
    char fingerprint[36]; /* OH_FINGERPRINT_DIGITS and a NUL; three more fill the header up. */
};

/* The ranges stand right behind the header: the plain road saves an addition. */
_Static_assert(sizeof(oh_topology) % 8 == 0, "The ranges must be aligned.");
#define OH_TOPOLOGY_RANGES ((uint32_t)sizeof(oh_topology))

typedef struct oh_node_record {
    uint32_t name; /* Offset of the text, whose end is a NUL. */
    uint32_t name_length;
    uint32_t address; /* Host or path. */
    uint32_t address_length;
    uint32_t weight;
    uint16_t port;
    uint8_t is_unix;
    uint8_t is_ejected;
} oh_node_record;

static inline const void *oh_topology_at(const oh_topology *topology, uint32_t offset)
{
    return (const char *)topology + offset;
}

/* The greatest number that placement looks up. */
static inline uint32_t oh_topology_number_max(const oh_topology *topology)
{
    return topology->distribution == OH_MODULA ? topology->slots_count - 1 : UINT32_MAX;
}

/* Writes the fingerprint of a pool: 32 digits and a NUL. */
void oh_topology_fingerprint_of(const oh_pool *pool, char fingerprint[OH_FINGERPRINT_DIGITS + 1]);

#endif
