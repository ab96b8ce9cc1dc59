/*
 * Split express: a command with a list of keys on several nodes, all on the express lane.
 *
 * A split (call/split.h) makes arguments for each part, and a merge puts its replies back into
 * order. In a Redis Cluster nearly every key has a slot of its own, and so a part of its own. Here
 * no arguments are made, and nothing is merged: the keys of a part form a group, the command is
 * written from the group, and each value is stored at its key's position.
 *
 *     keys  a b c d e ─► groups  a─c─e │ b │ d ─► commands in the buffers of their nodes
 *     values 0 1 2 3 4 ◄──────── replies are read along the groups
 *
 * If a node fails, or a reply is not the usual one, all values that were read are turned back into
 * replies of parts, which are merged (parts.h). So the result is the same with and without this
 * shortcut.
 *
 * No code of the script runs before the commands are written, so no references to its keys are
 * kept.
 */
#include "php/base/zend.h"

#include "php/call/call.h"
#include "php/phpredis/express_call.h"
#include "php/scatter/parts.h"
#include "php/scatter/pipes.h"

typedef struct oh_splitter {
    oh_client *client;
    const oh_method *method;
    const oh_express_row *row;
    oh_express_split split;
    uint32_t keys_count, groups_count;
    uint32_t *homes; /* By group. */
    /* A hash table of groups by their home. A place has 1 + its group, or 0 if it is empty. */
    uint32_t *places, places_mask;
    oh_pipes pipes;
    /* The groups of each node, in the order of the pipes. */
    oh_express_node_groups *groups_of_nodes;
    oh_node_call *node_calls; /* In the order of the pipes. */
} oh_splitter;

/* ---- Which calls ---- */

/* True for the merges that are done here: values of a list go to their keys, integers are added. */
static bool is_merged_here(const oh_express_row *row, const oh_command *command)
{
    return row->reply == OH_EXPRESS_LIST
               ? command->merge == OH_MERGE_IN_ORDER && command->merge_width <= 1
               : row->reply == OH_EXPRESS_INTEGER && command->merge == OH_MERGE_SUM;
}

/* The row of a method that can be split here; NULL for all others. */
static const oh_express_row *row_of(const oh_client *client, const oh_method *method)
{
    const oh_express_row *row = method->express.rows;
    const oh_command *command = method->command;

    if (method->express.count != 1 || row->arguments_count != 1 ||
        (row->arguments[0] != 'A' && row->arguments[0] != 'K')) {
        return NULL;
    }
    return client->mode == OH_ATOMIC && client->takes_express &&
                   command->spread == OH_SPREAD_SPLIT && is_merged_here(row, command) &&
                   oh_snapshot_homes_count(client->snapshot) > 1 &&
                   !oh_client_may_read_elsewhere(client, command)
               ? row
               : NULL;
}

/* How many keys the arguments have, if they are the usual ones. Otherwise 0. */
static uint32_t count_keys(zend_execute_data *execute_data, const oh_express_row *row)
{
    uint32_t count = ZEND_NUM_ARGS();

    if (count == 1 && Z_TYPE_P(ZEND_CALL_ARG(execute_data, 1)) == IS_ARRAY) {
        count = zend_hash_num_elements(Z_ARRVAL_P(ZEND_CALL_ARG(execute_data, 1)));
    } else if (row->arguments[0] != 'K') {
        return 0;
    }
    bool has_names = (ZEND_CALL_INFO(execute_data) & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS) != 0;

    return !has_names && count <= OH_WIRE_ELEMENTS_MAX / 4 ? count : 0;
}

/* ---- Memory ---- */

static uint32_t places_for(const oh_client *client, uint32_t keys_count)
{
    uint32_t groups_max = MIN(keys_count, oh_snapshot_homes_count(client->snapshot)), places = 4;

    while (places < 2 * groups_max) {
        places *= 2;
    }
    return places;
}

static oh_splitter *new_splitter(
    oh_client *client, const oh_method *method, const oh_express_row *row, uint32_t keys_count)
{
    uint32_t places = places_for(client, keys_count);
    size_t per_key =
        sizeof(zval) + sizeof(zend_string *) + sizeof(oh_express_group) + 2 * sizeof(uint32_t);
    oh_splitter *splitter =
        safe_emalloc(keys_count, per_key, sizeof *splitter + places * sizeof(uint32_t));

    *splitter =
        (oh_splitter){.client = client, .method = method, .row = row, .keys_count = keys_count};
    splitter->split.values = (zval *)(splitter + 1);
    splitter->split.keys = (zend_string **)(splitter->split.values + keys_count);
    splitter->split.groups = (oh_express_group *)(splitter->split.keys + keys_count);
    splitter->split.next = (uint32_t *)(splitter->split.groups + keys_count);
    splitter->homes = splitter->split.next + keys_count;
    splitter->places = splitter->homes + keys_count;
    splitter->places_mask = places - 1;
    memset(splitter->places, 0, places * sizeof *splitter->places);
    return splitter;
}

static void free_splitter(oh_splitter *splitter)
{
    oh_pipes_free(&splitter->pipes);
    if (splitter->groups_of_nodes) {
        efree(splitter->groups_of_nodes);
        efree(splitter->node_calls);
    }
    efree(splitter);
}

/* ---- Groups ---- */

/* Returns the group of a home, which may be new and empty. */
static zend_always_inline oh_express_group *group_of(oh_splitter *splitter, uint32_t home)
{
    uint32_t at = home & splitter->places_mask;

    while (splitter->places[at]) {
        uint32_t group = splitter->places[at] - 1;

        if (EXPECTED(splitter->homes[group] == home)) {
            return &splitter->split.groups[group];
        }
        at = (at + 1) & splitter->places_mask;
    }
    uint32_t group = splitter->groups_count++;
    splitter->places[at] = splitter->groups_count;
    splitter->homes[group] = home;
    splitter->split.groups[group] = (oh_express_group){.next = OH_EXPRESS_END};
    return &splitter->split.groups[group];
}

/* Returns false if the call must be made without this shortcut. */
static zend_always_inline bool add_key(oh_splitter *splitter, uint32_t key, zval *value)
{
    if (UNEXPECTED(Z_TYPE_P(value) != IS_STRING) ||
        UNEXPECTED(!oh_express_may_write(Z_STR_P(value)))) {
        return false;
    }
    oh_express_group *group = group_of(splitter, oh_client_home(splitter->client, Z_STR_P(value)));

    splitter->split.keys[key] = Z_STR_P(value);
    ZVAL_UNDEF(&splitter->split.values[key]);
    if (group->count++ == 0) {
        group->first = key;
    } else {
        splitter->split.next[group->last] = key;
    }
    group->last = key;
    return true;
}

static bool add_keys(oh_splitter *splitter, zend_execute_data *execute_data)
{
    zval *value = ZEND_CALL_ARG(execute_data, 1);
    uint32_t key = 0;

    if (ZEND_NUM_ARGS() == 1) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), value)
        {
            if (!add_key(splitter, key++, value)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
        return true;
    }
    for (; key < splitter->keys_count; key++) {
        if (!add_key(splitter, key, value + key)) {
            return false;
        }
    }
    return true;
}

/* ---- Sending ---- */

static uint32_t node_of(const oh_splitter *splitter, uint32_t group)
{
    return oh_snapshot_node_of(splitter->client->snapshot, splitter->homes[group]);
}

/* Returns the node client of a group, which now lists the group. NULL and an exception on failure.
 */
static oh_node_client *node_client_of(oh_splitter *splitter, uint32_t group)
{
    uint32_t node = node_of(splitter, group);
    oh_node_client *node_client = oh_pipes_find(&splitter->pipes, splitter->client, node);

    if (EXPECTED(node_client)) {
        splitter->split.groups[node_client->express.node_groups->last].next = group;
        node_client->express.node_groups->last = group;
        return node_client;
    }
    node_client = oh_pipes_open_express(&splitter->pipes, splitter->client, node);
    if (node_client) {
        node_client->queue.terms.is_read_only = splitter->method->is_read_only;
        node_client->express.node_groups = &splitter->groups_of_nodes[splitter->pipes.count - 1];
        *node_client->express.node_groups =
            (oh_express_node_groups){.split = &splitter->split, .first = group, .last = group};
    }
    return node_client;
}

static bool write_commands(oh_splitter *splitter)
{
    for (uint32_t i = 0; i < splitter->groups_count; i++) {
        oh_node_client *node_client = node_client_of(splitter, i);

        if (UNEXPECTED(!node_client)) {
            oh_pipes_drop(&splitter->pipes);
            return false;
        }
        oh_express_write_group(&node_client->express, splitter->row, splitter->client->prefix,
            &splitter->split, &splitter->split.groups[i]);
        node_client->queue.count++;
    }
    return true;
}

/* Sends to all nodes in parallel. Returns false if the script is ending. */
static bool run(oh_splitter *splitter)
{
    oh_pipes *pipes = &splitter->pipes;

    oh_pipes_close(pipes);
    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_node_client *node_client = pipes->node_clients[i];

        splitter->groups_of_nodes[i].is_alone = pipes->count == splitter->groups_count;
        splitter->node_calls[i] = (oh_node_call){.node_client = node_client,
            .express = oh_express_call_groups,
            .expected = node_client->queue.count};
    }
    return oh_scatter_run(splitter->node_calls, pipes->count);
}

/* ---- The usual result ---- */

static bool is_whole(const oh_splitter *splitter)
{
    for (uint32_t i = 0; i < splitter->pipes.count; i++) {
        if (!splitter->groups_of_nodes[i].is_read || splitter->node_calls[i].failure) {
            return false;
        }
    }
    return true;
}

static void return_list(oh_splitter *splitter, zval *return_value)
{
    array_init_size(return_value, splitter->keys_count);
    zend_hash_real_init_packed(Z_ARRVAL_P(return_value));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(return_value))
    {
        for (uint32_t key = 0; key < splitter->keys_count; key++) {
            ZVAL_COPY_VALUE(__fill_val, &splitter->split.values[key]);
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
}

/* Returns false if a reply is not a number. */
static bool return_sum(const oh_splitter *splitter, zval *return_value)
{
    zend_ulong sum = 0;

    for (uint32_t i = 0; i < splitter->groups_count; i++) {
        const zval *value = &splitter->split.values[splitter->split.groups[i].first];

        if (Z_TYPE_P(value) != IS_LONG) {
            return false;
        }
        sum += (zend_ulong)Z_LVAL_P(value);
    }
    ZVAL_LONG(return_value, (zend_long)sum);
    return true;
}

/* ---- Any other result ---- */

/* Makes parts that stand for the groups. The commands of the groups have been sent already. */
static oh_split *split_of(const oh_splitter *splitter)
{
    const oh_method *method = splitter->method;
    oh_plan plan = {.method = method,
        .command = method->command,
        .merge = method->command->merge,
        .call.terms.is_read_only = method->is_read_only};
    oh_split *split = oh_split_new(&plan, splitter->groups_count, splitter->keys_count);

    for (uint32_t i = 0; i < splitter->groups_count; i++) {
        const oh_express_group *group = &splitter->split.groups[i];
        uint32_t key = group->first;

        oh_split_add(split, node_of(splitter, i), 0, NULL);
        for (uint32_t left = group->count; left > 0; left--, key = splitter->split.next[key]) {
            split->part_of_key[key] = i;
        }
    }
    split->keys_count = splitter->keys_count;
    return split;
}

static void conclude(oh_splitter *splitter, zval *return_value)
{
    uint32_t count = splitter->pipes.count;
    oh_split *split = split_of(splitter);

    for (uint32_t i = 0; i < count; i++) {
        oh_node_call *node_call = &splitter->node_calls[i];

        if (splitter->groups_of_nodes[i].is_read && !node_call->failure) {
            oh_express_take_groups(&splitter->groups_of_nodes[i], splitter->row, &node_call->reply);
        }
    }
    if (count == splitter->groups_count) {
        oh_parts_conclude(splitter->client, split, splitter->node_calls, return_value);
    } else {
        oh_parts_conclude_piped(splitter->client, split, splitter->node_calls, count, return_value);
    }
    oh_split_free(split);
}

/* ---- The call ---- */

static void drop_values(oh_splitter *splitter)
{
    for (uint32_t key = 0; key < splitter->keys_count; key++) {
        zval_ptr_dtor(&splitter->split.values[key]);
    }
}

static void call_nodes(oh_splitter *splitter, zval *return_value)
{
    uint32_t nodes_max = MIN(splitter->groups_count, splitter->client->snapshot->nodes_count);

    splitter->groups_of_nodes = safe_emalloc(nodes_max, sizeof *splitter->groups_of_nodes, 0);
    splitter->node_calls = safe_emalloc(nodes_max, sizeof *splitter->node_calls, 0);
    if (!write_commands(splitter)) {
        return;
    }
    if (UNEXPECTED(!run(splitter))) {
        drop_values(splitter);
        return;
    }
    if (EXPECTED(is_whole(splitter)) && splitter->row->reply == OH_EXPRESS_LIST) {
        return_list(splitter, return_value);
    } else if (!is_whole(splitter) || !return_sum(splitter, return_value)) {
        conclude(splitter, return_value);
        drop_values(splitter);
    }
}

bool oh_split_express(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    const oh_express_row *row = row_of(client, method);
    uint32_t keys_count = row ? count_keys(execute_data, row) : 0;

    if (keys_count < 2) {
        return false;
    }
    oh_splitter *splitter = new_splitter(client, method, row, keys_count);
    bool is_taken = add_keys(splitter, execute_data);

    if (is_taken && splitter->groups_count > 1) {
        call_nodes(splitter, return_value);
    } else if (is_taken) {
        oh_call call = {.node = node_of(splitter, 0), .terms.is_read_only = method->is_read_only};

        oh_call_now(client, &call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
    free_splitter(splitter);
    return is_taken;
}
