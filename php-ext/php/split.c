/*
 * Keys are converted to text once, placed, and handed to phpredis as text. The form the caller used (several arguments,
 * or one array) matters only if everything lives on one node; a part is always one array.
 */
#include "php_onehop.h"

#include "call.h"
#include "client.h"
#include "split.h"

/* ---- Cutting ---- */

#define OH_NO_PART UINT32_MAX

/* Keys on their way into parts. */
typedef struct oh_cutter {
    oh_client *client;
    oh_split *split;
    uint32_t *part_of_node; /* OH_NO_PART for a node that has none yet. */
    uint32_t keys_expected;
} oh_cutter;

static void begin_cutting(oh_cutter *cutter, oh_client *client, oh_merge merge, uint32_t keys_expected)
{
    uint32_t nodes_count = client->snapshot->nodes_count;

    cutter->client = client;
    cutter->keys_expected = keys_expected;
    cutter->split = ecalloc(1, sizeof *cutter->split);
    cutter->split->merge = merge;
    cutter->split->parts = safe_emalloc(MIN(nodes_count, keys_expected), sizeof(oh_part), 0);
    cutter->split->part_of_key = safe_emalloc(keys_expected, sizeof(uint32_t), 0);
    cutter->part_of_node = safe_emalloc(nodes_count, sizeof(uint32_t), 0);
    memset(cutter->part_of_node, 0xff, nodes_count * sizeof(uint32_t));
}

static oh_part *part_for(oh_cutter *cutter, const zend_string *key)
{
    oh_split *split = cutter->split;
    uint32_t node = oh_client_locate(cutter->client, key);
    uint32_t index = cutter->part_of_node[node];

    if (index == OH_NO_PART) {
        index = cutter->part_of_node[node] = split->parts_count++;
        split->parts[index].node = node;
        array_init_size(&split->parts[index].keys, cutter->keys_expected / cutter->client->snapshot->nodes_count + 8);
    }
    split->part_of_key[split->keys_count++] = index;
    return &split->parts[index];
}

static oh_split *end_cutting(oh_cutter *cutter, bool is_whole)
{
    efree(cutter->part_of_node);
    if (!is_whole) {
        oh_split_free(cutter->split);
        return NULL;
    }
    return cutter->split;
}

static void add_key(oh_cutter *cutter, zend_string *key)
{
    zval value;

    ZVAL_STR_COPY(&value, key);
    zend_hash_next_index_insert(Z_ARRVAL(part_for(cutter, key)->keys), &value);
}

static oh_split *cut_list(oh_client *client, zend_execute_data *execute_data, oh_merge merge, HashTable *keys)
{
    oh_cutter cutter;
    zval *element;
    bool is_whole = true;

    begin_cutting(&cutter, client, merge, zend_hash_num_elements(keys));
    ZEND_HASH_FOREACH_VAL(keys, element)
    {
        zval copy;

        ZVAL_DEREF(element);
        ZVAL_COPY(&copy, element);
        zend_string *key = oh_client_key(execute_data, &copy, 1);
        is_whole = key != NULL;
        if (is_whole) {
            add_key(&cutter, key);
        }
        zval_ptr_dtor(&copy);
        if (!is_whole) {
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
    return end_cutting(&cutter, is_whole);
}

/* The arguments are converted in place, so a command that stays whole carries their text too. */
static oh_split *cut_arguments(oh_client *client, zend_execute_data *execute_data, oh_merge merge)
{
    oh_cutter cutter;
    bool is_whole = true;

    begin_cutting(&cutter, client, merge, ZEND_NUM_ARGS());
    for (uint32_t i = 1; i <= ZEND_NUM_ARGS() && is_whole; i++) {
        zend_string *key = oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, i), i);

        is_whole = key != NULL;
        if (is_whole) {
            add_key(&cutter, key);
        }
    }
    return end_cutting(&cutter, is_whole);
}

static oh_split *cut_pairs(oh_client *client, HashTable *pairs)
{
    oh_cutter cutter;
    zend_ulong number;
    zend_string *name;
    zval *value;

    begin_cutting(&cutter, client, OH_MERGE_ALL, zend_hash_num_elements(pairs));
    ZEND_HASH_FOREACH_KEY_VAL(pairs, number, name, value)
    {
        zend_string *key = name ? zend_string_copy(name) : zend_long_to_str((zend_long)number);

        ZVAL_DEREF(value);
        Z_TRY_ADDREF_P(value);
        zend_symtable_update(Z_ARRVAL(part_for(&cutter, key)->keys), key, value);
        zend_string_release(key);
    }
    ZEND_HASH_FOREACH_END();
    return end_cutting(&cutter, true);
}

void oh_split_free(oh_split *split)
{
    for (uint32_t i = 0; i < split->parts_count; i++) {
        zval_ptr_dtor(&split->parts[i].keys);
    }
    efree(split->parts);
    efree(split->part_of_key);
    efree(split);
}

/* ---- Putting together ---- */

static void merge_values(const oh_split *split, zval **replies, zend_object **failures, zval *return_value)
{
    uint32_t *next = ecalloc(split->parts_count, sizeof *next);

    array_init_size(return_value, split->keys_count);
    for (uint32_t i = 0; i < split->keys_count; i++) {
        uint32_t part = split->part_of_key[i];
        zval entry, *value;

        if (failures && failures[part]) {
            ZVAL_OBJ_COPY(&entry, failures[part]);
        } else if ((value = zend_hash_index_find(Z_ARRVAL_P(replies[part]), next[part]++))) {
            ZVAL_COPY_VALUE(&entry, value);
            ZVAL_NULL(value);
        } else {
            ZVAL_FALSE(&entry);
        }
        zend_hash_next_index_insert_new(Z_ARRVAL_P(return_value), &entry);
    }
    efree(next);
}

static void merge_numbers(const oh_split *split, zval **replies, zval *return_value)
{
    zend_long sum = 0;

    for (uint32_t i = 0; i < split->parts_count; i++) {
        if (Z_TYPE_P(replies[i]) != IS_LONG) {
            RETURN_FALSE;
        }
        sum += Z_LVAL_P(replies[i]);
    }
    RETURN_LONG(sum);
}

/* The first reply that is not true, as it is; otherwise the first. (OPT_REPLY_LITERAL makes "OK" of true.) */
static void merge_all(const oh_split *split, zval **replies, zval *return_value)
{
    uint32_t chosen = 0;

    while (chosen + 1 < split->parts_count && zend_is_true(replies[chosen])) {
        chosen++;
    }
    ZVAL_COPY(return_value, replies[chosen]);
}

void oh_split_merge(const oh_split *split, zval **replies, zend_object **failures, zval *return_value)
{
    if (split->merge == OH_MERGE_SUM) {
        merge_numbers(split, replies, return_value);
    } else if (split->merge == OH_MERGE_ALL) {
        merge_all(split, replies, return_value);
    } else {
        for (uint32_t i = 0; i < split->parts_count; i++) {
            /* An error reply is false for the whole command, as without a split. */
            if (!(failures && failures[i]) && Z_TYPE_P(replies[i]) != IS_ARRAY) {
                RETURN_FALSE;
            }
        }
        merge_values(split, replies, failures, return_value);
    }
}

/* ---- Calling ---- */

/* What did arrive of a command that failed on some nodes: per key for values, otherwise per part. */
static void throw_partial(oh_client *client, const oh_split *split, oh_share *shares)
{
    uint32_t count = split->parts_count;
    zval **replies = safe_emalloc(count, sizeof *replies, 0);
    zend_object **failures = safe_emalloc(count, sizeof *failures, 0);
    zval arrived, entry;

    for (uint32_t i = 0; i < count; i++) {
        replies[i] = &shares[i].reply;
        failures[i] = shares[i].failure ? oh_scatter_failure(client, &shares[i]) : NULL;
    }
    ZVAL_FALSE(&arrived);
    if (split->merge == OH_MERGE_VALUES) {
        oh_split_merge(split, replies, failures, &arrived);
    }
    if (Z_TYPE(arrived) != IS_ARRAY) {
        array_init_size(&arrived, count);
        for (uint32_t i = 0; i < count; i++) {
            if (failures[i]) {
                ZVAL_OBJ_COPY(&entry, failures[i]);
            } else {
                ZVAL_COPY(&entry, replies[i]);
            }
            zend_hash_next_index_insert(Z_ARRVAL(arrived), &entry);
        }
    }
    efree(replies);
    efree(failures);
    oh_scatter_throw_partial(client, shares, count, &arrived);
}

static void conclude(oh_client *client, const oh_split *split, oh_share *shares, zval *return_value)
{
    uint32_t count = split->parts_count, failed = oh_scatter_failed(shares, count);

    if (failed == count) {
        oh_scatter_throw_first(shares, count);
    } else if (failed > 0) {
        throw_partial(client, split, shares);
    } else {
        zval **replies = safe_emalloc(count, sizeof *replies, 0);

        for (uint32_t i = 0; i < count; i++) {
            replies[i] = &shares[i].reply;
        }
        oh_split_merge(split, replies, NULL, return_value);
        efree(replies);
    }
    oh_scatter_free(shares, count);
}

static void call_parts(oh_client *client, const oh_method *method, oh_split *split, zval *return_value)
{
    uint32_t count = split->parts_count, i;
    oh_share *shares = safe_emalloc(count, sizeof *shares, 0);

    for (i = 0; i < count; i++) {
        shares[i].lane = oh_lane_take(client, split->parts[i].node);
        shares[i].function = method->original;
        shares[i].count = 1;
        shares[i].arguments = &split->parts[i].keys;
        shares[i].is_read_only = method->is_read_only;
        if (!shares[i].lane) {
            break;
        }
    }
    if (i == count && oh_scatter_run(shares, count)) {
        conclude(client, split, shares, return_value);
    }
    efree(shares);
}

/* `is_as_given`: phpredis may have the caller's own arguments if nothing has to be cut. */
static void serve(oh_client *client, oh_split *split, bool is_as_given, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);

    if (!split) {
        return;
    }
    if (split->parts_count <= 1 && is_as_given) {
        uint32_t node = split->parts_count ? split->parts[0].node : 0;

        oh_split_free(split);
        oh_call_on_node(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client->batch.is_open) {
        oh_batch_queue_split(client, method, split, return_value);
    } else {
        call_parts(client, method, split, return_value);
        oh_split_free(split);
    }
}

/* ---- The handlers ---- */

static bool is_list_of_text(HashTable *keys)
{
    zval *element;

    ZEND_HASH_FOREACH_VAL(keys, element)
    {
        if (Z_TYPE_P(element) != IS_STRING) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static zval *first_array(zend_execute_data *execute_data)
{
    if (ZEND_NUM_ARGS() != 1) {
        return NULL;
    }
    zval *argument = ZEND_CALL_ARG(execute_data, 1);
    ZVAL_DEREF(argument);
    return Z_TYPE_P(argument) == IS_ARRAY ? argument : NULL;
}

static void serve_list(oh_client *client, oh_merge merge, HashTable *keys, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_split *split = cut_list(client, execute_data, merge, keys);

    serve(client, split, is_list_of_text(keys), INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_split_values(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    zval *keys = first_array(execute_data);

    if (client && keys) {
        serve_list(client, OH_MERGE_VALUES, Z_ARRVAL_P(keys), INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client) {
        /* phpredis will say what is wrong with the arguments. */
        oh_call_on_node(client, 0, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* One key, the usual case: nothing to cut. */
static void serve_one(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    zend_string *key = oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, 1), 1);

    if (key) {
        oh_call_on_node(client, oh_client_locate(client, key), INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_split_count(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    zval *keys = first_array(execute_data);

    if (client && keys) {
        serve_list(client, OH_MERGE_SUM, Z_ARRVAL_P(keys), INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client && ZEND_NUM_ARGS() == 1) {
        serve_one(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client && ZEND_NUM_ARGS() > 0) {
        oh_split *split = cut_arguments(client, execute_data, OH_MERGE_SUM);

        serve(client, split, true, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client) {
        /* phpredis will say what is wrong with the arguments. */
        oh_call_on_node(client, 0, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_split_pairs(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    zval *pairs = first_array(execute_data);

    if (client && pairs) {
        oh_split *split = cut_pairs(client, Z_ARRVAL_P(pairs));

        serve(client, split, true, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client) {
        /* phpredis will say what is wrong with the arguments. */
        oh_call_on_node(client, 0, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
