/*
 * The table of modes, and the methods that change the mode. Each method calls the function in the
 * row of the current mode.
 */
#include "php/base/zend.h"

#include "php/batch/batch.h"
#include "php/call/call.h"
#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/exception/exception.h"
#include "php/module/module.h"
#include "php/route/route.h"
#include "php/scatter/parts.h"
#include "php/transaction/transaction.h"
#include "php/userland/userland.h"

/* phpredis' constants ATOMIC, MULTI, PIPELINE. */
#define NUMBER_ATOMIC 0
#define NUMBER_MULTI 1
#define NUMBER_PIPELINE 2

/* ---- Refusals ---- */

static void stay(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    RETURN_OBJ_COPY(oh_client_object(client));
}

static void return_false(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    RETURN_FALSE;
}

static void refuse_pipeline(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_in_transaction(execute_data, OH_ADVICE_NOT_IN_PIPELINE);
}

static void refuse_watch(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_refuse_in_transaction(execute_data, OH_REASON_WATCH_LATE);
}

static void refuse_in_pipeline(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_failure_throw_plain(
        OH_SAY_NOT_IN_PIPELINE, ZSTR_VAL(execute_data->func->common.function_name));
}

/* A connection with WATCH cannot be part of a pipeline. */
static void open_in_pipeline(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->transaction) {
        oh_failure_throw_plain(OH_SAY_PIPELINE_WATCHED);
    } else {
        oh_transaction_open(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- The table ---- */

static const oh_mode modes[OH_MODES_COUNT] = {
    [OH_ATOMIC] =
        {
            .number = NUMBER_ATOMIC,
            .call = oh_call_now,
            .call_parts = oh_parts_call,
            .carry_out = oh_plan_spread,
            .pipeline = oh_batch_open,
            .multi = oh_transaction_open,
            .exec = oh_state_forward_for, /* phpredis' result when there is nothing to execute. */
            .discard = return_false,
            .watch = oh_transaction_watch,
            .unwatch = oh_transaction_unwatch,
        },
    [OH_PIPELINE] =
        {
            .number = NUMBER_PIPELINE,
            .call = oh_batch_call,
            .call_parts = oh_batch_call_parts,
            .carry_out = oh_plan_spread,
            .pipeline = oh_batch_open,
            .multi = open_in_pipeline,
            .exec = oh_batch_exec,
            .discard = oh_batch_discard,
            .watch = refuse_in_pipeline,
            .unwatch = refuse_in_pipeline,
        },
    [OH_MULTI] =
        {
            .number = NUMBER_MULTI,
            .call = oh_transaction_call,
            .carry_out = oh_transaction_carry_out,
            .on_refusal = oh_transaction_on_refusal,
            .pipeline = refuse_pipeline,
            .multi = stay,
            .exec = oh_transaction_exec,
            .discard = oh_transaction_discard,
            .watch = refuse_watch,
            .unwatch = oh_transaction_queue_unwatch,
        },
    [OH_PIPED_MULTI] =
        {
            .number = NUMBER_PIPELINE,
            .call = oh_transaction_call_piped,
            .carry_out = oh_transaction_carry_out,
            .on_refusal = oh_transaction_on_refusal_piped,
            .pipeline = refuse_pipeline,
            .multi = stay,
            .exec = oh_transaction_exec_piped,
            .discard = oh_transaction_discard_piped,
            .watch = refuse_in_pipeline,
            .unwatch = refuse_in_pipeline,
        },
};

void oh_modes_startup(void)
{
    oh_modes = modes;
}

/* ---- The methods ---- */

/* Enters a method without arguments. Returns NULL and throws if there are any. */
static oh_client *enter(zend_execute_data *execute_data)
{
    oh_client *client = oh_client_enter(execute_data);

    return zend_parse_parameters_none() == SUCCESS ? client : NULL;
}

void oh_modes_get(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = enter(execute_data);

    if (client) {
        RETURN_LONG(oh_client_mode(client)->number);
    }
}

/* A spoilt pipeline, or one with a spoilt transaction, ends here: exec() would only fail. */
static void begin_pipeline(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    bool is_spoilt = client->batch && client->batch->is_spoilt;

    if (oh_transaction_forget_refusal(client) || is_spoilt) {
        oh_batch_drop(client);
    }
    oh_client_mode(client)->pipeline(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

void oh_modes_pipeline(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = enter(execute_data);

    if (client) {
        begin_pipeline(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_modes_multi(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long mode = NUMBER_MULTI;

    ZEND_PARSE_PARAMETERS_START(0, 1)
    Z_PARAM_OPTIONAL
    Z_PARAM_LONG(mode)
    ZEND_PARSE_PARAMETERS_END();
    if (!client) {
        return;
    }
    if (mode == NUMBER_PIPELINE) {
        begin_pipeline(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else if (mode == NUMBER_MULTI) {
        oh_transaction_forget_refusal(client);
        oh_client_mode(client)->multi(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    } else {
        php_error_docref(NULL, E_WARNING, "Unknown mode sent to Redis::multi");
        RETURN_FALSE;
    }
}

void oh_modes_exec(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = enter(execute_data);

    if (client) {
        oh_client_mode(client)->exec(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_modes_discard(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = enter(execute_data);

    if (client) {
        oh_client_mode(client)->discard(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_modes_watch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (client) {
        oh_transaction_forget_refusal(client);
        oh_client_mode(client)->watch(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_modes_unwatch(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = enter(execute_data);

    if (client) {
        oh_client_mode(client)->unwatch(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
