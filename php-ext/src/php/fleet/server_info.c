/*
 * serverName() and serverVersion(). phpredis sends HELLO for them and reads only half of the reply.
 *
 * OneHop takes both from the fleet's INFO. So the version is the lowest of all nodes: programs can
 * rely on that one.
 *
 * redis reports redis_version in INFO. valkey also reports it, for compatibility, and adds
 * server_name and valkey_version.
 */
#include "php/base/zend.h"

#include "php/call/enter.h"
#include "php/call/refuse.h"
#include "php/fleet/fleet.h"

/* Calls the fleet's INFO server. Returns false on an exception or an error of a node. */
static bool ask(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zval section;

    if (!client || zend_parse_parameters_none() == FAILURE) {
        return false;
    }
    if (oh_refuse_queued(client, execute_data, OH_REASON_SERVER_QUEUED)) {
        return false;
    }
    ZVAL_STRINGL(&section, "server", strlen("server"));
    zend_call_known_function(
        zend_hash_str_find_ptr(&oh_client_class->function_table, ZEND_STRL("info")),
        oh_client_object(client), oh_client_class, return_value, 1, &section, NULL);
    zval_ptr_dtor(&section);
    return Z_TYPE_P(return_value) == IS_ARRAY;
}

static zval *text_of(const zval *info, const char *field)
{
    zval *value = zend_hash_str_find(Z_ARRVAL_P(info), field, strlen(field));

    return value && Z_TYPE_P(value) == IS_STRING ? value : NULL;
}

/* Replaces the array of fields by this text as the result. */
static void answer(const zval *text, zval *return_value)
{
    zend_string *found = text ? zend_string_copy(Z_STR_P(text)) : NULL;

    zval_ptr_dtor(return_value);
    if (!found) {
        RETURN_FALSE;
    }
    RETURN_STR(found);
}

void oh_server_info_name(INTERNAL_FUNCTION_PARAMETERS)
{
    if (ask(INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        const zval *name = text_of(return_value, "server_name");
        zval redis;

        ZVAL_STRINGL(&redis, "redis", strlen("redis"));
        answer(name ? name : &redis, return_value);
        zval_ptr_dtor(&redis);
    }
}

void oh_server_info_version(INTERNAL_FUNCTION_PARAMETERS)
{
    if (ask(INTERNAL_FUNCTION_PARAM_PASSTHRU)) {
        const zval *version = text_of(return_value, "valkey_version");

        answer(version ? version : text_of(return_value, "redis_version"), return_value);
    }
}
