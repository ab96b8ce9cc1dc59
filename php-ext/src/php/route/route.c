/*
 * The path of one command: key, node, node client, phpredis, verdict.
 *
 *     argument ─► text, converted once ─► prefix + placement ─► node ─► node client
 *              ─► phpredis' own method ─► reply
 *                                     └─ failed exchange ─► exception
 *
 * A call that has more than one key, or none, is planned first (carry_out.c).
 *
 * Implements spec/route.
 */
#include "php/base/zend.h"

#include "php/call/enter.h"
#include "php/call/packing.h"
#include "php/call/plan.h"
#include "php/phpredis/node_client.h"
#include "php/route/route.h"

/* True if a batch has something for this master that does not only read. */
static bool has_queued_writes(const oh_client *client, uint32_t master)
{
    const oh_node_client *node_client = client->node_clients[master];

    while (node_client && !(node_client->queue.pipes && !node_client->queue.terms.is_read_only)) {
        node_client = node_client->spare;
    }
    return node_client != NULL;
}

bool oh_route_choose_reader(oh_client *client, uint32_t *node)
{
    /* A replica could answer before the writes in front of the read are executed. */
    if (UNEXPECTED(oh_read_from_prefers_master(client->snapshot)) && client->mode == OH_PIPELINE &&
        has_queued_writes(client, *node)) {
        return true;
    }
    return oh_client_choose_replica(client, node);
}

void oh_route_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    const oh_method *method = oh_method_of(execute_data);

    if (UNEXPECTED(!client)) {
        return;
    }
    if (UNEXPECTED(ZEND_NUM_ARGS() < method->key)) {
        zend_wrong_parameters_count_error(
            method->original->common.required_num_args, method->original->common.num_args);
        return;
    }
    zend_string *key =
        oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, method->key), method->key);
    if (UNEXPECTED(!key) || !oh_packing_may_begin(client, execute_data)) {
        return;
    }
    oh_call call = {.node = oh_client_locate(client, key),
        .key.text = key,
        .terms = {.is_read_only = method->is_read_only,
            .is_iterated = method->is_iterated,
            .promise = method->promise}};

    if (oh_client_may_read_elsewhere(client, method->command) &&
        !oh_route_choose_reader(client, &call.node)) {
        return;
    }
    oh_client_mode(client)->call(client, &call, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
