/*
 * A failed part does not undo the others: the exception carries the replies that arrived.
 */
#include "php/base/zend.h"

#include "php/call/call.h"
#include "php/client/client.h"
#include "php/exception/exception.h"
#include "php/phpredis/express_call.h"
#include "php/scatter/merge.h"
#include "php/scatter/parts.h"
#include "php/scatter/pipes.h"

/* ---- Replies ---- */

/*
 * Makes PartialBatch with the replies that arrived. They are ordered like the command's own reply,
 * by key or by node; if that is not possible, there is one per part.
 */
static zend_object *partial(oh_client *client, const oh_split *split, oh_node_call *node_calls)
{
    uint32_t count = split->parts_count;
    zval **replies = safe_emalloc(count, sizeof *replies, 0);
    zend_object **failures = safe_emalloc(count, sizeof *failures, 0);
    zval arrived, entry;

    for (uint32_t i = 0; i < count; i++) {
        replies[i] = &node_calls[i].reply;
        failures[i] = node_calls[i].failure ? oh_scatter_failure(client, &node_calls[i]) : NULL;
    }
    ZVAL_FALSE(&arrived);
    if (split->merge == OH_MERGE_IN_ORDER || split->merge == OH_MERGE_PER_NODE ||
        split->merge == OH_MERGE_NONE) {
        oh_merge_replies(client, split, replies, failures, &arrived);
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
    return oh_scatter_partial(client, node_calls, count, &arrived);
}

static zend_object *merge(
    oh_client *client, const oh_split *split, oh_node_call *node_calls, zval *place)
{
    zval **replies = safe_emalloc(split->parts_count, sizeof *replies, 0);

    for (uint32_t i = 0; i < split->parts_count; i++) {
        replies[i] = &node_calls[i].reply;
    }
    zend_object *failure = oh_merge_replies(client, split, replies, NULL, place);
    efree(replies);
    return failure;
}

/* ONE_OK: true if one node has executed the command. Failures of other nodes do not matter then. */
static bool has_one_ok(const oh_split *split, const oh_node_call *node_calls)
{
    for (uint32_t i = 0; split->merge == OH_MERGE_ONE_OK && i < split->parts_count; i++) {
        if (Z_TYPE(node_calls[i].reply) > IS_FALSE) {
            return true;
        }
    }
    return false;
}

static zend_object *join(
    oh_client *client, const oh_split *split, oh_node_call *node_calls, zval *place)
{
    uint32_t count = split->parts_count, failed = oh_scatter_failed(node_calls, count);

    if (failed == 0 || has_one_ok(split, node_calls)) {
        return merge(client, split, node_calls, place);
    }
    if (failed == count || split->merge == OH_MERGE_ONE_OK) {
        zend_object *worst = oh_scatter_worst(node_calls, count);

        GC_ADDREF(worst);
        return worst;
    }
    return partial(client, split, node_calls);
}

void oh_parts_conclude(
    oh_client *client, const oh_split *split, oh_node_call *node_calls, zval *return_value)
{
    zend_object *failure = join(client, split, node_calls, return_value);

    oh_scatter_free(node_calls, split->parts_count);
    if (failure) {
        oh_failure_throw(failure);
    }
}

/* ---- Several parts of one node ---- */

static bool has_shared_node(const oh_client *client, const oh_split *split)
{
    /* Only in a Redis Cluster can one node have several parts, one for each slot. */
    for (uint32_t i = 0;
        split->keys_count > 0 && client->snapshot->is_cluster && i < split->parts_count; i++) {
        for (uint32_t j = i + 1; j < split->parts_count; j++) {
            if (split->parts[i].node == split->parts[j].node) {
                return true;
            }
        }
    }
    return false;
}

static bool queue_part(oh_pipes *pipes, oh_client *client, const oh_split *split, oh_part *part)
{
    const zend_function *function = split->method->original;
    oh_express_call call = oh_call_part_as_express(client, split, part);

    if (oh_pipes_write(pipes, client, part->node, split->method, &call)) {
        return true;
    }
    if (EG(exception)) {
        return false;
    }
    oh_node_client *node_client = oh_pipes_queue(pipes, client, part->node, split->method->original,
        split->terms.is_read_only, part->count, part->arguments);

    if (!node_client && !EG(exception)) {
        oh_failure_throw_plain(OH_SAY_NOT_QUEUED, ZSTR_VAL(function->common.function_name));
    }
    if (node_client && split->terms.promise) {
        node_client->queue.terms.promise = split->terms.promise;
    }
    return node_client && !EG(exception);
}

/* Returns the reply of a part, or the failure of its node. */
static oh_node_call next_reply(oh_reply_cursor *cursor)
{
    oh_node_call part = {.node_client = cursor->node_client, .failure = cursor->failure};
    zval *reply = oh_reply_cursor_next(cursor);

    if (reply && Z_TYPE_P(reply) == IS_OBJECT && UNEXPECTED(cursor->has_refusals)) {
        part.failure = Z_OBJ_P(reply);
        ZVAL_NULL(reply);
    } else if (reply) {
        ZVAL_COPY_VALUE(&part.reply, reply);
        ZVAL_NULL(reply);
    } else {
        GC_ADDREF(part.failure);
    }
    return part;
}

/* Moves the replies of the nodes to their parts. */
static void take_replies(const oh_split *split, oh_reply_cursor *cursors, oh_node_call *parts)
{
    for (uint32_t i = 0; i < split->parts_count; i++) {
        parts[i] = next_reply(&cursors[split->parts[i].node]);
    }
}

zend_object *oh_parts_join_next(
    oh_client *client, const oh_split *split, oh_reply_cursor *cursors, zval *place)
{
    oh_node_call *parts = safe_emalloc(split->parts_count, sizeof *parts, 0);

    take_replies(split, cursors, parts);
    zend_object *failure = join(client, split, parts, place);
    oh_scatter_free(parts, split->parts_count);
    efree(parts);
    return failure;
}

void oh_parts_conclude_piped(oh_client *client, const oh_split *split, oh_node_call *node_calls,
    uint32_t count, zval *return_value)
{
    oh_reply_cursor *cursors = oh_pipes_collect(client, node_calls, count);
    zend_object *failure = oh_parts_join_next(client, split, cursors, return_value);

    efree(cursors);
    oh_scatter_free(node_calls, count);
    if (failure) {
        oh_failure_throw(failure);
    }
}

/*
 * Like oh_scatter_run, with one result per part, but each node gets a single write for all its
 * slots.
 */
static bool run_piped(oh_client *client, oh_split *split, oh_node_call *parts)
{
    oh_pipes *pipes = ecalloc(1, sizeof *pipes);
    uint32_t queued = 0;

    while (queued < split->parts_count && queue_part(pipes, client, split, &split->parts[queued])) {
        queued++;
    }
    if (queued < split->parts_count) {
        oh_pipes_drop(pipes);
        efree(pipes);
        return false;
    }
    oh_pipes_close(pipes);
    oh_node_call *node_calls = safe_emalloc(pipes->count, sizeof *node_calls, 0);
    oh_reply_cursor *cursors = oh_pipes_exec(pipes, client, node_calls);

    if (cursors) {
        take_replies(split, cursors, parts);
        efree(cursors);
        oh_scatter_free(node_calls, pipes->count);
    }
    efree(node_calls);
    oh_pipes_free(pipes);
    efree(pipes);
    return cursors != NULL;
}

/* ---- A part for each node ---- */

/* Puts a part on the express lane if it may go there. */
static void write_express(
    oh_client *client, const oh_split *split, const oh_part *part, oh_node_call *node_call)
{
    oh_express_call call = oh_call_part_as_express(client, split, part);

    if (oh_call_write_express(client, node_call->node_client, &call)) {
        node_call->express = oh_express_call_one;
    }
}

static bool run(oh_client *client, oh_split *split, oh_node_call *node_calls)
{
    for (uint32_t i = 0; i < split->parts_count; i++) {
        const oh_part *part = &split->parts[i];
        oh_node_client *node_client = oh_node_client_take(client, part->node);

        if (!node_client) {
            return false;
        }
        node_calls[i] = (oh_node_call){.node_client = node_client,
            .function = split->method->original,
            .count = part->count,
            .arguments = part->arguments,
            .terms = &split->terms};
        write_express(client, split, part, &node_calls[i]);
    }
    return oh_scatter_run(node_calls, split->parts_count);
}

void oh_parts_call(oh_client *client, oh_split *split, zval *return_value)
{
    oh_node_call *node_calls = safe_emalloc(split->parts_count, sizeof *node_calls, 0);

    if (has_shared_node(client, split) ? run_piped(client, split, node_calls)
                                       : run(client, split, node_calls)) {
        oh_parts_conclude(client, split, node_calls, return_value);
    }
    efree(node_calls);
    oh_split_free(split);
}
