/*
 * Split: one command over several nodes, cut into the parts that each of them is sent.
 *
 * A split is data: for each part its node and the arguments phpredis is called with, and by which
 * rule the replies are merged. Commands whose keys are cut and commands for all nodes are both
 * carried by it, alone and in a pipeline. A split command is as atomic as its parts: MSET over two
 * nodes is two MSETs.
 *
 * Implements spec/route, "Splitting".
 */
#ifndef OH_PHP_SPLIT_H
#define OH_PHP_SPLIT_H

#include "engine/exchange/exchange.h"
#include "php/client/client.h"
#include "php/phpredis/method.h"

/* What one node is sent, or one of its slots. */
typedef struct oh_part {
    uint32_t node;
    uint32_t count;
    zval *arguments; /* Its own. */
} oh_part;

typedef struct oh_split {
    const oh_method *method;
    const oh_command *command;
    oh_merge merge;
    oh_call_terms terms; /* Of each part. */
    /* Not a command but MULTI to EXEC in a pipeline: one part, of `queued` commands. */
    bool is_transaction;
    uint32_t queued;
    uint32_t parts_count, parts_room;
    oh_part *parts; /* In the order in which their first key was named. */
    uint32_t keys_count, keys_room;
    /* By place of the key in the call. NULL: parts have no keys of their own. */
    uint32_t *part_of_key;
    /* Of STREAMS: by the same place, the key as nodes name it. Otherwise NULL. */
    zend_string **keys;
} oh_split;

/* An empty split of a planned command. */
oh_split *oh_split_new(const struct oh_plan *plan, uint32_t parts_room, uint32_t keys_room);

/* Adds a part with copies of these arguments. */
oh_part *oh_split_add(oh_split *split, uint32_t node, uint32_t count, const zval *arguments);

/* Cuts a call with keys_count keys, all text, at the one place where its method has keys. */
oh_split *oh_split_cut(oh_client *client, const struct oh_plan *plan,
    zend_execute_data *execute_data, uint32_t keys_count);

/* Cuts words of that shape; `homes` has the home of each key. */
oh_split *oh_split_cut_words(oh_client *client, const struct oh_plan *plan, const oh_bytes *words,
    const oh_command_shape *shape, const uint32_t *homes);

void oh_split_free(oh_split *split);

#endif
