/*
 * Topology: an immutable picture of one server pool that maps each key to its node.
 *
 * It is built once from a pool of the configuration, with or without the servers that are ejected
 * at that moment. Then it is read a million times a second. It is ONE contiguous block that holds
 * offsets and no pointers, so it may be copied, mapped anywhere, and shared by processes.
 *
 *     +--------+--------------------+-------------+-------+---------------------------------+
 *     | header | ranges of the ring | ring points | nodes | names, hosts, paths, with NULs  |
 *     +--------+--------------------+-------------+-------+---------------------------------+
 *
 * It uses key, hash and placement. Every function but build and valid trusts the block: a block
 * that other processes can write must pass oh_topology_valid first.
 *
 * Implements spec/topology and spec/placement.
 */
#ifndef OH_TOPOLOGY_H
#define OH_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/key/key.h"
#include "core/topology/server_pool.h"

/*
 * The most nodes of a topology: servers and as many replicas. A cluster's map keeps the places of
 * nodes that have left.
 */
#define OH_NODES_MAX (2 * OH_POOL_SERVERS_MAX)

typedef struct oh_topology oh_topology;

/* One node as seen from outside. The texts point into the topology and end with a NUL. */
typedef struct oh_node {
    uint32_t index;
    oh_text name;
    oh_text host; /* Absent for a unix socket. */
    oh_text path; /* Absent for TCP. */
    uint16_t port;
    uint32_t weight;
    bool is_ejected; /* Left out of placement, unless all nodes are ejected. */

    oh_role role;
    uint32_t master; /* Of a replica: the index of the node it follows. */
    bool is_near;    /* It is in the pool's zone. */
    bool is_named;   /* As in oh_server. */
    oh_text slots;   /* As in oh_server. */

    oh_text id; /* As in oh_server. */
    bool is_failing, is_loading;
} oh_node;

/*
 * True if the role of the node is shown: it is a replica, or its address comes from a Redis Cluster
 * or from Sentinels, so that it has an id.
 */
static inline bool oh_node_has_role(const oh_node *node)
{
    return node->id.length > 0 || node->role == OH_REPLICA;
}

/* True if both are the same server: their names may differ. */
bool oh_node_is_same_address(oh_node a, oh_node b);

/* How a key came to its node. */
typedef struct oh_explanation {
    oh_bytes hashed; /* Points into the key. */
    uint64_t hash;   /* 0 for an empty key, but not under the distribution of another client. */
    /* The value of the ring point it belongs to; modula, slots, codis: its slot; random: 0. */
    uint64_t point;
    uint32_t node;
    /*
     * False if the pool's only server gets every key; then `hashed` is the whole key, and hash and
     * point are 0.
     */
    bool is_placed;
} oh_explanation;

/* Bytes that a topology of this pool needs, whichever of its servers are ejected. */
size_t oh_topology_size(const oh_server_pool *pool);

/*
 * Builds a topology into `memory`, aligned for uint64_t. `ejected` has a flag for each server by
 * index, or is NULL if none is ejected. If all are ejected, that counts as none. The pool may be
 * freed afterwards. False if `size` is below oh_topology_size(pool). Allocates nothing.
 */
bool oh_topology_build(const oh_server_pool *pool, const bool *ejected, void *memory, size_t size);

/*
 * True if `size` bytes, aligned for uint64_t, are a topology with which no function here leaves the
 * block. Reads all of it.
 */
bool oh_topology_valid(const void *memory, size_t size);

/* The bytes that are in use: to copy a topology, copy this many. */
size_t oh_topology_length(const oh_topology *topology);

/* The index of the node that has a key. Allocates nothing, takes no lock. */
uint32_t oh_topology_locate(const oh_topology *topology, const uint8_t *key, size_t length);

/* True if there is an old ring, which keys move from. */
bool oh_topology_is_moving(const oh_topology *topology);

#define OH_STAYS UINT32_MAX

/*
 * The node that a key moves from, or OH_STAYS. Slower than oh_topology_locate, because it places
 * the key twice.
 */
uint32_t oh_topology_from(const oh_topology *topology, const uint8_t *key, size_t length);

/* True if the old ring has one node for all keys that a server can make from the pattern. */
bool oh_topology_was_pattern_placed(
    const oh_topology *topology, const uint8_t *pattern, size_t length);

/* How many nodes have keys only by the old ring. They are the last ones. */
uint32_t oh_topology_old_nodes_count(const oh_topology *topology);

/* True if both are nodes of both rings: then keys may also move from `to` to `from`. */
bool oh_topology_moves_both_ways(const oh_topology *topology, uint32_t from, uint32_t to);

/* The sequence of SCAN: nodes of the old ring, then those of the ring. */
uint32_t oh_topology_scan_count(const oh_topology *topology);
uint32_t oh_topology_scan_node(const oh_topology *topology, uint32_t place);

/* The number that placement starts from: hash tag and hash applied. */
uint64_t oh_topology_hash(const oh_topology *topology, const uint8_t *key, size_t length);

/* The index of the node that a hash belongs to. */
uint32_t oh_topology_place(const oh_topology *topology, uint64_t hash);

/* What oh_topology_locate does, step by step. (Under `random` each call draws again.) */
void oh_topology_explain(
    const oh_topology *topology, const uint8_t *key, size_t length, oh_explanation *explanation);

/*
 * The table of slots of a Redis Cluster: for each of OH_SLOTS_COUNT the index of its node, perhaps
 * with OH_SLOT_UNSERVED. NULL under any other distribution.
 */
const uint16_t *oh_topology_slots(const oh_topology *topology);

/* The epoch of the cluster when it named these slots; 0 if nothing is known yet. */
uint64_t oh_topology_epoch(const oh_topology *topology);

/*
 * Moves a slot to another node, as a redirect has said, in a topology of the caller's own. `slot`
 * and `node` must exist, and the distribution must be `slots`. After the last move the caller signs
 * the topology.
 */
void oh_topology_move_slot(oh_topology *topology, uint32_t slot, uint32_t node);

/* Updates the fingerprint. With scattered slots that takes a millisecond. */
void oh_topology_sign(oh_topology *topology);

/* The index of the node of that name; nodes_count if there is none. */
uint32_t oh_topology_find(const oh_topology *topology, const char *name, size_t length);

/*
 * The part of the keys whose node in b has another name or address than in a, in tenths of a per
 * cent.
 */
uint32_t oh_topology_moved(const oh_topology *a, const oh_topology *b);

/*
 * How many of OH_SHARES equal parts of the key space each node has now; one number for each node.
 * Slow: for display only.
 */
#define OH_SHARES 65536u
void oh_topology_shares(const oh_topology *topology, uint32_t *shares);

/* Nodes in index order: 0 .. count - 1, ejected ones too. */
uint32_t oh_topology_nodes_count(const oh_topology *topology);
oh_node oh_topology_node(const oh_topology *topology, uint32_t index);

oh_hash oh_topology_hash_function(const oh_topology *topology);
oh_distribution oh_topology_distribution(const oh_topology *topology);

/*
 * 32 hexadecimal digits and a NUL. Two topologies with the same digits place keys alike and reach
 * nodes alike. Ejection does not change them.
 */
const char *oh_topology_fingerprint(const oh_topology *topology);

#endif
