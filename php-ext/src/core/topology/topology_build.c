/*
 * Building a topology: lay out the block, copy the nodes, make the points, sort them, close the
 * ring.
 *
 * A Redis Cluster has no points: its table of slots is copied as it is.
 *
 * Nothing is allocated: while points are sorted, the memory of the ranges serves as their second
 * buffer.
 *
 * Implements spec/topology and spec/placement.
 */
#include <string.h>

#include "core/topology/topology_layout.h"

/* ---- Layout ---- */

typedef struct {
    size_t ranges_count;
    size_t points;
    size_t nodes;
    size_t texts;
    size_t old_nodes;
    size_t old_ring;
    size_t length;
} layout;

/* What all servers have in common for their points. */
static oh_shard any_shard(const oh_server_pool *pool)
{
    oh_shard shard = {
        .servers_count = (uint32_t)oh_server_pool_count_masters(pool), .hash = pool->hash};

    for (uint32_t i = 0; i < shard.servers_count; i++) {
        shard.weights_sum += pool->servers[i].weight;
    }
    return shard;
}

static void be_shard(oh_shard *shard, const oh_server_pool *pool, uint32_t index)
{
    const oh_server *server = &pool->servers[index];

    shard->name = server->name;
    shard->is_named = server->is_named;
    shard->index = index;
    shard->weight = server->weight;
    shard->slots = server->slots;
}

static size_t foreign_points(const oh_server_pool *pool, const oh_foreign *foreign)
{
    oh_shard shard = any_shard(pool);
    size_t points = 0;

    for (uint32_t i = 0; i < shard.servers_count; i++) {
        be_shard(&shard, pool, i);
        points += foreign->count(&shard);
    }
    return points;
}

/* The most points that the ring can have: rounding never adds a whole group (spec/placement). */
static size_t points_max(const oh_server_pool *pool)
{
    size_t count = oh_server_pool_count_masters(pool);
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);

    if (foreign) {
        return foreign_points(pool, foreign);
    }
    return pool->distribution == OH_KETAMA ? count * OH_KETAMA_POINTS : count;
}

static bool is_wide(const oh_server_pool *pool)
{
    return oh_foreign_of(pool->distribution) && oh_foreign_is_wide(pool->hash);
}

static oh_text server_address(const oh_server *server)
{
    return server->path.bytes ? server->path : server->host;
}

static size_t aligned(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static layout lay_out(const oh_server_pool *pool)
{
    layout it = {.nodes = OH_TOPOLOGY_SLOTS + OH_SLOTS_BYTES};

    if (pool->distribution != OH_SLOTS) {
        size_t points = points_max(pool);
        size_t size = is_wide(pool) ? sizeof(oh_wide_point) : sizeof(oh_point);

        it.ranges_count = oh_ring_ranges(points * size / sizeof(oh_point));
        it.points = OH_TOPOLOGY_RANGES + it.ranges_count * sizeof(oh_range);
        it.nodes = it.points + (points + 1) * size;
    }
    it.texts = it.nodes + pool->servers_count * sizeof(oh_node_record);
    it.length = it.texts;
    for (size_t i = 0; i < pool->servers_count; i++) {
        const oh_server *server = &pool->servers[i];

        it.length += server->name.length + 1 + server_address(server).length + 1 +
                     server->id.length + 1 + server->slots.length + 1;
    }
    if (pool->old_ring) {
        it.old_nodes = aligned(it.length);
        it.old_ring = it.old_nodes + aligned(pool->old_ring->servers_count * sizeof(uint32_t));
        it.length = it.old_ring + oh_topology_size(pool->old_ring);
    }
    return it;
}

size_t oh_topology_size(const oh_server_pool *pool)
{
    return lay_out(pool).length;
}

static void *at(oh_topology *topology, uint32_t offset)
{
    return (char *)topology + offset;
}

/* ---- Nodes ---- */

static uint32_t copy_text(oh_topology *topology, uint32_t offset, oh_text text)
{
    char *to = at(topology, offset);

    if (text.length > 0) {
        memcpy(to, text.bytes, text.length);
    }
    to[text.length] = '\0';
    return offset + (uint32_t)text.length + 1;
}

/* A Redis Cluster announces zones, too, so its map has said which nodes are near. */
static bool is_near(const oh_server_pool *pool, const oh_server *server)
{
    return pool->is_cluster ? server->is_near : oh_zone_has(&pool->zone, server->host);
}

static void copy_nodes(oh_topology *topology, const oh_server_pool *pool, const bool *ejected)
{
    oh_node_record *nodes = at(topology, topology->nodes);
    uint32_t offset = topology->texts;

    for (uint32_t i = 0; i < topology->nodes_count; i++) {
        const oh_server *server = &pool->servers[i];
        oh_text address = server_address(server);

        nodes[i] = (oh_node_record){
            .name = offset,
            .name_length = (uint32_t)server->name.length,
            .address = offset + (uint32_t)server->name.length + 1,
            .address_length = (uint32_t)address.length,
            .weight = server->weight,
            .port = server->port,
            .is_unix = server->path.bytes != NULL,
            .is_ejected = ejected && ejected[i],
            .id = offset + (uint32_t)(server->name.length + 1 + address.length + 1),
            .id_length = (uint32_t)server->id.length,
            .slots = offset + (uint32_t)(server->name.length + 1 + address.length + 1 +
                                         server->id.length + 1),
            .slots_length = (uint32_t)server->slots.length,
            .master = server->master,
            .role = (uint8_t)server->role,
            .flags = (uint8_t)((server->is_failing ? OH_NODE_IS_FAILING : 0) |
                               (server->is_loading ? OH_NODE_IS_LOADING : 0) |
                               (is_near(pool, server) ? OH_NODE_IS_NEAR : 0) |
                               (server->is_named ? OH_NODE_IS_NAMED : 0)),
        };
        offset = copy_text(topology, offset, server->name);
        offset = copy_text(topology, offset, address);
        offset = copy_text(topology, offset, server->id);
        offset = copy_text(topology, offset, server->slots);
    }
}

/* ---- Slots ---- */

/*
 * Copies the slots. While the map is unknown, the seeds stand in for all nodes. True if any slot
 * has a node.
 */
static bool copy_slots(oh_topology *topology, const oh_server_pool *pool)
{
    uint16_t *slots = at(topology, OH_TOPOLOGY_SLOTS);
    bool is_known = false;

    for (uint32_t slot = 0; slot < OH_SLOTS_COUNT; slot++) {
        uint32_t seed = slot % topology->nodes_count | OH_SLOT_UNSERVED;

        slots[slot] = (uint16_t)(pool->slots ? pool->slots[slot] : seed);
        is_known |= oh_slot_is_served(slots[slot]);
    }
    return is_known;
}

/* ---- Points ---- */

typedef struct {
    const bool *ejected; /* NULL: every node is live. */
    uint32_t masters;    /* Replicas have no points. */
    uint32_t count;
    uint32_t weights_sum;
} live_nodes;

/*
 * If all nodes of a pool are ejected, the ring has all of them. nutcracker keeps its old ring then.
 */
static live_nodes count_live(const oh_server_pool *pool, const bool *ejected)
{
    live_nodes live = {.ejected = ejected, .masters = (uint32_t)oh_server_pool_count_masters(pool)};

    for (uint32_t i = 0; i < live.masters; i++) {
        if (!ejected || !ejected[i]) {
            live.count++;
            live.weights_sum += pool->servers[i].weight;
        }
    }
    return live.count > 0 || !ejected ? live : count_live(pool, NULL);
}

static void make_points(oh_topology *topology, const oh_server_pool *pool, const live_nodes *live)
{
    oh_point *points = at(topology, topology->points);
    oh_point *end = points;

    for (uint32_t i = 0; i < live->masters; i++) {
        const oh_server *server = &pool->servers[i];

        if (live->ejected && live->ejected[i]) {
            continue;
        }
        topology->slots_count += server->weight;
        switch (pool->distribution) {
        case OH_KETAMA:
            end = oh_ketama_points(end, server->name.bytes, server->name.length, i,
                oh_ketama_groups(server->weight, live->weights_sum, live->count));
            break;
        case OH_MODULA: *end++ = oh_modula_point(topology->slots_count, i); break;
        default: *end++ = (oh_point){.node = i}; break;
        }
    }
    topology->points_count = (uint32_t)(end - points);
}

/* All servers take part, ejected or not. The first one of equal points counts. */
static void make_foreign_points(oh_topology *topology, const oh_server_pool *pool)
{
    const oh_foreign *foreign = oh_foreign_of(pool->distribution);
    oh_point *narrow = at(topology, topology->points);
    oh_wide_point *wide = at(topology, topology->points);
    uint32_t made = 0;
    oh_shard shard = any_shard(pool);

    for (uint32_t i = 0; i < shard.servers_count; i++) {
        uint32_t index = foreign->is_last_first ? shard.servers_count - 1 - i : i;

        be_shard(&shard, pool, index);
        uint32_t count = (uint32_t)foreign->count(&shard);
        for (uint32_t number = 0; number < count; number++, made++) {
            uint64_t value = foreign->point(&shard, number) ^ foreign->flip;

            if (topology->is_wide) {
                wide[made] = (oh_wide_point){.value = value, .node = index};
            } else {
                narrow[made] = (oh_point){(uint32_t)value, index};
            }
        }
    }
    topology->slots_count = foreign->has_slots ? OH_SHARD_SLOTS : shard.weights_sum;
    topology->points_count = made;
}

static void close_ring(oh_topology *topology)
{
    void *points = at(topology, topology->points);
    void *ranges = at(topology, OH_TOPOLOGY_RANGES);

    topology->shift = oh_ring_shift(oh_topology_number_max(topology), topology->ranges_count);
    if (topology->is_wide) {
        oh_wide_ring_sort(points, ranges, topology->points_count);
        oh_wide_ring_close(
            points, topology->points_count, ranges, topology->ranges_count, topology->shift);
        return;
    }
    oh_ring_sort(points, ranges, topology->points_count);
    oh_ring_close(points, topology->points_count, ranges, topology->ranges_count, topology->shift);
}

/* ---- Changing one ---- */

void oh_topology_move_slot(oh_topology *topology, uint32_t slot, uint32_t node)
{
    uint16_t *slots = at(topology, OH_TOPOLOGY_SLOTS);
    oh_node_record *nodes = at(topology, topology->nodes);

    slots[slot] = (uint16_t)node;
    nodes[node].role = OH_MASTER;
    nodes[node].master = (uint16_t)node;
}

void oh_topology_sign(oh_topology *topology)
{
    oh_topology_fingerprint_of_slots(topology, topology->fingerprint);
}

/* ---- The ring that keys move from ---- */

/* The first node with the address of this server. There always is one. */
static uint32_t node_at_address(const oh_server_pool *pool, const oh_server *server)
{
    uint32_t node = 0;

    while (!oh_server_has_address_of(&pool->servers[node], server)) {
        node++;
    }
    return node;
}

static void add_old_ring(oh_topology *topology, const oh_server_pool *pool, const layout *it)
{
    const oh_server_pool *old_ring = pool->old_ring;
    uint32_t *nodes = at(topology, (uint32_t)it->old_nodes);

    for (size_t i = 0; i < old_ring->servers_count; i++) {
        nodes[i] = node_at_address(pool, &old_ring->servers[i]);
    }
    oh_topology_build(
        old_ring, NULL, at(topology, (uint32_t)it->old_ring), it->length - it->old_ring);
    topology->old_nodes = (uint32_t)it->old_nodes;
    topology->old_ring = (uint32_t)it->old_ring;
    topology->old_nodes_count = (uint32_t)pool->old_nodes_count;
}

/* ---- All of it ---- */

bool oh_topology_build(const oh_server_pool *pool, const bool *ejected, void *memory, size_t size)
{
    layout it = lay_out(pool);
    bool is_single = pool->distribution != OH_SLOTS && oh_server_pool_count_masters(pool) == 1;

    if (size < it.length) {
        return false;
    }
    oh_topology *topology = memory;
    *topology = (oh_topology){
        .magic = OH_TOPOLOGY_MAGIC,
        .length = (uint32_t)it.length,
        .hash = pool->hash,
        .distribution = pool->distribution,
        .nodes_count = (uint32_t)pool->servers_count,
        .ranges_count = (uint32_t)it.ranges_count,
        .points = (uint32_t)it.points,
        .nodes = (uint32_t)it.nodes,
        .texts = (uint32_t)it.texts,
        .epoch = pool->epoch,
        .is_plain = !is_single && pool->distribution == OH_KETAMA && !pool->has_hash_tag,
        .is_single = is_single,
        .is_wide = is_wide(pool),
        .has_hash_tag = pool->has_hash_tag,
        .hash_tag = {pool->hash_tag[0], pool->hash_tag[1]},
    };
    oh_topology_fingerprint_of(pool, topology->fingerprint);
    copy_nodes(topology, pool, ejected);
    if (pool->old_ring) {
        add_old_ring(topology, pool, &it);
    }
    if (pool->distribution == OH_SLOTS) {
        if (copy_slots(topology, pool)) {
            oh_topology_fingerprint_of_slots(topology, topology->fingerprint);
        }
        return true;
    }
    if (oh_foreign_of(pool->distribution)) {
        make_foreign_points(topology, pool);
    } else {
        live_nodes live = count_live(pool, ejected);

        make_points(topology, pool, &live);
    }
    close_ring(topology);
    return true;
}
