/*
 * phpredis' exec() writes all queued commands and reads all replies. So a pipeline is one call of a
 * scatter.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/phpredis/express_call.h"
#include "php/scatter/pipes.h"

/* ---- Filling ---- */

static void keep(oh_pipes *pipes, oh_node_client *node_client)
{
    if (pipes->count == pipes->capacity) {
        uint32_t capacity = pipes->capacity ? pipes->capacity * 2 : 16;

        pipes->node_clients =
            safe_erealloc(pipes->node_clients, capacity, sizeof *pipes->node_clients, 0);
        pipes->capacity = capacity;
    }
    pipes->node_clients[pipes->count++] = node_client;
}

static void begin(oh_pipes *pipes, oh_node_client *node_client, bool is_express)
{
    node_client->queue = (oh_node_client_queue){
        .pipes = pipes, .is_express = is_express, .terms.is_read_only = true};
    node_client->is_reserved = true;
    keep(pipes, node_client);
}

oh_node_client *oh_pipes_open_express(oh_pipes *pipes, oh_client *client, uint32_t node)
{
    oh_node_client *node_client = oh_node_client_take(client, node);

    if (node_client) {
        begin(pipes, node_client, true);
    }
    return node_client;
}

bool oh_pipes_hand_over(oh_pipes *pipes)
{
    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_node_client *node_client = pipes->node_clients[i];

        if (node_client->queue.is_express && !oh_express_call_hand_over(node_client)) {
            return false;
        }
    }
    return true;
}

oh_node_client *oh_pipes_open(oh_pipes *pipes, oh_client *client, uint32_t node)
{
    oh_node_client *node_client = oh_pipes_find(pipes, client, node);

    if (node_client) {
        return oh_express_call_hand_over(node_client) ? node_client : NULL;
    }
    node_client = oh_node_client_take(client, node);
    if (!node_client) {
        return NULL;
    }
    if (oh_node_client_invoke(node_client, "pipeline") != IS_OBJECT) {
        if (!EG(exception)) {
            zend_throw_error(NULL, "phpredis could not begin a pipeline");
        }
        return NULL;
    }
    begin(pipes, node_client, false);
    return node_client;
}

oh_node_client *oh_pipes_queue(oh_pipes *pipes, oh_client *client, uint32_t node,
    zend_function *function, bool is_read_only, uint32_t count, zval *arguments)
{
    oh_node_client *node_client = oh_pipes_node_client(pipes, client, node);
    zval answer;

    if (!node_client) {
        return NULL;
    }
    ZVAL_UNDEF(&answer);
    oh_node_client_hold(node_client);
    oh_node_client_call(node_client, function, count, arguments, &answer);
    bool is_queued = oh_pipes_took(node_client, is_read_only, &answer);
    oh_node_client_let_go(node_client);
    if (!is_queued) {
        zval_ptr_dtor(&answer);
    }
    return is_queued ? node_client : NULL;
}

/* ---- Leaving ---- */

/* Makes phpredis drop its queue and leave pipeline mode. */
static void leave(oh_node_client *node_client)
{
    /*
     * At the very end of a request no method can be called. phpredis' memory is freed with the
     * request.
     */
    if (node_client->redis && EG(active) && !node_client->queue.is_express) {
        oh_node_client_invoke(node_client, "discard");
    }
    oh_node_client_forget_queue(node_client);
    node_client->is_reserved = false;
}

void oh_pipes_drop(oh_pipes *pipes)
{
    zend_object *pending = EG(exception);
    const zend_op *opline = EG(opline_before_exception);

    /* Zend calls no method while an exception is pending, but discard() must be called. */
    EG(exception) = NULL;
    for (uint32_t i = 0; i < pipes->count; i++) {
        leave(pipes->node_clients[i]);
    }
    if (pending) {
        zend_clear_exception();
        EG(exception) = pending;
        EG(opline_before_exception) = opline;
    }
    oh_pipes_free(pipes);
}

void oh_pipes_free(oh_pipes *pipes)
{
    if (pipes->node_clients) {
        efree(pipes->node_clients);
    }
    *pipes = (oh_pipes){.node_clients = NULL};
}

void oh_pipes_close(oh_pipes *pipes)
{
    uint32_t chosen = 0;

    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_node_client *node_client = pipes->node_clients[i];

        if (node_client->queue.count) {
            pipes->node_clients[chosen++] = node_client;
            node_client->queue.pipes = NULL;
            node_client->is_reserved = false;
        } else {
            leave(node_client);
        }
    }
    pipes->count = chosen;
}

/* ---- Sending ---- */

/*
 * A node that refuses a command of a transaction executes none of it. phpredis then returns fewer
 * replies, or wrong ones.
 */
void oh_pipes_exec_error(oh_failure *failure)
{
    oh_failure_set(failure, OH_OUTCOME_ANSWERED, OH_SAY_EXEC_REFUSED);
}

zend_object *oh_pipes_rest(const oh_client *client, const oh_node_client *node_client)
{
    const oh_transport *transport = node_client->transport;
    oh_failure failure;

    if (!transport || transport->exchange.ssdb || !oh_transport_has_rest(transport)) {
        return NULL;
    }
    oh_node node = oh_topology_node(client->snapshot->topology, node_client->node);
    oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_UNEXPECTED_FORM);
    return oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
}

/*
 * phpredis returns one reply per command. If the count differs, or bytes are left, no reply can be
 * matched to its command.
 */
static void check_count(oh_client *client, oh_node_call *node_call)
{
    bool is_list = Z_TYPE(node_call->reply) == IS_ARRAY;
    uint32_t count = is_list ? zend_hash_num_elements(Z_ARRVAL(node_call->reply)) : 0;
    const oh_transport *transport = node_call->node_client->transport;
    oh_failure failure;

    if (node_call->failure) {
        return;
    }
    if (is_list && count == node_call->expected) {
        node_call->failure = oh_pipes_rest(client, node_call->node_client);
        return;
    }
    oh_node node = oh_topology_node(client->snapshot->topology, node_call->node_client->node);
    if (!is_list && transport && oh_exchange_has_error_reply(&transport->exchange)) {
        oh_pipes_exec_error(&failure);
    } else {
        oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_REPLIES_MISSING, (unsigned)count,
            (unsigned)node_call->expected);
    }
    node_call->failure =
        oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
}

/*
 * Commands whose keys move may have failed one by one, while others were answered. The reply of
 * such a command becomes its failure, as an exception.
 */
static void take_refusals(oh_node_call *node_call)
{
    const oh_moving *moving = node_call->node_client->moving;
    uint32_t count = 0;
    const oh_refusal *refused = moving ? oh_moving_refusals(moving, &count) : NULL;

    if (EXPECTED(count == 0) || node_call->failure) {
        return;
    }
    SEPARATE_ARRAY(&node_call->reply);
    node_call->refusals = safe_emalloc(count, sizeof *node_call->refusals, 0);
    for (uint32_t i = 0; i < count; i++) {
        zval *reply = zend_hash_index_find(Z_ARRVAL(node_call->reply), refused[i].command);
        uint32_t last = node_call->refusals_count;

        if (last == 0 || refused[i].failure != refused[i - 1].failure) {
            node_call->refusals[node_call->refusals_count++] = oh_node_client_exception(
                node_call->node_client, oh_moving_failure(moving, &refused[i]), NULL);
            last++;
        }
        if (reply) {
            zval_ptr_dtor(reply);
            ZVAL_OBJ_COPY(reply, node_call->refusals[last - 1]);
        }
    }
}

oh_reply_cursor *oh_pipes_collect(oh_client *client, oh_node_call *node_calls, uint32_t count)
{
    oh_reply_cursor *cursors = ecalloc(client->snapshot->nodes_count, sizeof *cursors);

    for (uint32_t i = 0; i < count; i++) {
        oh_reply_cursor *cursor = &cursors[node_calls[i].node_client->node];

        check_count(client, &node_calls[i]);
        take_refusals(&node_calls[i]);
        cursor->node_client = node_calls[i].node_client;
        cursor->failure = node_calls[i].failure;
        cursor->has_refusals = node_calls[i].refusals != NULL;
        cursor->replies = cursor->failure ? NULL : Z_ARRVAL(node_calls[i].reply);
    }
    return cursors;
}

oh_reply_cursor *oh_pipes_exec(oh_pipes *pipes, oh_client *client, oh_node_call *node_calls)
{
    for (uint32_t i = 0; i < pipes->count; i++) {
        oh_node_client *node_client = pipes->node_clients[i];

        node_calls[i] = (oh_node_call){.node_client = node_client,
            .express = node_client->queue.is_express ? oh_express_call_exec : NULL,
            .function = oh_phpredis_method("exec"),
            .expected = node_client->queue.count};
    }
    return oh_scatter_run(node_calls, pipes->count)
               ? oh_pipes_collect(client, node_calls, pipes->count)
               : NULL;
}
