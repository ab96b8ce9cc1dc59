/*
 * The inside of cluster, for the files of this room alone: what they share while an answer is read.
 *
 * cluster_value.c takes RESP values one by one; cluster_reply.c knows the two forms of an answer; cluster_node.c
 * collects nodes and slots and closes the map; cluster_map.c judges maps. A function that returns false has written
 * the reason; whoever called it returns false at once.
 */
#ifndef OH_CLUSTER_READER_H
#define OH_CLUSTER_READER_H

#include <string.h>

#include "core/cluster/cluster_map.h"
#include "core/generated/limits.h"

/* ---- Values ---- */

typedef enum oh_value_kind { OH_VALUE_NIL, OH_VALUE_TEXT, OH_VALUE_NUMBER, OH_VALUE_LIST, OH_VALUE_ERROR } oh_value_kind;

typedef struct oh_value {
    oh_value_kind kind;
    oh_text text;   /* Not ended by a NUL. */
    int64_t number; /* A list: how many values follow as its elements. */
} oh_value;

typedef struct oh_values {
    const uint8_t *at;
    const uint8_t *end;
} oh_values;

/* Takes the next value, of a list only its beginning. False: there is none, or it is malformed. */
bool oh_value_take(oh_values *values, oh_value *value);

/* Takes the next value with everything inside it. */
bool oh_value_skip(oh_values *values);

/* Whether it is that text. Here, because its length is known where it is written: a large reply has thousands of names. */
static inline bool oh_value_is(const oh_value *value, const char *text)
{
    return value->kind == OH_VALUE_TEXT && oh_text_is(value->text, text);
}

/* ---- Nodes and slots ---- */

#define OH_NO_OWNER UINT16_MAX
#define OH_INDEX_PLACES 8192 /* Twice pool_servers_max. */

/* Which node has a name or an id: places hold a node's index plus one. */
typedef struct oh_node_index {
    uint16_t places[OH_INDEX_PLACES];
} oh_node_index;

/* The place of the node with that text as its id (or its name), or the free place where it belongs. */
uint16_t *oh_node_index_find(oh_node_index *index, const oh_server *nodes, oh_text text, bool is_id);

/* One node as an answer tells it; texts that it does not tell are absent. */
typedef struct oh_told_node {
    oh_text id, endpoint, address, zone;
    bool has_endpoint;
    int64_t port;
    bool is_master, is_failing;
} oh_told_node;

typedef struct oh_cluster_reader {
    const oh_cluster_answer *answer;
    oh_values values;
    oh_cluster_map *map;
    oh_node_index *ids;
    size_t nodes_max;
    char *reason;
} oh_cluster_reader;

bool oh_cluster_fail(oh_cluster_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool oh_cluster_fail_memory(oh_cluster_reader *reader);

/* Takes a node in, or finds it again; its index, or OH_NO_OWNER if it has no address. False: the reason is written. */
bool oh_cluster_add_node(oh_cluster_reader *reader, const oh_told_node *told, uint16_t *index);

/* Says that a node, or nobody, has the slots from first to last. */
bool oh_cluster_claim(oh_cluster_reader *reader, int64_t first, int64_t last, uint16_t owner);

/* Reads the whole answer. */
bool oh_cluster_read_reply(oh_cluster_reader *reader);

/* Settles roles, drops who is there twice, and lets neighbours stand in for slots that nobody has. */
bool oh_cluster_close(oh_cluster_reader *reader);

#endif
