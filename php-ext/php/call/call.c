/*
 * Where a verdict becomes an exception: phpredis' own answer to a failed exchange, a false or an
 * exception of its own, is replaced by what really happened.
 */
#include "php_onehop.h"

#include "php/call/call.h"
#include "php/exception/exception.h"

void oh_call_on_node_client(
    oh_node_client *node_client, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client_enter(node_client, *terms, NULL);
    oh_node_client_call_in_frame(
        node_client, oh_method_of(execute_data), execute_data, return_value);
    if (UNEXPECTED(oh_node_client_has_failed(node_client)) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        oh_failure_throw(oh_node_client_failure(node_client));
    }
    oh_node_client_leave(node_client);
}

void oh_call_now(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client *node_client = oh_node_client_take(client, plan->node);

    if (EXPECTED(node_client)) {
        oh_call_on_node_client(node_client, &plan->terms, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
