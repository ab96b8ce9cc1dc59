/*
 * The inside of room cluster: what its files share while they read an answer of a node or of a
 * Sentinel.
 *
 * cluster_reply.c reads the two forms of an answer; cluster_node.c collects nodes and slots and
 * closes the map; cluster_map.c judges maps. A function that returns false has written the reason;
 * its caller then also returns false.
 */
#ifndef OH_CLUSTER_READER_H
#define OH_CLUSTER_READER_H

#include <string.h>

#include "core/cluster/cluster_map.h"
#include "core/generated/limits.h"
#include "core/generated/messages.h"
#include "core/resp/value.h"

/* ---- Texts ---- */

/*
 * True for text that is safe in a message and in a file of metrics: visible ASCII without quotes
 * and the like, and not empty.
 */
bool oh_cluster_is_plain(oh_text text, size_t length_max);

/* ---- Nodes and slots ---- */

#define OH_NO_OWNER UINT16_MAX
#define OH_INDEX_PLACES 8192 /* Twice pool_servers_max. */

/* Finds a node by its name or id. Each place holds a node's index plus one. */
typedef struct oh_node_index {
    uint16_t places[OH_INDEX_PLACES];
} oh_node_index;

/*
 * The place of the node with that text as its id (or its name), or the free place where it belongs.
 */
uint16_t *oh_node_index_find(
    oh_node_index *index, const oh_server *nodes, oh_text text, bool is_id);

/* One node of an answer. Texts that the answer does not have are absent. */
typedef struct oh_told_node {
    oh_text id, endpoint, address, zone;
    bool has_endpoint;
    int64_t port;
    bool is_master, is_failing, is_loading;
} oh_told_node;

typedef struct oh_cluster_reader {
    const oh_cluster_answer *answer;
    oh_values values;
    oh_cluster_map *map;
    oh_node_index *ids;
    size_t nodes_max;
    char *reason;
} oh_cluster_reader;

bool oh_cluster_fail(oh_cluster_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool oh_cluster_fail_memory(oh_cluster_reader *reader);

/*
 * Adds a node, unless it was added before, and sets its index: OH_NO_OWNER if it has no address. If
 * it returns false, it has written the reason.
 */
bool oh_cluster_add_node(oh_cluster_reader *reader, const oh_told_node *told, uint16_t *index);

/* Gives a node the slots from first to last, or marks them as without a node. */
bool oh_cluster_claim(oh_cluster_reader *reader, int64_t first, int64_t last, uint16_t owner);

/* Reads the whole answer. */
bool oh_cluster_read_reply(oh_cluster_reader *reader);

/*
 * Sets the roles, drops nodes that are listed twice, and lets neighbours stand in for slots without
 * a node.
 */
bool oh_cluster_close(oh_cluster_reader *reader);

#endif
