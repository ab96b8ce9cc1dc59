/*
 * Cluster map: what one node of a Redis Cluster said of all nodes and slots, read, judged, and made
 * a server pool.
 *
 *     CLUSTER INFO, SHARDS | SLOTS ─► read ─► map ─┐
 *     the same of a second node    ─► read ─► map ─┴► choose ─► keep places ─► pool ─► topology, image
 *
 * A map is made by whoever refreshes, off the road, and thrown away when its pool has become a
 * topology: the current map of everybody else is that topology. Nothing a node says is believed
 * unread; a bad answer costs a reason, never the map there is. It promises never to crash, hang or
 * leak on any bytes whatever.
 *
 * Before it on the road: the bytes of two replies, framed by wire. After it: topology.
 *
 * Implements spec/topology/cluster.md.
 */
#ifndef OH_CLUSTER_MAP_H
#define OH_CLUSTER_MAP_H

#include "core/base/memory.h"
#include "core/topology/topology.h"

#define OH_CLUSTER_REASON_BYTES 160

/* What was asked, of whom, and what came back. */
typedef struct oh_cluster_answer {
    oh_bytes reply; /* To CLUSTER SHARDS, or to CLUSTER SLOTS: one whole value. */
    oh_bytes info;  /* To CLUSTER INFO: one whole value; may be empty. */
    /* Of the node that was asked: it stands for every endpoint that is left open. */
    oh_text host;
    oh_text zone; /* The pool's; absent if it has none. */
} oh_cluster_answer;

typedef struct oh_cluster_map {
    oh_server *nodes; /* In the order of the answer; after oh_cluster_keep_indexes by index. */
    uint32_t nodes_count;
    uint32_t served_count; /* Slots that somebody has. */
    uint64_t epoch;        /* The highest the answering node has heard of; 0 if it did not say. */
    uint16_t slots[OH_SLOTS_COUNT]; /* As in oh_server_pool. */
    oh_arena arena;                 /* Everything above lives here. */
} oh_cluster_map;

/*
 * Reads an answer. True: *map is to be given to oh_cluster_free. False: `reason` says why not, as
 * worded in the specification, and *map is NULL.
 */
bool oh_cluster_read(
    const oh_cluster_answer *answer, oh_cluster_map **map, char reason[OH_CLUSTER_REASON_BYTES]);

/* NULL is fine. */
void oh_cluster_free(oh_cluster_map *map);

/*
 * Which of two maps, either of which may be NULL, is to replace `current`, NULL before the first.
 * NULL: neither, and `reason` says why.
 */
oh_cluster_map *oh_cluster_choose(const oh_topology *current, oh_cluster_map *first,
    oh_cluster_map *second, char reason[OH_CLUSTER_REASON_BYTES]);

/*
 * Gives every node the index that its name has in `current` (NULL: nothing to keep), and new nodes
 * the free ones. False: there is no memory.
 */
bool oh_cluster_keep_indexes(oh_cluster_map *map, const oh_topology *current);

/*
 * What has moved since the nodes were asked stays moved: slots that have another node in `current`
 * than in `asked`, the topology of that moment (NULL: there was none). After
 * oh_cluster_keep_indexes.
 */
void oh_cluster_keep_moved(
    oh_cluster_map *map, const oh_topology *asked, const oh_topology *current);

/*
 * The configured pool with the nodes and slots of a map in the place of its seeds: to be given to
 * oh_topology_build or oh_image_write. It points into both.
 */
oh_server_pool oh_cluster_pool(const oh_cluster_map *map, const oh_server_pool *configured);

/*
 * The host that an endpoint means; `open` stands for one that is left open, `address` (may be
 * absent) for a "?".
 */
oh_text oh_cluster_host(oh_text endpoint, oh_text address, oh_text open);

#endif
