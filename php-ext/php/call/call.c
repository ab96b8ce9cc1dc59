/*
 * Where a verdict becomes an exception: phpredis' own answer to a failed exchange, a false or an exception of its own,
 * is replaced by what really happened.
 */
#include "php_onehop.h"

#include "php/exception/exception.h"
#include "php/call/call.h"
#include "php/client/client.h"
#include "php/call/plan.h"
#include "php/call/refuse.h"

void oh_call_on_lane(oh_lane *lane, oh_call_terms terms, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);

    terms.is_iterated = method->is_iterated;
    oh_lane_enter(lane, terms, NULL);
    oh_lane_call_in_frame(lane, method, execute_data, return_value);
    if (UNEXPECTED(oh_lane_has_failed(lane)) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        oh_failure_throw(oh_lane_failure(lane));
    }
    oh_lane_leave(lane);
}

/* SCAN and its kin: each answer says where to go on. */
static bool refuse_iterated(zend_execute_data *execute_data)
{
    if (EXPECTED(!oh_method_of(execute_data)->is_iterated)) {
        return false;
    }
    oh_refuse(execute_data, NULL, "it is a conversation, in which each answer says where to go on: call it outside");
    return true;
}

void oh_call_on_node(oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(oh_transaction_is_open(client)) || client->batch.is_open) {
        if (UNEXPECTED(refuse_iterated(execute_data))) {
            return;
        }
        if (UNEXPECTED(oh_transaction_is_open(client))) {
            oh_transaction_queue(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        } else {
            oh_batch_queue(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        }
        return;
    }
    oh_lane *lane = oh_lane_take(client, node);
    if (EXPECTED(lane)) {
        oh_call_terms terms = {.is_read_only = oh_method_of(execute_data)->is_read_only};

        oh_call_on_lane(lane, terms, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_call_planned(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    if (UNEXPECTED(oh_transaction_is_open(client))) {
        oh_transaction_queue_planned(client, plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        return;
    }
    if (client->batch.is_open) {
        oh_batch_queue(client, plan->node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
        oh_batch_be_patient(client, plan->node, plan->wait_ms);
        return;
    }
    oh_lane *lane = oh_lane_take(client, plan->node);
    if (EXPECTED(lane)) {
        oh_call_terms terms = {.wait_ms = plan->wait_ms,
            .is_read_only = plan->is_read_only,
            .is_raw = plan->method->row->kind == OH_METHOD_RAW};

        oh_call_on_lane(lane, terms, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
