/*
 * One node is asked whether it has the database, with the caller's own command. So the caller gets
 * the node's answer, and after an error the object stays where it was. The other nodes are asked
 * when a connection to them is used.
 */
#include "php/base/zend.h"

#include "php/fleet/fleet.h"
#include "php/phpredis/method.h"
#include "php/route/route.h"

static bool has_number(zend_long database)
{
    return database >= 0 && database < UINT32_MAX;
}

/* It is a text with OPT_REPLY_LITERAL. */
static bool is_ok(const zval *reply)
{
    return Z_TYPE_P(reply) == IS_TRUE ||
           (Z_TYPE_P(reply) == IS_STRING && zend_string_equals_literal(Z_STR_P(reply), "OK"));
}

/* Sends it to a node. A number that no database has is for the node to refuse. */
static void ask(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS)
{
    static const oh_bytes name = {(const uint8_t *)"select", 6};
    oh_database selects =
        has_number(database) ? oh_database_of((uint32_t)database) : (oh_database){0};
    oh_plan plan = {.method = oh_method_of(execute_data),
        .command = oh_command_find(&name, 1),
        .spread = OH_SPREAD_ANY_NODE,
        .call.terms = {.selects = selects,
            .is_unknown = !oh_database_is_chosen(selects),
            .is_read_only = true}};

    oh_fleet_call(client, &plan, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    if (!EG(exception) && is_ok(return_value) && oh_database_is_chosen(selects)) {
        client->database = selects;
    }
}

bool oh_select(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS)
{
    if (client->mode != OH_ATOMIC) {
        return false;
    }
    if (database == oh_client_database(client)) {
        client->has_selected = true;
        RETVAL_TRUE;
        return true;
    }
    if (client->transaction || client->snapshot->pool->is_ssdb) {
        return false;
    }
    if (database == oh_server_pool_database(client->snapshot->pool)) {
        client->database = (oh_database){0};
        client->has_selected = true;
        RETVAL_TRUE;
        return true;
    }
    ask(client, database, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    return true;
}

bool oh_select_is_meant(zend_execute_data *execute_data, zend_long *database)
{
    if (ZEND_NUM_ARGS() != 2) {
        return false;
    }
    const zval *name = ZEND_CALL_ARG(execute_data, 1), *number = ZEND_CALL_ARG(execute_data, 2);
    if (Z_TYPE_P(name) != IS_STRING || !zend_string_equals_literal_ci(Z_STR_P(name), "select")) {
        return false;
    }
    if (Z_TYPE_P(number) == IS_LONG) {
        *database = Z_LVAL_P(number);
        return true;
    }
    return Z_TYPE_P(number) == IS_STRING &&
           is_numeric_string(Z_STRVAL_P(number), Z_STRLEN_P(number), database, NULL, false) ==
               IS_LONG;
}
