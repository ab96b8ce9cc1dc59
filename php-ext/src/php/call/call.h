/*
 * Call: runs, on the node of the call, the method that a script has called, once that node is
 * known.
 */
#ifndef OH_PHP_CALL_H
#define OH_PHP_CALL_H

#include "php/call/plan.h"
#include "php/phpredis/node_client.h"

/* Mode ATOMIC: calls the method on the node of the call. */
void oh_call_now(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS);

/*
 * Calls the method on a node client with these terms (see oh_node_client_enter). Throws if the
 * exchange failed.
 */
void oh_call_on_node_client(
    oh_node_client *node_client, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS);

/* Turn the current call, and a part of a split, into calls for the express lane. */
static zend_always_inline oh_express_call oh_call_as_express(
    const oh_client *client, const oh_method *method, zend_execute_data *execute_data)
{
    bool has_names = (ZEND_CALL_INFO(execute_data) & ZEND_CALL_HAS_EXTRA_NAMED_PARAMS) != 0;

    return (oh_express_call){
        .forms = EXPECTED(!has_names) ? method->express : (oh_express_forms){NULL, 0},
        .arguments = ZEND_CALL_ARG(execute_data, 1),
        .arguments_count = ZEND_NUM_ARGS(),
        .is_strict = ZEND_ARG_USES_STRICT_TYPES(),
        .prefix = client->prefix};
}

static inline oh_express_call oh_call_part_as_express(
    const oh_client *client, const oh_split *split, const oh_part *part)
{
    return (oh_express_call){.forms = split->method->express,
        .arguments = part->arguments,
        .arguments_count = part->count,
        .prefix = client->prefix};
}

/* Writes a call that is sent alone. Returns false if phpredis must make it. */
static zend_always_inline bool oh_call_write_express(
    const oh_client *client, oh_node_client *node_client, const oh_express_call *call)
{
    return call->forms.count && EXPECTED(client->takes_express) &&
           oh_express_write(&node_client->express, call);
}

#endif
