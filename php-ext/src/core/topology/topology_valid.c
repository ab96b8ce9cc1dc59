/*
 * Checks if a block of memory may be trusted as a topology.
 *
 * It does not check that the topology is the right one. It checks that the functions locate,
 * explain and node come to an end and stay inside the block, whatever its offsets, counts and
 * numbers are. It also checks that a ring built of its nodes has the right size. So a torn or
 * hostile block costs a wrong answer at worst, never a crash.
 *
 * Implements spec/topology.
 */
#include <string.h>

#include "core/generated/limits.h"
#include "core/topology/topology_layout.h"

/* Where the areas begin that nothing else may overlap: a table of slots may be written to. */
static size_t areas_begin(const oh_topology *topology)
{
    return sizeof(oh_topology) + (topology->distribution == OH_SLOTS ? OH_SLOTS_BYTES : 0);
}

/*
 * True if `count` things of `size` bytes are at an aligned offset, after the header and inside the
 * block.
 */
static bool is_area(const oh_topology *topology, uint32_t offset, uint64_t count, uint64_t size)
{
    return offset >= areas_begin(topology) && offset % 8 == 0 &&
           offset + count * size <= topology->length;
}

static bool is_text(
    const oh_topology *topology, uint32_t offset, uint32_t length, uint32_t length_max)
{
    const char *text = oh_topology_at(topology, offset);

    return length <= length_max && offset >= areas_begin(topology) &&
           (uint64_t)offset + length < topology->length && text[length] == '\0';
}

static bool has_valid_hash(const oh_topology *topology)
{
    const oh_foreign *foreign = oh_foreign_of((oh_distribution)topology->distribution);

    if (!foreign) {
        return topology->hash < OH_HASHES_COUNT && !topology->is_wide;
    }
    return topology->hash < OH_ALL_HASHES_COUNT &&
           (foreign->hashes & OH_HASH_BIT(topology->hash)) != 0 &&
           topology->is_wide == oh_foreign_is_wide((oh_hash)topology->hash);
}

static bool has_valid_header(const oh_topology *topology, size_t size)
{
    return topology->magic == OH_TOPOLOGY_MAGIC && topology->length <= size &&
           topology->distribution < OH_DISTRIBUTIONS_COUNT && has_valid_hash(topology) &&
           topology->nodes_count > 0 && topology->nodes_count <= OH_NODES_MAX &&
           topology->old_nodes_count < topology->nodes_count &&
           memchr(topology->fingerprint, '\0', sizeof topology->fingerprint);
}

/* True if every number that placement looks up has a range. */
static bool has_valid_numbers(const oh_topology *topology)
{
    if (topology->distribution == OH_SLOTS) {
        return !topology->is_plain;
    }
    return topology->points_count > 0 && topology->slots_count > 0 && topology->shift < 32 &&
           (topology->distribution != OH_CODIS || topology->slots_count == OH_SHARD_SLOTS) &&
           oh_topology_number_max(topology) >> topology->shift < topology->ranges_count &&
           (!topology->is_plain || topology->distribution == OH_KETAMA);
}

static bool has_ring(const oh_topology *topology)
{
    size_t size = topology->is_wide ? sizeof(oh_wide_point) : sizeof(oh_point);

    return is_area(topology, topology->points, (uint64_t)topology->points_count + 1, size) &&
           is_area(topology, OH_TOPOLOGY_RANGES, topology->ranges_count, sizeof(oh_range));
}

static bool has_valid_areas(const oh_topology *topology)
{
    return is_area(topology, topology->nodes, topology->nodes_count, sizeof(oh_node_record)) &&
           (topology->distribution == OH_SLOTS || has_ring(topology));
}

/* A ring may be built of these nodes again, and the weights say how large that is. */
static uint64_t weights_sum_max(const oh_topology *topology)
{
    const oh_foreign *foreign = oh_foreign_of((oh_distribution)topology->distribution);

    return !foreign                   ? OH_WEIGHTS_SUM_MAX
           : foreign->has_slots       ? OH_SHARD_SLOTS
           : foreign->has_many_points ? OH_POOL_SERVERS_MAX
                                      : OH_WEIGHTS_SUM_MAX;
}

/* Only under a distribution with slots do servers have slots, each server as many as it weighs. */
static bool has_valid_slots_of(
    const oh_topology *topology, const oh_node_record *node, bool is_placed)
{
    const oh_foreign *foreign = oh_foreign_of((oh_distribution)topology->distribution);

    if (!foreign || !foreign->has_slots || node->role == OH_REPLICA || !is_placed) {
        return node->slots_length == 0;
    }
    oh_text slots = {oh_topology_at(topology, node->slots), node->slots_length};
    return slots.length == OH_SHARD_SLOTS_BYTES && node->weight == oh_shard_slots(slots);
}

static bool has_valid_nodes(const oh_topology *topology)
{
    const oh_node_record *nodes = oh_topology_at(topology, topology->nodes);
    uint64_t weights_sum = 0;

    for (uint32_t i = 0; i < topology->nodes_count; i++) {
        bool is_placed = i < topology->nodes_count - topology->old_nodes_count;

        weights_sum += nodes[i].role == OH_REPLICA || !is_placed ? 0 : nodes[i].weight;
        if (!is_text(topology, nodes[i].name, nodes[i].name_length, OH_SERVER_NAME_BYTES_MAX) ||
            !is_text(
                topology, nodes[i].address, nodes[i].address_length, OH_SERVER_ADDRESS_BYTES_MAX) ||
            !is_text(topology, nodes[i].id, nodes[i].id_length, OH_NODE_ID_BYTES_MAX) ||
            !is_text(topology, nodes[i].slots, nodes[i].slots_length, OH_SHARD_SLOTS_BYTES) ||
            !has_valid_slots_of(topology, &nodes[i], is_placed) || nodes[i].weight == 0 ||
            nodes[i].role >= OH_ROLES_COUNT || nodes[i].master >= topology->nodes_count) {
            return false;
        }
    }
    return weights_sum <= weights_sum_max(topology);
}

static bool has_valid_slots(const oh_topology *topology)
{
    const uint16_t *slots = oh_topology_slots_table(topology);

    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        if ((slots[slot] & ~OH_SLOT_UNSERVED) >= topology->nodes_count) {
            return false;
        }
    }
    return true;
}

/* The guard ends every search, whatever the values before it are. */
static bool has_valid_wide_points(const oh_topology *topology)
{
    const oh_wide_point *points = oh_topology_at(topology, topology->points);

    for (uint32_t i = 0; i <= topology->points_count; i++) {
        if (points[i].node >= topology->nodes_count) {
            return false;
        }
    }
    return points[topology->points_count].value == UINT64_MAX;
}

static bool has_valid_points(const oh_topology *topology)
{
    if (topology->is_wide) {
        return has_valid_wide_points(topology);
    }
    const oh_point *points = oh_topology_at(topology, topology->points);
    for (uint32_t i = 0; i <= topology->points_count; i++) {
        if (points[i].node >= topology->nodes_count) {
            return false;
        }
    }
    return points[topology->points_count].value == UINT32_MAX;
}

static bool is_range(const oh_topology *topology, const oh_range *range)
{
    for (int i = 0; i < 2; i++) {
        bool is_crowded = range->nodes[i] == OH_CROWDED;

        if (is_crowded ? range->split > topology->points_count
                       : range->nodes[i] >= topology->nodes_count) {
            return false;
        }
    }
    return true;
}

static bool has_valid_ranges(const oh_topology *topology)
{
    const oh_range *ranges = oh_topology_at(topology, OH_TOPOLOGY_RANGES);

    for (uint32_t i = 0; i < topology->ranges_count; i++) {
        if (!is_range(topology, &ranges[i])) {
            return false;
        }
    }
    return true;
}

/* The old ring is a topology in this one, and has no old ring itself. A Redis Cluster has none. */
static bool has_valid_old_ring(const oh_topology *topology)
{
    if (topology->old_ring == 0) {
        return topology->old_nodes_count == 0;
    }
    if (topology->distribution == OH_SLOTS) {
        return false;
    }
    const oh_topology *old_ring = oh_topology_at(topology, topology->old_ring);
    if (!is_area(topology, topology->old_ring, 1, sizeof *old_ring) || old_ring->old_ring != 0 ||
        old_ring->distribution == OH_SLOTS ||
        !oh_topology_valid(old_ring, topology->length - topology->old_ring) ||
        !is_area(topology, topology->old_nodes, old_ring->nodes_count, sizeof(uint32_t))) {
        return false;
    }
    for (uint32_t i = 0; i < old_ring->nodes_count; i++) {
        if (oh_topology_old_nodes(topology)[i] >= topology->nodes_count) {
            return false;
        }
    }
    return true;
}

bool oh_topology_valid(const void *memory, size_t size)
{
    const oh_topology *topology = memory;

    return size >= sizeof(oh_topology) && has_valid_header(topology, size) &&
           has_valid_numbers(topology) && has_valid_areas(topology) && has_valid_nodes(topology) &&
           has_valid_old_ring(topology) &&
           (topology->distribution == OH_SLOTS
                   ? has_valid_slots(topology)
                   : has_valid_points(topology) && has_valid_ranges(topology));
}
