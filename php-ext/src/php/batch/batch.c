/*
 * Queueing is the hot path: ten thousand commands must cost ten thousand calls of phpredis and
 * little else. So a command is one number in an array that grows by doubling. The code for splits
 * and failures is kept out of that path.
 */
#include "php/base/zend.h"

#include "php/batch/batch.h"
#include "php/call/call.h"
#include "php/call/refuse.h"
#include "php/exception/exception.h"

/* ---- The list of commands ---- */

/*
 * The capacity changes last: if the script runs into memory_limit here, its shutdown functions may
 * still use the batch.
 */
static void *grow(void *items, uint32_t *capacity, size_t size)
{
    uint32_t more = *capacity ? *capacity * 2 : 64;

    items = safe_erealloc(items, more, size, 0);
    *capacity = more;
    return items;
}

static zend_always_inline void make_place(oh_batch *batch)
{
    if (UNEXPECTED(batch->commands_count == batch->commands_capacity)) {
        batch->commands = grow(batch->commands, &batch->commands_capacity, sizeof *batch->commands);
    }
}

static zend_always_inline void append(oh_batch *batch, uint32_t command)
{
    make_place(batch);
    batch->commands[batch->commands_count++] = command;
}

static uint32_t keep_split(oh_batch *batch, oh_split *split)
{
    if (batch->splits_count == batch->splits_capacity) {
        batch->splits = grow(batch->splits, &batch->splits_capacity, sizeof *batch->splits);
    }
    batch->splits[batch->splits_count] = split;
    return batch->splits_count++;
}

static void clear(oh_batch *batch)
{
    for (uint32_t i = 0; i < batch->splits_count; i++) {
        oh_split_free(batch->splits[i]);
    }
    if (batch->commands) {
        efree(batch->commands);
    }
    if (batch->splits) {
        efree(batch->splits);
    }
    oh_pipes_free(&batch->pipes);
    if (batch->once) {
        zend_array_destroy(batch->once);
    }
    memset(batch, 0, sizeof *batch);
}

static void empty(oh_batch *batch)
{
    oh_pipes_drop(&batch->pipes);
    clear(batch);
}

void oh_batch_drop(oh_client *client)
{
    if (client->batch) {
        empty(client->batch);
        efree(client->batch);
        client->batch = NULL;
        client->mode = OH_ATOMIC;
    }
}

/* ---- Queueing ---- */

/* The terms of each queued command apply to the whole queue. */
static void add_terms(oh_node_client *node_client, const oh_call_terms *terms)
{
    uint32_t *waits = &node_client->queue.terms.block_ms;

    *waits =
        *waits > OH_BLOCK_FOR_EVER - terms->block_ms ? OH_BLOCK_FOR_EVER : *waits + terms->block_ms;
    if (UNEXPECTED(terms->promise != NULL)) {
        node_client->queue.terms.promise = terms->promise;
    }
}

static zend_always_inline oh_node_client *queue(
    oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);

    if (UNEXPECTED(client->batch->is_spoilt)) {
        RETVAL_OBJ_COPY(oh_client_object(client));
        return NULL;
    }
    oh_node_client *node_client = oh_pipes_node_client(&client->batch->pipes, client, node);
    if (UNEXPECTED(!node_client)) {
        return NULL;
    }
    oh_node_client_hold(node_client);
    oh_node_client_call_in_frame(node_client, method, execute_data, return_value);
    bool is_queued = oh_pipes_took(node_client, method->is_read_only, return_value);
    oh_node_client_let_go(node_client);
    if (UNEXPECTED(!is_queued)) {
        return NULL;
    }
    /* The script's own code has ended the batch while a value was packed. */
    if (UNEXPECTED(!client->batch)) {
        ZVAL_FALSE(return_value);
        return NULL;
    }
    ZVAL_OBJ_COPY(return_value, oh_client_object(client));
    return node_client;
}

oh_node_client *oh_batch_queue(oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    return queue(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_batch_note(oh_client *client, oh_node_client *node_client, const oh_call *call)
{
    append(client->batch, call->node);
    add_terms(node_client, &call->terms);
}

void oh_batch_spoil(oh_client *client, zval *return_value)
{
    zval_ptr_dtor(return_value);
    ZVAL_NULL(return_value);
    empty(client->batch);
    client->batch->is_spoilt = true;
}

static zend_always_inline bool write_express(
    oh_client *client, uint32_t node, zend_execute_data *execute_data)
{
    const oh_method *method = oh_method_of(execute_data);
    oh_express_call call = oh_call_as_express(client, method, execute_data);

    return EXPECTED(!client->batch->is_spoilt) &&
           oh_pipes_write(&client->batch->pipes, client, node, method, &call);
}

void oh_batch_call(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(oh_method_of(execute_data)->is_iterated)) {
        oh_refuse(execute_data, NULL, OH_ADVICE_ITERATED);
        return;
    }
    /*
     * The place comes before the command is queued: a queued command without one would get no
     * reply.
     */
    make_place(client->batch);
    if (EXPECTED(write_express(client, call->node, execute_data))) {
        append(client->batch, call->node);
        RETURN_OBJ_COPY(oh_client_object(client));
    }
    if (UNEXPECTED(EG(exception) != NULL)) {
        return;
    }
    oh_node_client *node_client = queue(client, call->node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (UNEXPECTED(node_client && EG(exception))) {
        oh_batch_spoil(client, return_value);
    } else if (EXPECTED(node_client)) {
        oh_batch_note(client, node_client, call);
    }
}

static oh_node_client *queue_on(oh_client *client, uint32_t node, const char *method)
{
    return oh_pipes_queue(
        &client->batch->pipes, client, node, oh_phpredis_method(method), false, 0, NULL);
}

bool oh_batch_queue_unseen(
    oh_client *client, uint32_t node, zend_function *function, uint32_t count, zval *arguments)
{
    if (!oh_pipes_queue(&client->batch->pipes, client, node, function, true, count, arguments)) {
        return false;
    }
    client->batch->is_mixed = true;
    append(client->batch, OH_BATCH_SKIP | node);
    return true;
}

/* ---- A transaction inside ---- */

bool oh_batch_begin_transaction(oh_client *client, uint32_t node)
{
    oh_batch *batch = client->batch;

    if (batch->is_spoilt) {
        return true;
    }
    oh_node_client *node_client = queue_on(client, node, "multi");
    if (!node_client) {
        return false;
    }
    oh_split *split = ecalloc(1, sizeof *split);
    split->is_transaction = true;
    split->parts = ecalloc(1, sizeof *split->parts);
    split->parts_count = 1;
    split->parts[0].node = node;
    batch->is_mixed = true;
    node_client->queue.multis++;
    node_client->queue.terms.has_multi = true;
    append(batch, OH_BATCH_SPLIT | keep_split(batch, split));
    return true;
}

bool oh_batch_end_transaction(oh_client *client, uint32_t node, uint32_t queued)
{
    oh_batch *batch = client->batch;

    if (batch->is_spoilt) {
        return true;
    }
    oh_node_client *node_client = queue_on(client, node, "exec");
    if (!node_client) {
        return false;
    }
    node_client->queue.count--; /* The transaction's one reply was counted at MULTI. */
    batch->splits[batch->splits_count - 1]->queued = queued;
    return true;
}

void oh_batch_discard_transaction(oh_client *client, uint32_t node)
{
    oh_batch *batch = client->batch;

    if (batch->is_spoilt) {
        return;
    }
    if (!oh_batch_end_transaction(client, node, 0)) {
        empty(batch);
        batch->is_spoilt = true;
        return;
    }
    oh_node_client *node_client = oh_pipes_node_client(&batch->pipes, client, node);
    oh_discards_add(&node_client->queue.terms.discards, node_client->queue.multis);
    batch->commands[batch->commands_count - 1] = OH_BATCH_SKIP | node;
}

bool oh_batch_is_first(oh_batch *batch, zend_string *name)
{
    if (batch->is_spoilt) {
        return false;
    }
    if (!batch->once) {
        batch->once = zend_new_array(8);
    }
    return zend_hash_add_empty_element(batch->once, name) != NULL;
}

static bool queue_part(oh_client *client, const oh_split *split, oh_part *part)
{
    oh_pipes *pipes = &client->batch->pipes;
    oh_express_call call = oh_call_part_as_express(client, split, part);

    if (oh_pipes_write(pipes, client, part->node, split->method, &call)) {
        return true;
    }
    oh_node_client *node_client =
        EG(exception) ? NULL
                      : oh_pipes_queue(pipes, client, part->node, split->method->original,
                            split->terms.is_read_only, part->count, part->arguments);

    if (!node_client) {
        return false;
    }
    add_terms(node_client, &split->terms);
    if (split->terms.preface) {
        node_client->queue.terms.preface = split->terms.preface;
    }
    return true;
}

/*
 * If phpredis refuses a part, the command fails. The replies of its parts that are already queued
 * are skipped.
 */
void oh_batch_call_parts(oh_client *client, oh_split *split, zval *return_value)
{
    oh_batch *batch = client->batch;
    uint32_t queued = 0;

    batch->is_mixed = true;
    if (batch->is_spoilt) {
        oh_split_free(split);
        RETURN_OBJ_COPY(oh_client_object(client));
    }
    while (queued < split->parts_count && client->batch == batch && !EG(exception) &&
           queue_part(client, split, &split->parts[queued])) {
        queued++;
    }
    /* The script's own code has ended the batch while a value was packed. */
    if (UNEXPECTED(client->batch != batch)) {
        oh_split_free(split);
        RETURN_FALSE;
    }
    if (queued < split->parts_count) {
        for (uint32_t i = 0; i < queued; i++) {
            append(batch, OH_BATCH_SKIP | split->parts[i].node);
        }
        oh_split_free(split);
        RETVAL_FALSE;
    } else {
        append(batch, OH_BATCH_SPLIT | keep_split(batch, split));
        RETVAL_OBJ_COPY(oh_client_object(client));
    }
    /* Arguments that phpredis does not accept at all leave the batch as it was. */
    if (UNEXPECTED(EG(exception) && queued > 0)) {
        oh_batch_spoil(client, return_value);
    }
}

/* ---- Sending ---- */

static void exec_everywhere(oh_client *client, oh_batch *batch, zval *return_value)
{
    uint32_t count = batch->pipes.count;
    oh_node_call *node_calls = safe_emalloc(count, sizeof *node_calls, 0);
    oh_reply_cursor *cursors = oh_pipes_exec(&batch->pipes, client, node_calls);

    if (cursors && count == 1 && !batch->is_mixed && !oh_scatter_has_failures(node_calls, 1)) {
        /* Everything went to one node, so its replies are the result. */
        ZVAL_COPY_VALUE(return_value, &node_calls[0].reply);
        ZVAL_UNDEF(&node_calls[0].reply);
    } else if (cursors) {
        oh_batch_replies(client, batch, node_calls, cursors, return_value);
    }
    if (cursors) {
        oh_scatter_free(node_calls, count);
        efree(cursors);
    }
    efree(node_calls);
}

static void exec(oh_client *client, oh_batch *batch, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(batch->is_spoilt)) {
        oh_failure_throw_plain(OH_SAY_BATCH_UNPACKED);
    } else if (batch->pipes.count == 0) {
        array_init(return_value);
    } else if (batch->pipes.count == 1 && !batch->is_mixed &&
               !batch->pipes.node_clients[0]->queue.is_express &&
               !batch->pipes.node_clients[0]->moving) {
        /* Everything went to one node client, so its reply is the result. */
        oh_node_client *node_client = batch->pipes.node_clients[0];

        oh_call_on_node_client(node_client, NULL, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        zend_object *failure = EG(exception) ? NULL : oh_pipes_rest(client, node_client);
        if (UNEXPECTED(failure != NULL)) {
            zval_ptr_dtor(return_value);
            ZVAL_NULL(return_value);
            oh_failure_throw(failure);
        }
    } else {
        exec_everywhere(client, batch, return_value);
    }
}

/* ---- The methods ---- */

void oh_batch_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (!client->batch) {
        client->batch = ecalloc(1, sizeof *client->batch);
    }
    client->mode = OH_PIPELINE;
    client->is_closed = false;
    RETURN_OBJ_COPY(oh_client_object(client));
}

void oh_batch_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_batch *batch = client->batch;

    /*
     * The batch is closed before anything is sent: calls that the script makes while its values are
     * unpacked are not queued.
     */
    client->batch = NULL;
    client->mode = OH_ATOMIC;
    oh_pipes_close(&batch->pipes);
    exec(client, batch, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    clear(batch);
    efree(batch);
}

void oh_batch_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_batch_drop(client);
    RETURN_TRUE;
}
