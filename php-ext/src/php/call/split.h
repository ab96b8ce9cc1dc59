/*
 * Split: one command over several nodes, cut into a part for each node.
 *
 * A split is plain data: the node and phpredis' arguments for each part, and the rule that merges
 * the replies. It serves commands with keys on several nodes and commands for all nodes, alone or
 * in a pipeline. Only each part is atomic: MSET over two nodes is two MSETs.
 *
 * Implements spec/route, "Splitting".
 */
#ifndef OH_PHP_SPLIT_H
#define OH_PHP_SPLIT_H

#include "engine/exchange/exchange.h"
#include "php/client/client.h"
#include "php/phpredis/method.h"

/* The part of one node, or of one slot of a node. */
typedef struct oh_part {
    uint32_t node;
    uint32_t count;
    zval *arguments; /* Owned by the part. */
} oh_part;

typedef struct oh_split {
    const oh_method *method;
    const oh_command *command; /* NULL if the table does not hold it. */
    oh_merge merge;
    oh_call_terms terms; /* The terms of each part. */
    /*
     * True if this is not a command but a transaction in a pipeline, from MULTI to EXEC: one part,
     * with `queued` commands.
     */
    bool is_transaction;
    uint32_t queued;
    uint32_t parts_count, parts_room;
    oh_part *parts; /* In the order of their first keys in the call. */
    uint32_t keys_count, keys_room;
    /*
     * The part of each key, by the key's position in the call. NULL if the parts have no keys of
     * their own.
     */
    uint32_t *part_of_key;
    /* For STREAMS: the keys with their prefix, in the same order. Otherwise NULL. */
    zend_string **keys;
} oh_split;

/* Makes an empty split for a planned command. */
oh_split *oh_split_new(const struct oh_plan *plan, uint32_t parts_room, uint32_t keys_room);

/* Adds a part with copies of these arguments. */
oh_part *oh_split_add(oh_split *split, uint32_t node, uint32_t count, const zval *arguments);

/* Cuts a call with `keys_count` keys, all text. Its row must name exactly one place of keys. */
oh_split *oh_split_cut(oh_client *client, const struct oh_plan *plan,
    zend_execute_data *execute_data, uint32_t keys_count);

/* Cuts the words of a raw command with this shape; `homes` lists the home of each key. */
oh_split *oh_split_cut_words(oh_client *client, const struct oh_plan *plan, const oh_bytes *words,
    const oh_command_shape *shape, const uint32_t *homes);

void oh_split_free(oh_split *split);

#endif
