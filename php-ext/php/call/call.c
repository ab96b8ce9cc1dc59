/*
 * Where a verdict becomes an exception: phpredis' own answer to a failed exchange, a false or an
 * exception of its own, is replaced by what really happened.
 */
#include "php_onehop.h"

#include "php/call/call.h"
#include "php/exception/exception.h"

void oh_call_on_lane(oh_lane *lane, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_lane_enter(lane, *terms, NULL);
    oh_lane_call_in_frame(lane, oh_method_of(execute_data), execute_data, return_value);
    if (UNEXPECTED(oh_lane_has_failed(lane)) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        oh_failure_throw(oh_lane_failure(lane));
    }
    oh_lane_leave(lane);
}

void oh_call_now(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_lane *lane = oh_lane_take(client, plan->node);

    if (EXPECTED(lane)) {
        oh_call_on_lane(lane, &plan->terms, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
