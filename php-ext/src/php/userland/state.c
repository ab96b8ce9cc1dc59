/*
 * Answers questions about the object for all its node clients: the last error that any of them
 * received, and the sum of all bytes. Host and port are not those of a node.
 */
#include "php/base/zend.h"

#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/phpredis/node_client.h"
#include "php/route/route.h"
#include "php/userland/userland.h"

void oh_state_nothing(INTERNAL_FUNCTION_PARAMETERS)
{
}

/* Forwards a call that phpredis answers without a node to the first node's client. */
static void forward(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    oh_node_client *node_client = oh_node_client_take(client, 0);

    if (node_client) {
        oh_node_client_enter(node_client, &(oh_call_terms){.is_read_only = false}, NULL);
        oh_node_client_call_in_frame(node_client, method, execute_data, return_value);
        oh_node_client_leave(node_client);
    }
}

void oh_state_forward_for(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (oh_packing_may_begin(client, execute_data)) {
        forward(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_state_forward(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (client) {
        oh_state_forward_for(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- Errors, connections, bytes ---- */

void oh_state_get_last_error(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->last_error_client && client->last_error_client->redis) {
        oh_node_client_call(
            client->last_error_client, oh_method_of(execute_data)->original, 0, NULL, return_value);
    }
}

void oh_state_clear_last_error(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->last_error_client && client->last_error_client->redis) {
        oh_node_client_invoke(client->last_error_client, "clearlasterror");
        client->last_error_client = NULL;
    }
    RETURN_TRUE;
}

void oh_state_close(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        oh_client_close(client);
        client->is_closed = true;
        RETURN_TRUE;
    }
}

void oh_state_is_connected(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_BOOL(!client->is_closed);
    }
}

void oh_state_get_timeout(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_DOUBLE(client->timeout_ms / 1000.0);
    }
}

/* There is no single host, so the result is the name of the server pool. */
void oh_state_get_host(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_STRINGL(client->snapshot->pool->name.bytes, client->snapshot->pool->name.length);
    }
}

void oh_state_get_port(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_LONG(0);
}

/*
 * Adds up phpredis' counters of all node clients, element by element: bytes sent, bytes received.
 */
void oh_state_get_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long sums[2] = {0, 0};
    zval counted;

    ZEND_PARSE_PARAMETERS_NONE();
    for (uint32_t node = 0; client && node < client->snapshot->nodes_count; node++) {
        for (oh_node_client *node_client = client->node_clients[node]; node_client;
            node_client = node_client->spare) {
            if (!node_client->redis) {
                continue;
            }
            ZVAL_UNDEF(&counted);
            oh_node_client_call(
                node_client, oh_method_of(execute_data)->original, 0, NULL, &counted);
            sums[0] += (zend_long)node_client->express_sent;
            sums[1] += (zend_long)node_client->express_received;
            for (uint32_t i = 0; i < 2 && Z_TYPE(counted) == IS_ARRAY; i++) {
                zval *sum = zend_hash_index_find(Z_ARRVAL(counted), i);
                sums[i] += sum ? zval_get_long(sum) : 0;
            }
            zval_ptr_dtor(&counted);
        }
    }
    array_init_size(return_value, 2);
    add_next_index_long(return_value, sums[0]);
    add_next_index_long(return_value, sums[1]);
}

void oh_state_clear_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    for (uint32_t node = 0; client && node < client->snapshot->nodes_count; node++) {
        for (oh_node_client *node_client = client->node_clients[node]; node_client;
            node_client = node_client->spare) {
            node_client->express_sent = node_client->express_received = 0;
            if (node_client->redis) {
                oh_node_client_invoke(node_client, "cleartransferredbytes");
            }
        }
    }
}

void oh_state_get_database(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_LONG(oh_client_database(client));
    }
}

void oh_state_select(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long database;

    ZEND_PARSE_PARAMETERS_START(1, 1)
    Z_PARAM_LONG(database)
    ZEND_PARSE_PARAMETERS_END();
    if (client && !oh_select(client, database, INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
