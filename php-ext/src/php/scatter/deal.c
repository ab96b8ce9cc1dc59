/*
 * Deal: a command with a list of keys on several nodes, all on the express lane.
 *
 * A split (call/split.h) makes arguments for each part, and a merge puts its replies back into
 * order. In a Redis Cluster nearly every key has a slot, and so a part, of its own. Here a part
 * needs neither. Its keys form a chain: the command is written from the chain, and each value is
 * stored at its key's position.
 *
 *     keys  a b c d e ─► chains  a─c─e │ b │ d ─► commands in the buffers of their nodes
 *     values 0 1 2 3 4 ◄──────── replies are read along the chains
 *
 * If a node fails, or a reply is not the usual one, everything that was read becomes the replies of
 * parts again, which are merged (parts.h). So the result is the same with and without this
 * shortcut.
 *
 * No code of the script runs before the commands are written, so its keys are not held.
 */
#include "php/base/zend.h"

#include "php/call/call.h"
#include "php/phpredis/express_call.h"
#include "php/scatter/parts.h"
#include "php/scatter/pipes.h"

typedef struct oh_dealer {
    oh_client *client;
    const oh_method *method;
    const oh_express_row *row;
    oh_express_deal deal;
    uint32_t keys_count, chains_count;
    uint32_t *homes; /* By chain. */
    /* A hash table of chains by their home. 0 is an empty place, else the chain is one less. */
    uint32_t *places, places_mask;
    oh_pipes pipes;
    oh_express_share *shares; /* In the order of the pipes. */
    oh_node_call *node_calls; /* In the same order. */
} oh_dealer;

/* ---- Which calls ---- */

/* Lists are dealt to their keys, and integers are added up. */
static bool is_merged_here(const oh_express_row *row, const oh_command *command)
{
    return row->reply == OH_EXPRESS_LIST
               ? command->merge == OH_MERGE_IN_ORDER && command->merge_width <= 1
               : row->reply == OH_EXPRESS_INTEGER && command->merge == OH_MERGE_SUM;
}

/* The row of a method that can be dealt; NULL for all others. */
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
    uint32_t chains_max = MIN(keys_count, oh_snapshot_homes_count(client->snapshot)), places = 4;

    while (places < 2 * chains_max) {
        places *= 2;
    }
    return places;
}

static oh_dealer *new_dealer(
    oh_client *client, const oh_method *method, const oh_express_row *row, uint32_t keys_count)
{
    uint32_t places = places_for(client, keys_count);
    size_t per_key =
        sizeof(zval) + sizeof(zend_string *) + sizeof(oh_express_chain) + 2 * sizeof(uint32_t);
    oh_dealer *dealer =
        safe_emalloc(keys_count, per_key, sizeof *dealer + places * sizeof(uint32_t));

    *dealer = (oh_dealer){.client = client, .method = method, .row = row, .keys_count = keys_count};
    dealer->deal.values = (zval *)(dealer + 1);
    dealer->deal.keys = (zend_string **)(dealer->deal.values + keys_count);
    dealer->deal.chains = (oh_express_chain *)(dealer->deal.keys + keys_count);
    dealer->deal.next = (uint32_t *)(dealer->deal.chains + keys_count);
    dealer->homes = dealer->deal.next + keys_count;
    dealer->places = dealer->homes + keys_count;
    dealer->places_mask = places - 1;
    memset(dealer->places, 0, places * sizeof *dealer->places);
    return dealer;
}

static void free_dealer(oh_dealer *dealer)
{
    oh_pipes_free(&dealer->pipes);
    if (dealer->shares) {
        efree(dealer->shares);
        efree(dealer->node_calls);
    }
    efree(dealer);
}

/* ---- Chains ---- */

/* Returns the chain of a home, which may be new and empty. */
static zend_always_inline oh_express_chain *chain_of(oh_dealer *dealer, uint32_t home)
{
    uint32_t at = home & dealer->places_mask;

    while (dealer->places[at]) {
        uint32_t chain = dealer->places[at] - 1;

        if (EXPECTED(dealer->homes[chain] == home)) {
            return &dealer->deal.chains[chain];
        }
        at = (at + 1) & dealer->places_mask;
    }
    uint32_t chain = dealer->chains_count++;
    dealer->places[at] = dealer->chains_count;
    dealer->homes[chain] = home;
    dealer->deal.chains[chain] = (oh_express_chain){.next = OH_EXPRESS_END};
    return &dealer->deal.chains[chain];
}

/* Returns false if the key is left to others. */
static zend_always_inline bool add_key(oh_dealer *dealer, uint32_t key, zval *value)
{
    if (UNEXPECTED(Z_TYPE_P(value) != IS_STRING) ||
        UNEXPECTED(!oh_express_may_write(Z_STR_P(value)))) {
        return false;
    }
    oh_express_chain *chain = chain_of(dealer, oh_client_home(dealer->client, Z_STR_P(value)));

    dealer->deal.keys[key] = Z_STR_P(value);
    ZVAL_UNDEF(&dealer->deal.values[key]);
    if (chain->count++ == 0) {
        chain->first = key;
    } else {
        dealer->deal.next[chain->last] = key;
    }
    chain->last = key;
    return true;
}

static bool add_keys(oh_dealer *dealer, zend_execute_data *execute_data)
{
    zval *value = ZEND_CALL_ARG(execute_data, 1);
    uint32_t key = 0;

    if (ZEND_NUM_ARGS() == 1) {
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), value)
        {
            if (!add_key(dealer, key++, value)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
        return true;
    }
    for (; key < dealer->keys_count; key++) {
        if (!add_key(dealer, key, value + key)) {
            return false;
        }
    }
    return true;
}

/* ---- Sending ---- */

static uint32_t node_of(const oh_dealer *dealer, uint32_t chain)
{
    return oh_snapshot_node_of(dealer->client->snapshot, dealer->homes[chain]);
}

/* Returns the node client of a chain, with a share. NULL and an exception on failure. */
static oh_node_client *node_client_of(oh_dealer *dealer, uint32_t chain)
{
    uint32_t node = node_of(dealer, chain);
    oh_node_client *node_client = oh_pipes_find(&dealer->pipes, dealer->client, node);

    if (EXPECTED(node_client)) {
        dealer->deal.chains[node_client->express.share->last].next = chain;
        node_client->express.share->last = chain;
        return node_client;
    }
    node_client = oh_pipes_open_express(&dealer->pipes, dealer->client, node);
    if (node_client) {
        node_client->queue.terms.is_read_only = dealer->method->is_read_only;
        node_client->express.share = &dealer->shares[dealer->pipes.count - 1];
        *node_client->express.share =
            (oh_express_share){.deal = &dealer->deal, .first = chain, .last = chain};
    }
    return node_client;
}

static bool write_commands(oh_dealer *dealer)
{
    for (uint32_t i = 0; i < dealer->chains_count; i++) {
        oh_node_client *node_client = node_client_of(dealer, i);

        if (UNEXPECTED(!node_client)) {
            oh_pipes_drop(&dealer->pipes);
            return false;
        }
        oh_express_write_chain(&node_client->express, dealer->row, dealer->client->prefix,
            &dealer->deal, &dealer->deal.chains[i]);
        node_client->queue.count++;
    }
    return true;
}

/* Sends to all nodes in parallel. Returns false if the script is ending. */
static bool run(oh_dealer *dealer)
{
    oh_pipes *pipes = &dealer->pipes;

    oh_pipes_close(pipes);
    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_node_client *node_client = pipes->node_clients[i];

        dealer->shares[i].is_alone = pipes->count == dealer->chains_count;
        dealer->node_calls[i] = (oh_node_call){.node_client = node_client,
            .express = oh_express_call_deal,
            .expected = node_client->queue.count};
    }
    return oh_scatter_run(dealer->node_calls, pipes->count);
}

/* ---- The usual result ---- */

static bool is_whole(const oh_dealer *dealer)
{
    for (uint32_t i = 0; i < dealer->pipes.count; i++) {
        if (!dealer->shares[i].is_dealt || dealer->node_calls[i].failure) {
            return false;
        }
    }
    return true;
}

static void return_list(oh_dealer *dealer, zval *return_value)
{
    array_init_size(return_value, dealer->keys_count);
    zend_hash_real_init_packed(Z_ARRVAL_P(return_value));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(return_value))
    {
        for (uint32_t key = 0; key < dealer->keys_count; key++) {
            ZVAL_COPY_VALUE(__fill_val, &dealer->deal.values[key]);
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
}

/* Returns false if a reply is not a number. */
static bool return_sum(const oh_dealer *dealer, zval *return_value)
{
    zend_ulong sum = 0;

    for (uint32_t i = 0; i < dealer->chains_count; i++) {
        const zval *value = &dealer->deal.values[dealer->deal.chains[i].first];

        if (Z_TYPE_P(value) != IS_LONG) {
            return false;
        }
        sum += (zend_ulong)Z_LVAL_P(value);
    }
    ZVAL_LONG(return_value, (zend_long)sum);
    return true;
}

/* ---- Any other result ---- */

/* The chains as parts, whose commands have been sent. */
static oh_split *split_of(const oh_dealer *dealer)
{
    const oh_method *method = dealer->method;
    oh_plan plan = {.method = method,
        .command = method->command,
        .merge = method->command->merge,
        .call.terms.is_read_only = method->is_read_only};
    oh_split *split = oh_split_new(&plan, dealer->chains_count, dealer->keys_count);

    for (uint32_t i = 0; i < dealer->chains_count; i++) {
        const oh_express_chain *chain = &dealer->deal.chains[i];
        uint32_t key = chain->first;

        oh_split_add(split, node_of(dealer, i), 0, NULL);
        for (uint32_t left = chain->count; left > 0; left--, key = dealer->deal.next[key]) {
            split->part_of_key[key] = i;
        }
    }
    split->keys_count = dealer->keys_count;
    return split;
}

static void conclude(oh_dealer *dealer, zval *return_value)
{
    uint32_t count = dealer->pipes.count;
    oh_split *split = split_of(dealer);

    for (uint32_t i = 0; i < count; i++) {
        oh_node_call *node_call = &dealer->node_calls[i];

        if (dealer->shares[i].is_dealt && !node_call->failure) {
            oh_express_call_undeal(&dealer->shares[i], dealer->row, &node_call->reply);
        }
    }
    if (count == dealer->chains_count) {
        oh_parts_conclude(dealer->client, split, dealer->node_calls, return_value);
    } else {
        oh_parts_conclude_piped(dealer->client, split, dealer->node_calls, count, return_value);
    }
    oh_split_free(split);
}

/* ---- The call ---- */

static void drop_values(oh_dealer *dealer)
{
    for (uint32_t key = 0; key < dealer->keys_count; key++) {
        zval_ptr_dtor(&dealer->deal.values[key]);
    }
}

static void call_nodes(oh_dealer *dealer, zval *return_value)
{
    uint32_t nodes_max = MIN(dealer->chains_count, dealer->client->snapshot->nodes_count);

    dealer->shares = safe_emalloc(nodes_max, sizeof *dealer->shares, 0);
    dealer->node_calls = safe_emalloc(nodes_max, sizeof *dealer->node_calls, 0);
    if (!write_commands(dealer)) {
        return;
    }
    if (UNEXPECTED(!run(dealer))) {
        drop_values(dealer);
        return;
    }
    if (EXPECTED(is_whole(dealer)) && dealer->row->reply == OH_EXPRESS_LIST) {
        return_list(dealer, return_value);
    } else if (!is_whole(dealer) || !return_sum(dealer, return_value)) {
        conclude(dealer, return_value);
        drop_values(dealer);
    }
}

bool oh_deal_call(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    const oh_express_row *row = row_of(client, method);
    uint32_t keys_count = row ? count_keys(execute_data, row) : 0;

    if (keys_count < 2) {
        return false;
    }
    oh_dealer *dealer = new_dealer(client, method, row, keys_count);
    bool is_taken = add_keys(dealer, execute_data);

    if (is_taken && dealer->chains_count > 1) {
        call_nodes(dealer, return_value);
    } else if (is_taken) {
        oh_call call = {.node = node_of(dealer, 0), .terms.is_read_only = method->is_read_only};

        oh_call_now(client, &call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
    free_dealer(dealer);
    return is_taken;
}
