/*
 * The methods that a script calls; each consists of steps. A step that fails on the node ends the
 * transaction. If phpredis returns anything but its own object, it has queued nothing, and the
 * caller gets what it returned.
 */
#include "php/base/zend.h"

#include "zend_exceptions.h"

#include "php/call/keys.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"
#include "php/exception/exception.h"
#include "php/transaction/transaction.h"

/* ---- Queueing ---- */

/*
 * Ends the transaction after a value could not be packed, because phpredis may have queued half of
 * that command.
 */
static void spoil(oh_client *client)
{
    oh_failure cause;

    oh_failure_set(&cause, OH_OUTCOME_NOT_SENT, OH_SAY_TRANSACTION_UNPACKED);
    oh_transaction_spoil(client, &cause, false);
}

/*
 * Ends the transaction after a command that was neither queued nor refused: the node, or this
 * method of phpredis, ignores MULTI.
 */
static void lose_track(oh_client *client, oh_node_client *node_client)
{
    oh_failure_set(&node_client->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_NOT_QUEUED_BY_NODE);
    zend_object *exception = oh_node_client_failure(node_client);

    oh_transaction_drop(client);
    oh_failure_throw(exception);
}

static void queue(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    oh_node_client *node_client = client->transaction->node_client;
    const oh_promise *promise = method->promise ? &client->transaction->promise.of_command : NULL;
    bool is_inner = oh_transaction_begin_step(node_client, (oh_call_terms){.promise = promise});

    oh_node_client_call_in_frame(node_client, method, execute_data, return_value);
    bool is_queued =
        Z_TYPE_P(return_value) == IS_OBJECT && Z_OBJ_P(return_value) == node_client->redis;
    bool was_sent =
        node_client->transport && !oh_exchange_is_idle(&node_client->transport->exchange);
    bool is_astray =
        was_sent && !is_queued && !oh_exchange_has_error_reply(&node_client->transport->exchange);

    if (UNEXPECTED(is_astray) && client->transaction &&
        client->transaction->node_client == node_client && !EG(exception) &&
        !oh_node_client_has_failed(node_client)) {
        lose_track(client, node_client);
    }
    if (!oh_transaction_end_step(client, node_client, is_inner)) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        if (!EG(exception)) {
            oh_refuse_in_transaction(execute_data, OH_REASON_TRANSACTION_ENDED);
        }
    } else if (EG(exception) && !was_sent && node_client->transport &&
               node_client->transport->was_withheld) {
        spoil(client);
    } else if (is_queued) {
        client->transaction->queued++;
        zval_ptr_dtor(return_value);
        ZVAL_OBJ_COPY(return_value, oh_client_object(client));
    }
}

void oh_transaction_call(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = client->transaction;

    if (UNEXPECTED(oh_method_of(execute_data)->is_iterated)) {
        oh_refuse(execute_data, NULL, OH_ADVICE_ITERATED);
    } else if (transaction->ending) {
        oh_transaction_throw_again(client);
    } else if (transaction->node_client &&
               oh_transaction_is_elsewhere(client, call->key, call->node)) {
        oh_transaction_refuse_other_node(client, call->key, call->node);
    } else if ((transaction->node_client || oh_transaction_bind(client, call->node, call->key)) &&
               (transaction->is_begun || oh_transaction_send_multi(client))) {
        queue(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/*
 * Runs a command on the transaction's node: one that any node could serve, or one about the
 * transaction itself.
 */
static void call_anywhere(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = client->transaction;
    oh_call here = {.node = transaction->node};

    if (transaction->is_begun || transaction->node_client || transaction->ending) {
        oh_client_mode(client)->call(client, &here, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_refuse_in_transaction(execute_data, OH_REASON_TRANSACTION_WITHOUT_NODE);
    }
}

void oh_transaction_carry_out(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->transaction->ending) {
        oh_transaction_throw_again(client);
    } else if (plan->spread == OH_SPREAD_ONE_NODE) {
        oh_client_mode(client)->call(client, &plan->call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (plan->spread == OH_SPREAD_ANY_NODE) {
        call_anywhere(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_refuse_in_transaction(execute_data, OH_REASON_TRANSACTION_ALL_NODES);
    }
}

/* ---- multi ---- */

void oh_transaction_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (!client->transaction) {
        client->transaction = oh_transaction_new();
    }
    client->mode = client->batch ? OH_PIPED_MULTI : OH_MULTI;
    client->is_closed = false;
    RETURN_OBJ_COPY(oh_client_object(client));
}

/* ---- exec, discard ---- */

/*
 * Throws the error that EXEC returned instead of replies, for example EXECABORT after a command was
 * refused when it was queued.
 */
static void throw_error_reply(const oh_exchange *exchange)
{
    oh_text error_reply = oh_exchange_held_error_reply(exchange);
    zend_string *text = zend_string_init(error_reply.bytes, error_reply.length, false);

    zend_throw_exception(oh_phpredis_exception_class, ZSTR_VAL(text), 0);
    zend_string_release(text);
}

/*
 * Closes the transaction before EXEC is sent. So calls that the script makes while values are
 * unpacked are not queued.
 */
static void run_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction *transaction = oh_transaction_take(client);
    oh_node_client *node_client = transaction->node_client;
    bool is_clean = false;

    const oh_promise *promise = transaction->promise.count ? &transaction->promise.of_exec : NULL;
    oh_call_terms terms = {.is_exec = true, .exec_count = transaction->queued, .promise = promise};

    oh_node_client_enter(node_client, &terms, NULL);
    oh_node_client_call_in_frame(
        node_client, oh_method_of(execute_data), execute_data, return_value);
    if (oh_node_client_has_failed(node_client) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        if (node_client->failure.outcome == OH_OUTCOME_NOT_SENT) {
            node_client->failure.advice = OH_ADVICE_AGAIN;
        }
        oh_failure_throw(oh_node_client_failure(node_client));
    } else if (node_client->transport && oh_exchange_holds(&node_client->transport->exchange)) {
        is_clean = !oh_exchange_has_error_reply(&node_client->transport->exchange);
        if (!is_clean && !EG(exception)) {
            throw_error_reply(&node_client->transport->exchange);
        }
    }
    oh_node_client_leave(node_client);
    oh_transaction_release(transaction, is_clean);
}

void oh_transaction_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = client->transaction;

    if (transaction->ending) {
        oh_transaction_throw_last(client);
    } else if (!transaction->node_client) {
        oh_transaction_drop(client);
        array_init(return_value);
    } else if (transaction->is_begun || oh_transaction_send_multi(client)) {
        run_exec(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_transaction_drop(client);
    }
}

/* Sends DISCARD or UNWATCH. If that fails, the connection is closed, which has the same effect. */
static void forget(oh_client *client)
{
    oh_transaction *transaction = oh_transaction_take(client);
    oh_node_client *node_client = transaction->node_client;

    if (!node_client) {
        oh_transaction_release(transaction, true);
        return;
    }
    oh_node_client_enter(node_client, &(oh_call_terms){.is_read_only = false}, NULL);
    const char *end = transaction->is_begun ? "discard" : "unwatch";
    bool is_clean = oh_node_client_invoke(node_client, end) == IS_TRUE &&
                    !oh_node_client_has_failed(node_client);
    if (oh_node_client_has_failed(node_client) && !oh_is_script_ending()) {
        OBJ_RELEASE(oh_node_client_failure(node_client));
    }
    oh_node_client_leave(node_client);
    oh_transaction_release(transaction, is_clean);
}

void oh_transaction_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    forget(client);
    RETURN_TRUE;
}

/* ---- watch, unwatch ---- */

static void watch_on(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->transaction && client->transaction->node != call->node) {
        oh_transaction_refuse_other_node(client, call->key, call->node);
        return;
    }
    if (!client->transaction && !oh_transaction_bind(client, call->node, call->key)) {
        return;
    }
    oh_node_client *node_client = client->transaction->node_client;
    bool is_inner = oh_transaction_begin_step(node_client, (oh_call_terms){.is_read_only = true});

    oh_node_client_call_in_frame(
        node_client, oh_method_of(execute_data), execute_data, return_value);
    if (!oh_transaction_end_step(client, node_client, is_inner)) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
    } else if (Z_TYPE_P(return_value) == IS_TRUE) {
        client->transaction->is_watching = true;
    } else if (!client->transaction->is_watching) {
        oh_transaction_drop(client);
    }
}

void oh_transaction_watch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_plan plan;

    if (!oh_plan_make(client, execute_data, &plan)) {
        return;
    }
    /* Converting a key to text ran code of the script, which has changed the mode. */
    if (UNEXPECTED(client->mode != OH_ATOMIC)) {
        oh_client_mode(client)->watch(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        watch_on(client, &plan.call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
    oh_plan_free(&plan);
}

void oh_transaction_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->transaction) {
        forget(client);
    }
    RETURN_TRUE;
}

void oh_transaction_queue_unwatch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    call_anywhere(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* ---- Refusing a command that would leave the node, or the slot, of its transaction ---- */

#define PLACE_BYTES (OH_MESSAGE_BYTES_MAX + 32)

/* Writes the name of a node or, in a cluster, the slot of a key. */
static const char *name_place(
    const oh_client *client, bool has_key, uint32_t home, uint32_t node, char place[PLACE_BYTES])
{
    oh_text name = oh_topology_node(client->snapshot->topology, node).name;
    oh_quoted quoted;

    if (client->snapshot->is_cluster && has_key) {
        snprintf(place, PLACE_BYTES, OH_REASON_BOUND_SLOT, (unsigned)home);
    } else {
        snprintf(place, PLACE_BYTES, OH_REASON_BOUND_NODE,
            oh_quote_name(&quoted, name.bytes, name.length));
    }
    return place;
}

void oh_transaction_refuse_other_node(oh_client *client, oh_call_key key, uint32_t node)
{
    const oh_transaction *transaction = client->transaction;
    char own[PLACE_BYTES], place[PLACE_BYTES], by[PLACE_BYTES] = "", other[2 * PLACE_BYTES];
    oh_quoted quoted;
    oh_failure failure;

    name_place(client, transaction->key, transaction->home, transaction->node, own);
    if (transaction->key) {
        snprintf(by, sizeof by, OH_REASON_BOUND_BY,
            oh_quote_name(&quoted, ZSTR_VAL(transaction->key), ZSTR_LEN(transaction->key)));
    }
    if (key.text) {
        zend_string *name = oh_transaction_key(client, key);
        uint32_t home = oh_keys_home(client, key.text, key.is_unprefixed);

        snprintf(other, sizeof other, OH_REASON_BOUND_KEY,
            oh_quote_name(&quoted, ZSTR_VAL(name), ZSTR_LEN(name)),
            name_place(client, true, home, node, place));
        zend_string_release(name);
    } else {
        snprintf(other, sizeof other, OH_REASON_BOUND_COMMAND,
            name_place(client, false, 0, node, place));
    }
    oh_failure_set(&failure, OH_OUTCOME_NOT_SENT, OH_SAY_BOUND, own, by, other);
    if (client->snapshot->is_cluster) {
        failure.advice = OH_ADVICE_BOUND_IN_CLUSTER;
    } else if (!client->snapshot->pool->has_hash_tag) {
        failure.advice = OH_ADVICE_BOUND_UNTAGGED;
    }
    oh_refuse_for(client, &failure);
}
