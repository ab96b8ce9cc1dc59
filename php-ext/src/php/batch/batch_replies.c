/*
 * Values are moved, not copied.
 */
#include "php/base/zend.h"

#include "php/exception/exception.h"
#include "php/batch/batch.h"
#include "php/scatter/parts.h"

static void take_reply(oh_reply_cursor *cursor, zval *place)
{
    zval *reply = oh_reply_cursor_next(cursor);

    if (EXPECTED(reply != NULL)) {
        ZVAL_COPY_VALUE(place, reply);
        ZVAL_NULL(reply);
    } else {
        ZVAL_OBJ_COPY(place, cursor->failure);
    }
}

/*
 * Checks the reply of EXEC. Returns a failure if it is not a list with one reply for each command.
 */
static zend_object *judge_transaction(
    oh_client *client, const oh_split *split, zval *reply, zval *place)
{
    ZEND_ASSERT(reply);
    oh_node node = oh_topology_node(client->snapshot->topology, split->parts[0].node);
    uint32_t count = Z_TYPE_P(reply) == IS_ARRAY ? zend_hash_num_elements(Z_ARRVAL_P(reply)) : 0;
    oh_failure failure;

    if (Z_TYPE_P(reply) == IS_ARRAY && count == split->queued) {
        ZVAL_COPY_VALUE(place, reply);
        ZVAL_NULL(reply);
        return NULL;
    }
    if (count == 0 && client->snapshot->is_cluster) {
        oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_EXEC_REDIRECTED);
    } else if (count == 0) {
        oh_pipes_exec_error(&failure);
    } else {
        oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_ERROR_PROTOCOL_VIOLATION,
            OH_ADVICE_EXEC_SHORT, OH_WHAT_EXEC_SHORT);
    }
    return oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
}

/* The reply of EXEC, or its failure. */
static zend_object *take_transaction(
    oh_client *client, const oh_split *split, oh_reply_cursor *cursors, zval *place)
{
    oh_reply_cursor *cursor = &cursors[split->parts[0].node];
    zval *reply = oh_reply_cursor_next(cursor);

    if (reply) {
        return judge_transaction(client, split, reply, place);
    }
    GC_ADDREF(cursor->failure);
    return cursor->failure;
}

/*
 * Takes the replies of a command over several nodes, or of a transaction. If it failed, returns the
 * failure, borrowed, which takes the place of the reply.
 */
static zend_object *join_replies(
    oh_client *client, const oh_split *split, oh_reply_cursor *cursors, zval *place)
{
    zend_object *failure = split->is_transaction
                               ? take_transaction(client, split, cursors, place)
                               : oh_parts_join_next(client, split, cursors, place);

    if (failure) {
        ZVAL_OBJ(place, failure);
    }
    return failure;
}

/*
 * Puts the replies into the order of the commands. Returns the first failure of a command over
 * several nodes, borrowed, or NULL.
 */
static zend_object *order_replies(
    oh_client *client, const oh_batch *batch, oh_reply_cursor *cursors, zval *return_value)
{
    zend_object *failure = NULL, *first = NULL;

    array_init_size(return_value, batch->commands_count);
    zend_hash_real_init_packed(Z_ARRVAL_P(return_value));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(return_value))
    {
        for (uint32_t i = 0; i < batch->commands_count; i++) {
            uint32_t command = batch->commands[i];

            if (EXPECTED(command < OH_BATCH_SKIP)) {
                take_reply(&cursors[command], __fill_val);
            } else if (command & OH_BATCH_SPLIT) {
                failure = join_replies(
                    client, batch->splits[command & OH_BATCH_INDEX], cursors, __fill_val);
                first = first ? first : failure;
            } else {
                oh_reply_cursor_next(&cursors[command & OH_BATCH_INDEX]);
                continue;
            }
            ZEND_HASH_FILL_NEXT();
        }
    }
    ZEND_HASH_FILL_END();
    return first;
}

/* Every node has answered, but the replies of several nodes cannot be merged. */
static void throw_unmerged(oh_client *client, zend_object *failure, zval *replies)
{
    zval failures;

    array_init(&failures);
    oh_failure_throw(
        oh_failure_partial(replies, &failures, failure, client->snapshot->pool->name.bytes));
}

void oh_batch_replies(oh_client *client, const oh_batch *batch, oh_node_call *node_calls,
    oh_reply_cursor *cursors, zval *return_value)
{
    uint32_t count = batch->pipes.count, failed = oh_scatter_failed(node_calls, count);

    if (failed == count) {
        zend_object *worst = oh_scatter_worst(node_calls, count);

        GC_ADDREF(worst);
        oh_failure_throw(worst);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (node_calls[i].failure) {
            cursors[node_calls[i].node_client->node].failure =
                oh_scatter_failure(client, &node_calls[i]);
        }
    }
    zend_object *failure = order_replies(client, batch, cursors, return_value);
    bool has_failures = oh_scatter_has_failures(node_calls, count);
    if (has_failures || failure) {
        zval replies;

        ZVAL_COPY_VALUE(&replies, return_value);
        ZVAL_NULL(return_value);
        if (has_failures) {
            oh_failure_throw(oh_scatter_partial(client, node_calls, count, &replies));
        } else {
            throw_unmerged(client, failure, &replies);
        }
    }
}
