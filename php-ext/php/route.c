/*
 * Key, node, lane, phpredis, verdict: a command walks through here once.
 *
 *     argument ─► text, converted once ─► prefix + placement ─► node ─► lane ─► phpredis' own method ─► reply
 *                                                                                 └─ failed exchange ─► exception
 *
 * Implements spec/route.
 */
#include "php_onehop.h"

#include "call.h"
#include "client.h"
#include "route.h"

/* ---- A second key among the options ---- */

static bool is_store_option(const zend_string *name)
{
    return name && (zend_string_equals_literal_ci(name, "store") || zend_string_equals_literal_ci(name, "storedist"));
}

static void refuse_cross_node(oh_client *client, const zend_string *key, uint32_t node, const zend_string *second,
    uint32_t second_node)
{
    const oh_topology *topology = client->snapshot->topology;
    oh_node first_view = oh_topology_node(topology, node), second_view = oh_topology_node(topology, second_node);
    oh_failure failure;

    oh_failure_set(&failure, OH_ERROR_CROSS_NODE, OH_OUTCOME_NOT_SENT,
        "give both keys a common hash tag, so that they share a node", "Key ");
    oh_failure_quote(&failure, ZSTR_VAL(key), MIN(ZSTR_LEN(key), OH_SHOWN_BYTES_MAX));
    oh_failure_quote(&failure, ZEND_STRL(" lives on "));
    oh_failure_quote(&failure, first_view.name.bytes, MIN(first_view.name.length, OH_SHOWN_BYTES_MAX));
    oh_failure_quote(&failure, ZEND_STRL(", but key "));
    oh_failure_quote(&failure, ZSTR_VAL(second), MIN(ZSTR_LEN(second), OH_SHOWN_BYTES_MAX));
    oh_failure_quote(&failure, ZEND_STRL(" on "));
    oh_failure_quote(&failure, second_view.name.bytes, MIN(second_view.name.length, OH_SHOWN_BYTES_MAX));
    oh_failure_throw(oh_failure_exception(&failure, NULL, client->snapshot->pool->name.bytes, NULL));
}

/* SORT and GEORADIUS may write to a second key that hides in the options: it must live on the same node. */
static bool stores_on_same_node(oh_client *client, zend_execute_data *execute_data, const zend_string *key,
    uint32_t node)
{
    zend_string *name;
    zval *value;

    for (uint32_t i = 1; i <= ZEND_NUM_ARGS(); i++) {
        zval *argument = ZEND_CALL_ARG(execute_data, i);

        ZVAL_DEREF(argument);
        if (Z_TYPE_P(argument) != IS_ARRAY) {
            continue;
        }
        ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(argument), name, value)
        {
            ZVAL_DEREF(value);
            if (!is_store_option(name) || Z_TYPE_P(value) != IS_STRING) {
                continue;
            }
            uint32_t second_node = oh_client_locate(client, Z_STR_P(value));
            if (second_node != node) {
                refuse_cross_node(client, key, node, Z_STR_P(value), second_node);
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    return true;
}

/* ---- The road ---- */

void oh_route_method(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_this(execute_data);
    const oh_method *method = oh_method_of(execute_data);

    if (UNEXPECTED(!client)) {
        return;
    }
    if (UNEXPECTED(ZEND_NUM_ARGS() < method->key)) {
        zend_wrong_parameters_count_error(method->original->common.required_num_args,
            method->original->common.num_args);
        return;
    }
    zend_string *key = oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, method->key), method->key);
    if (UNEXPECTED(!key)) {
        return;
    }
    uint32_t node = oh_client_locate(client, key);
    if (UNEXPECTED(method->may_store) && !stores_on_same_node(client, execute_data, key, node)) {
        return;
    }
    oh_call_on_node(client, node, INTERNAL_FUNCTION_PARAM_PASSTHRU);
}
