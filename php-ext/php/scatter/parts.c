/*
 * A part that failed does not undo the others: what did arrive is in the exception.
 */
#include "php_onehop.h"

#include "php/call/split.h"
#include "php/client/client.h"
#include "php/exception/exception.h"
#include "php/scatter/merge.h"
#include "php/scatter/parts.h"
#include "php/scatter/pipes.h"
#include "php/scatter/streams_wait.h"

/* ---- Their replies ---- */

/*
 * What did arrive of a command that failed on some nodes: by key or by node as its reply has it,
 * otherwise per part.
 */
static void throw_partial(oh_client *client, const oh_split *split, oh_node_call *node_calls)
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
    oh_scatter_throw_partial(client, node_calls, count, &arrived);
}

static void merge(
    oh_client *client, const oh_split *split, oh_node_call *node_calls, zval *return_value)
{
    zval **replies = safe_emalloc(split->parts_count, sizeof *replies, 0);

    for (uint32_t i = 0; i < split->parts_count; i++) {
        replies[i] = &node_calls[i].reply;
    }
    zend_object *failure = oh_merge_replies(client, split, replies, NULL, return_value);
    if (failure) {
        oh_failure_throw(failure);
    }
    efree(replies);
}

/* ONE_OK: a node that failed had nothing to do, as long as another one has done it. */
static bool has_one_ok(const oh_split *split, const oh_node_call *node_calls)
{
    for (uint32_t i = 0; split->merge == OH_MERGE_ONE_OK && i < split->parts_count; i++) {
        if (Z_TYPE(node_calls[i].reply) > IS_FALSE) {
            return true;
        }
    }
    return false;
}

static void conclude(
    oh_client *client, const oh_split *split, oh_node_call *node_calls, zval *return_value)
{
    uint32_t count = split->parts_count, failed = oh_scatter_failed(node_calls, count);

    if (failed == 0 || has_one_ok(split, node_calls)) {
        merge(client, split, node_calls, return_value);
    } else if (failed == count || split->merge == OH_MERGE_ONE_OK) {
        oh_scatter_throw_first(node_calls, count);
    } else {
        throw_partial(client, split, node_calls);
    }
    oh_scatter_free(node_calls, count);
}

/* ---- Several parts of one node ---- */

static bool has_shared_node(const oh_client *client, const oh_split *split)
{
    /* Parts of their own node each need no pipeline: then there are few of them. */
    for (uint32_t i = 0;
        split->keys_count > 0 && client->snapshot->cluster && i < split->parts_count; i++) {
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
    bool is_queued = oh_pipes_queue(pipes, client, part->node, split->method->original,
        split->terms.is_read_only, part->count, part->arguments);

    if (!is_queued && !EG(exception)) {
        oh_failure_throw_plain(OH_SAY_NOT_QUEUED, ZSTR_VAL(function->common.function_name));
    }
    return is_queued && !EG(exception);
}

/* The reply of a part, or the failure of its node. */
static oh_node_call next_reply(oh_reply_cursor *cursor)
{
    oh_node_call part = {.node_client = cursor->node_client, .failure = cursor->failure};
    zval *reply = oh_reply_cursor_next(cursor);

    if (reply) {
        ZVAL_COPY_VALUE(&part.reply, reply);
        ZVAL_NULL(reply);
    } else {
        GC_ADDREF(part.failure);
    }
    return part;
}

/*
 * A node gets one write, however many slots it has. As oh_scatter_run, for as many calls as there
 * are parts.
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

    for (uint32_t i = 0; cursors && i < split->parts_count; i++) {
        parts[i] = next_reply(&cursors[split->parts[i].node]);
    }
    if (cursors) {
        oh_scatter_free(node_calls, pipes->count);
        efree(cursors);
    }
    efree(node_calls);
    oh_pipes_free(pipes);
    efree(pipes);
    return cursors != NULL;
}

/* ---- A part for each node ---- */

static bool run(oh_client *client, oh_split *split, oh_node_call *node_calls)
{
    bool is_streams_wait = split->terms.block_ms && split->merge == OH_MERGE_STREAMS;

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
            .terms = split->terms};
    }
    return is_streams_wait ? oh_streams_wait_run(client, node_calls, split->parts_count)
                           : oh_scatter_run(node_calls, split->parts_count);
}

void oh_parts_call(oh_client *client, oh_split *split, zval *return_value)
{
    oh_node_call *node_calls = safe_emalloc(split->parts_count, sizeof *node_calls, 0);

    if (has_shared_node(client, split) ? run_piped(client, split, node_calls)
                                       : run(client, split, node_calls)) {
        conclude(client, split, node_calls, return_value);
    }
    efree(node_calls);
    oh_split_free(split);
}
