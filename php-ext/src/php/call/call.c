/*
 * Throws the real cause of a failed exchange, in place of phpredis' own answer, which is false or
 * an exception about its stream.
 */
#include "php/base/zend.h"

#include "php/call/call.h"
#include "php/exception/exception.h"
#include "php/phpredis/express_call.h"

static zend_always_inline void leave(oh_node_client *node_client, zval *return_value)
{
    if (UNEXPECTED(oh_node_client_has_failed(node_client)) && !oh_is_script_ending()) {
        zval_ptr_dtor(return_value);
        ZVAL_NULL(return_value);
        oh_failure_throw(oh_node_client_failure(node_client));
    }
    oh_node_client_leave(node_client);
}

void oh_call_on_node_client(
    oh_node_client *node_client, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client_enter(node_client, terms, NULL);
    oh_node_client_call_in_frame(
        node_client, oh_method_of(execute_data), execute_data, return_value);
    leave(node_client, return_value);
}

static void call_express(
    oh_node_client *node_client, const oh_call_terms *terms, zval *return_value)
{
    oh_node_client_enter(node_client, terms, NULL);
    oh_express_call_one(node_client, oh_express_call_start(node_client), return_value);
    leave(node_client, return_value);
}

void oh_call_now(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS)
{
    oh_node_client *node_client = oh_node_client_take(client, call->node);

    if (UNEXPECTED(!node_client)) {
        return;
    }
    oh_express_call express = oh_call_as_express(client, oh_method_of(execute_data), execute_data);

    if (oh_call_write_express(client, node_client, &express)) {
        call_express(node_client, &call->terms, return_value);
    } else {
        oh_call_on_node_client(node_client, &call->terms, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
