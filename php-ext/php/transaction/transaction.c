/*
 * What a script calls, in steps. A step that fails ends the transaction; one that phpredis answers with anything but its
 * own object has queued nothing, and its answer is the caller's.
 */
#include "php_onehop.h"

#include "zend_exceptions.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/batch/deal.h"
#include "php/call/plan.h"
#include "php/transaction/transaction_step.h"

/* ---- Queueing ---- */

/* phpredis would have sent the half of a value whose packing threw. Rather nothing at all is executed. */
static void spoil(oh_client *client)
{
    oh_failure cause;

    oh_failure_set(&cause, OH_ERROR_UNSUPPORTED, OH_OUTCOME_NOT_SENT,
        "see the exception that was thrown when it was queued", "A value of the transaction could not be packed");
    oh_transaction_fail(client, &cause);
}

/* Neither queued nor refused: the node does not keep to MULTI, or phpredis does not in this method. */
static void lose_track(oh_client *client, oh_lane *lane)
{
    oh_failure_set(&lane->failure, OH_ERROR_PROTOCOL_VIOLATION, OH_OUTCOME_MAYBE_EXECUTED,
        "check what listens there, or call this method outside of a transaction",
        "The command was neither queued nor refused");
    zend_object *exception = oh_lane_failure(lane);

    oh_transaction_fail(client, &lane->failure);
    oh_failure_throw(exception);
}

static void queue(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    oh_lane *lane = client->transaction.lane;
    bool is_inner = oh_transaction_begin_step(lane, false);

    oh_lane_call_in_frame(lane, method, execute_data, return_value);
    bool is_queued = Z_TYPE_P(return_value) == IS_OBJECT && Z_OBJ_P(return_value) == lane->redis;
    bool was_sent = lane->transport && lane->transport->exchange.state != OH_EXCHANGE_IDLE;
    bool is_astray = was_sent && !is_queued && !lane->transport->exchange.has_refusal;

    if (UNEXPECTED(is_astray) && client->transaction.lane == lane && !EG(exception) && !oh_lane_has_failed(lane)) {
        lose_track(client, lane);
    }
    if (!oh_transaction_end_step(client, lane, is_inner)) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        if (!EG(exception)) {
            oh_transaction_refuse(execute_data, "it was ended by the script's own code while a value was packed");
        }
    } else if (EG(exception) && !was_sent && lane->transport && lane->transport->was_withheld) {
        spoil(client);
    } else if (is_queued) {
        client->transaction.queued++;
        zval_ptr_dtor(return_value);
        ZVAL_OBJ_COPY(return_value, oh_client_object(client));
    }
}

static void queue_on(oh_client *client, uint32_t node, oh_call_key key, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction *transaction = &client->transaction;

    if (transaction->ending) {
        oh_transaction_throw_again(client);
    } else if (transaction->is_piped) {
        oh_transaction_queue_piped(client, node, key, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (transaction->lane && oh_transaction_is_elsewhere(client, key, node)) {
        oh_transaction_refuse_other_node(client, key, node);
    } else if ((transaction->lane || oh_transaction_bind(client, node, key)) &&
               (transaction->is_begun || oh_transaction_send_multi(client))) {
        queue(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_transaction_queue(oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    zval *argument = method->key && ZEND_NUM_ARGS() >= method->key ? ZEND_CALL_ARG(execute_data, method->key) : NULL;
    oh_call_key key = {.text = argument && Z_TYPE_P(argument) == IS_STRING ? Z_STR_P(argument) : NULL};

    queue_on(client, node, key, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

/* Where the transaction is: for what any node could do, and for what is about the transaction itself. */
static void queue_anywhere(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_transaction *transaction = &client->transaction;

    if (transaction->is_begun || transaction->lane || transaction->ending) {
        queue_on(client, transaction->node, (oh_call_key){NULL, false}, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_transaction_refuse(execute_data, "queue a command with a key first: it says which node");
    }
}

void oh_transaction_queue_planned(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->transaction.ending) {
        oh_transaction_throw_again(client);
    } else if (plan->spread == OH_SPREAD_ONE_NODE) {
        queue_on(client, plan->node, plan->key, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (plan->spread == OH_SPREAD_ANY_NODE) {
        queue_anywhere(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_transaction_refuse(execute_data, "it concerns every node: call it before multi() or after exec()");
    }
}

/* ---- multi ---- */

static void refuse_in_pipeline(zend_execute_data *execute_data)
{
    oh_failure_throw_plain(OH_ERROR_UNSUPPORTED, "call exec() or discard() first",
        "OneHop\\Redis::%s() has no place in a pipeline", ZSTR_VAL(execute_data->func->common.function_name));
}

static void open_transaction(oh_client *client, zval *return_value)
{
    /* What failed was told when it failed: whoever calls multi() after that begins anew. */
    if (client->transaction.ending) {
        oh_transaction_drop(client);
    }
    client->transaction.is_open = true;
    client->transaction.is_piped = client->batch.is_open;
    client->is_closed = false;
    RETURN_OBJ_COPY(oh_client_object(client));
}

void oh_transaction_multi(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    zend_long mode = OH_MODE_MULTI;

    ZEND_PARSE_PARAMETERS_START(0, 1)
        Z_PARAM_OPTIONAL
        Z_PARAM_LONG(mode)
    ZEND_PARSE_PARAMETERS_END();
    if (!client) {
        return;
    }
    if (mode == OH_MODE_PIPELINE) {
        oh_batch_open(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (mode != OH_MODE_MULTI) {
        php_error_docref(NULL, E_WARNING, "Unknown mode sent to Redis::multi");
        RETURN_FALSE;
    } else if (client->batch.is_open && client->transaction.is_watching) {
        refuse_in_pipeline(execute_data);
    } else {
        open_transaction(client, return_value);
    }
}

/* ---- exec, discard ---- */

/* An error in the place of the replies: EXECABORT, because a command was refused when it was queued, and the like. */
static void throw_refusal(const oh_exchange *exchange)
{
    const oh_wire *wire = &exchange->held->wire;
    zend_string *text = zend_string_init(wire->refusal, wire->refusal_length, false);

    zend_throw_exception(oh_phpredis_exception_class, ZSTR_VAL(text), 0);
    zend_string_release(text);
}

/* Closed before anything is sent: what a script calls while its values are unpacked is not queued any more. */
static void run_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction transaction = client->transaction;
    oh_lane *lane = transaction.lane;
    bool is_clean = false;

    memset(&client->transaction, 0, sizeof client->transaction);
    oh_lane_enter(lane, (oh_call_terms){.is_exec = true, .exec_count = transaction.queued}, NULL);
    oh_lane_call_in_frame(lane, oh_method_of(execute_data), execute_data, return_value);
    if (oh_lane_has_failed(lane) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        if (lane->failure.outcome == OH_OUTCOME_NOT_SENT) {
            lane->failure.advice = OH_ADVICE_AGAIN;
        }
        oh_failure_throw(oh_lane_failure(lane));
    } else if (lane->transport && lane->transport->exchange.held) {
        is_clean = !lane->transport->exchange.has_refusal;
        if (!is_clean && !EG(exception)) {
            throw_refusal(&lane->transport->exchange);
        }
    }
    oh_lane_leave(lane);
    oh_transaction_end(&transaction, is_clean);
}

static void exec_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction *transaction = &client->transaction;

    if (transaction->ending) {
        oh_transaction_throw_again(client);
        oh_transaction_drop(client);
    } else if (transaction->is_piped) {
        oh_transaction_exec_piped(client, return_value);
    } else if (!transaction->lane) {
        oh_transaction_drop(client);
        array_init(return_value);
    } else if (transaction->is_begun || oh_transaction_send_multi(client)) {
        run_exec(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        oh_transaction_drop(client);
    }
}

void oh_transaction_exec(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->transaction.is_open) {
        exec_open(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (client) {
        oh_batch_exec(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* The node is told to forget what it was told. If it cannot be, its connection is closed, which says the same. */
static void forget(oh_client *client)
{
    oh_transaction transaction = client->transaction;
    oh_lane *lane = transaction.lane;

    memset(&client->transaction, 0, sizeof client->transaction);
    if (!lane) {
        oh_transaction_end(&transaction, true);
        return;
    }
    oh_lane_enter(lane, (oh_call_terms){.is_read_only = false}, NULL);
    bool is_clean = oh_lane_tell(lane, transaction.is_begun ? "discard" : "unwatch") && !oh_lane_has_failed(lane);
    if (oh_lane_has_failed(lane) && !oh_is_script_ending()) {
        OBJ_RELEASE(oh_lane_failure(lane));
    }
    oh_lane_leave(lane);
    oh_transaction_end(&transaction, is_clean);
}

void oh_transaction_discard(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->transaction.is_piped) {
        oh_transaction_drop(client); /* phpredis drops the whole pipeline: */
    }
    if (client && client->transaction.is_open) {
        forget(client);
        RETURN_TRUE;
    }
    if (client) {
        oh_batch_discard(client, return_value);
    }
}

/* ---- watch, unwatch ---- */

static void watch_on(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_transaction *transaction = &client->transaction;

    if (transaction->lane && transaction->node != plan->node) {
        oh_transaction_refuse_other_node(client, plan->key, plan->node);
        return;
    }
    if (!transaction->lane && !oh_transaction_bind(client, plan->node, plan->key)) {
        return;
    }
    oh_lane *lane = transaction->lane;
    bool is_inner = oh_transaction_begin_step(lane, true);

    oh_lane_call_in_frame(lane, oh_method_of(execute_data), execute_data, return_value);
    if (!oh_transaction_end_step(client, lane, is_inner)) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
    } else if (Z_TYPE_P(return_value) == IS_TRUE) {
        transaction->is_watching = true;
    } else if (!transaction->is_watching) {
        oh_transaction_drop(client);
    }
}

void oh_transaction_watch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    oh_plan plan;

    if (!client) {
        return;
    }
    if (client->transaction.ending) {
        oh_transaction_drop(client);
    }
    if (client->batch.is_open) {
        refuse_in_pipeline(execute_data);
    } else if (client->transaction.is_open) {
        oh_transaction_refuse(execute_data, "call it before multi()");
    } else if (oh_plan_make(client, execute_data, &plan)) {
        watch_on(client, &plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        oh_plan_free(&plan);
    }
}

void oh_transaction_unwatch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (!client) {
        return;
    }
    if (client->batch.is_open) {
        refuse_in_pipeline(execute_data);
    } else if (client->transaction.is_open) {
        queue_anywhere(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        forget(client);
        RETURN_TRUE;
    }
}
