/*
 * Cluster map: reads what one node of a Redis Cluster says about all nodes and slots, chooses
 * between two such maps, and makes a server pool of the better one.
 *
 *     CLUSTER INFO, SHARDS | SLOTS ─► read ─► map ─┐
 *     the same of a second node    ─► read ─► map ─┴► choose ─► keep indexes ─► pool ─► topology
 *
 * A refresh makes a map, and discards it when a topology has been made of its pool. That topology
 * is the current map of all calls. Everything a node says is checked; a bad answer gives a reason
 * and changes nothing. The room never crashes, hangs or leaks, whatever the bytes.
 *
 * Before it: the bytes of two replies, framed by wire. After it: topology.
 *
 * Implements spec/topology/cluster.md.
 */
#ifndef OH_CLUSTER_MAP_H
#define OH_CLUSTER_MAP_H

#include "core/base/memory.h"
#include "core/topology/topology.h"

#define OH_CLUSTER_REASON_BYTES 160

/* The replies of one node, and what is needed to read them. */
typedef struct oh_cluster_answer {
    oh_bytes reply; /* To CLUSTER SHARDS, or to CLUSTER SLOTS: one whole value. */
    oh_bytes info;  /* To CLUSTER INFO: one whole value; may be empty. */
    /* The host of the asked node, which replaces every endpoint that is left open. */
    oh_text host;
    oh_zone zone; /* The zone of the server pool. */
} oh_cluster_answer;

typedef struct oh_cluster_map {
    oh_server *nodes; /* In the order of the answer; after oh_cluster_keep_indexes by index. */
    uint32_t nodes_count;
    uint32_t served_count; /* How many slots have a node. */
    uint64_t epoch;        /* The highest epoch that the node knows; 0 if it did not say. */
    uint16_t slots[OH_SLOTS_COUNT]; /* As in oh_server_pool. */
    oh_arena arena;                 /* Everything above lives here. */
} oh_cluster_map;

/*
 * Reads an answer. If true, oh_cluster_free releases *map. If false, `reason` says why, as worded
 * in the specification, and *map is NULL.
 */
bool oh_cluster_read(
    const oh_cluster_answer *answer, oh_cluster_map **map, char reason[OH_CLUSTER_REASON_BYTES]);

/* NULL is allowed. */
void oh_cluster_free(oh_cluster_map *map);

/*
 * True if the map has no node of the current one: it is the map of another cluster, or of a new
 * one.
 */
bool oh_cluster_is_foreign(const oh_topology *current, const oh_cluster_map *map);

/*
 * Returns the better of two maps if it may replace `current`, which is NULL before the first map.
 * Otherwise returns NULL, and `reason` says why. Either map may be NULL.
 */
oh_cluster_map *oh_cluster_choose(const oh_topology *current, oh_cluster_map *first,
    oh_cluster_map *second, char reason[OH_CLUSTER_REASON_BYTES]);

/*
 * Gives every node the index that its name has in `current`, and new nodes the free ones. `current`
 * is NULL if there are no indexes to keep. False if there is no memory.
 */
bool oh_cluster_keep_indexes(oh_cluster_map *map, const oh_topology *current);

/*
 * Keeps the moves since the nodes were asked: slots that have another node in `current` than in
 * `asked`, the topology of that moment (NULL if there was none). Call it after
 * oh_cluster_keep_indexes.
 */
void oh_cluster_keep_moved(
    oh_cluster_map *map, const oh_topology *asked, const oh_topology *current);

/*
 * The configured pool with the nodes and slots of a map instead of its seeds, for oh_topology_build
 * or oh_image_write. The result points into both.
 */
oh_server_pool oh_cluster_pool(const oh_cluster_map *map, const oh_server_pool *configured);

/*
 * The host that an endpoint means. If the endpoint is "?", `address` counts in its place. If the
 * text that counts is empty, absent or "?", the host is `open`.
 */
oh_text oh_cluster_host(oh_text endpoint, oh_text address, oh_text open);

#endif
