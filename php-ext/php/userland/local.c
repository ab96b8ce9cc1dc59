/*
 * An option is set on every lane there is and remembered for those to come. Four groups of options mean something else
 * here than in phpredis:
 *
 * - OPT_PREFIX is also put in front of the key when its node is looked for.
 * - OPT_READ_TIMEOUT is the deadline of a whole call of this object, in seconds, in place of the server pool's timeout;
 *   0 or less gives the pool's back.
 * - OPT_MAX_RETRIES and OPT_BACKOFF_*: false. When to try again is OneHop's business, within the deadline.
 * - OPT_TCP_KEEPALIVE: false. The sockets are not phpredis'.
 */
#include "php_onehop.h"

#include "php/call/enter.h"
#include "php/call/packing.h"
#include "php/call/refuse.h"
#include "php/phpredis/lane.h"
#include "php/subscription/subscription.h"
#include "php/userland/client_class.h"
#include "php/userland/local.h"

void oh_local_nothing(INTERNAL_FUNCTION_PARAMETERS)
{
}

/* ---- Forwarding ---- */

/* A call that phpredis answers by itself, on the lane of the first node. */
static void forward(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    const oh_method *method = oh_method_of(execute_data);
    oh_lane *lane = oh_lane_take(client, 0);

    if (lane) {
        oh_lane_enter(lane, (oh_call_terms){.is_read_only = false}, NULL);
        oh_lane_call_in_frame(lane, method, execute_data, return_value);
        oh_lane_leave(lane);
    }
}

void oh_local_forward_for(oh_client *client, INTERNAL_FUNCTION_PARAMETERS)
{
    if (oh_packing_may_begin(client, execute_data)) {
        forward(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

void oh_local_forward(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    if (client) {
        oh_local_forward_for(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- Options ---- */

#define OH_PHPREDIS_RETRIES 10 /* What getOption(OPT_MAX_RETRIES) says of an untouched \Redis. */

/* phpredis 5.3.7 crashes over any other. */
static bool is_known(zend_long option)
{
    zend_class_constant *constant;
    zend_string *name;

    ZEND_HASH_FOREACH_STR_KEY_PTR(&oh_phpredis_class->constants_table, name, constant)
    {
        if (zend_string_starts_with_literal(name, "OPT_") && Z_LVAL(constant->value) == option) {
            return true;
        }
    }
    ZEND_HASH_FOREACH_END();
    return false;
}

/* OPT_SCAN is two switches in one option: 0 and 1 are values of the first, 2 and 3 of the second. */
static zend_ulong slot_of(zend_long option, const zval *value)
{
    bool is_second_switch = option == oh_phpredis_constant("OPT_SCAN") && (zval_get_long((zval *)value) & 2);

    return (zend_ulong)option * 2 + is_second_switch;
}

static void remember_option(oh_client *client, zend_long option, zval *value)
{
    zval setting;

    if (!client->options) {
        client->options = zend_new_array(4);
    }
    array_init_size(&setting, 2);
    add_next_index_long(&setting, option);
    Z_TRY_ADDREF_P(value);
    add_next_index_zval(&setting, value);
    zend_hash_index_update(client->options, slot_of(option, value), &setting);
}

static void set_deadline(oh_client *client, const zval *value)
{
    double seconds = zval_get_double((zval *)value);

    client->timeout_ms = client->snapshot->pool->timeout_ms;
    client->has_read_timeout = seconds > 0;
    if (seconds > 0) {
        client->timeout_ms = seconds > 2147483 ? 2147483000 : MAX((uint32_t)(seconds * 1000), 1);
    }
}

static void set_prefix(oh_client *client, zend_string *prefix)
{
    if (client->prefix) {
        zend_string_release(client->prefix);
    }
    client->prefix = ZSTR_LEN(prefix) ? zend_string_copy(prefix) : NULL;
}

static bool set_on(oh_lane *lane, zval *arguments)
{
    zval result;

    if (!lane || !lane->redis || EG(exception)) {
        return false;
    }
    ZVAL_UNDEF(&result);
    oh_lane_call(lane, oh_phpredis_method("setoption"), 2, arguments, &result);
    bool is_set = Z_TYPE(result) == IS_TRUE;
    zval_ptr_dtor(&result);
    return is_set;
}

/* Sets an option on every lane, spare ones and a subscription's too. The answer is that of the first node's lane. */
static bool set_everywhere(oh_client *client, zend_long option, zval *value)
{
    zval arguments[2];
    bool is_set = false;

    ZVAL_LONG(&arguments[0], option);
    ZVAL_COPY_VALUE(&arguments[1], value);
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        for (oh_lane *lane = client->lanes[node]; lane; lane = lane->spare) {
            is_set |= set_on(lane, arguments);
        }
    }
    return set_on(oh_subscription_lane(client), arguments) || is_set;
}

/* phpredis must never repeat by itself: exchange does, once, unless the caller has said 0. */
static void set_retries(oh_client *client, zend_long option, const zval *value)
{
    zval zero;

    client->never_repeats = zval_get_long((zval *)value) == 0;
    ZVAL_LONG(&zero, 0);
    set_everywhere(client, option, &zero);
}

/* What was set, or what phpredis has if nothing was. */
static zend_long retries_of(const oh_client *client, zend_long option)
{
    zval *setting = client->options ? zend_hash_index_find(client->options, (zend_ulong)option * 2) : NULL;

    return setting ? zval_get_long(zend_hash_index_find(Z_ARRVAL_P(setting), 1)) : OH_PHPREDIS_RETRIES;
}

void oh_local_set_option(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long option;
    zval *value;

    ZEND_PARSE_PARAMETERS_START(2, 2)
        Z_PARAM_LONG(option)
        Z_PARAM_ZVAL(value)
    ZEND_PARSE_PARAMETERS_END();
    /* Connections are everybody's, so no client sets their keepalive. */
    if (!client || option == oh_phpredis_constant("OPT_TCP_KEEPALIVE")) {
        RETURN_FALSE;
    }
    if (!is_known(option)) {
        php_error_docref(NULL, E_WARNING, "Unknown option '" ZEND_LONG_FMT "'", option);
        RETURN_FALSE;
    }
    if (option == oh_phpredis_constant("OPT_READ_TIMEOUT")) {
        set_deadline(client, value);
        RETURN_TRUE;
    }
    bool is_prefix = option == oh_phpredis_constant("OPT_PREFIX");
    if (is_prefix && !try_convert_to_string(value)) {
        return;
    }
    /* There must be one lane to ask whether phpredis takes the value. */
    if (!oh_lane_take(client, 0) || !set_everywhere(client, option, value)) {
        RETURN_FALSE;
    }
    remember_option(client, option, value);
    if (option == oh_phpredis_constant("OPT_SERIALIZER")) {
        client->packs_by_php = zval_get_long(value) == oh_phpredis_constant("SERIALIZER_PHP");
    }
    if (option == oh_phpredis_constant("OPT_SCAN") && !(zval_get_long(value) & 2)) {
        client->retries_scan = zval_get_long(value) == 1;
    }
    if (option == oh_phpredis_constant("OPT_MAX_RETRIES")) {
        set_retries(client, option, value);
    }
    if (is_prefix) {
        set_prefix(client, Z_STR_P(value));
    }
    RETURN_TRUE;
}

void oh_local_get_option(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long option;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_LONG(option)
    ZEND_PARSE_PARAMETERS_END();
    if (client && option == oh_phpredis_constant("OPT_READ_TIMEOUT")) {
        RETURN_DOUBLE(client->timeout_ms / 1000.0);
    }
    if (client && option == oh_phpredis_constant("OPT_MAX_RETRIES")) {
        RETURN_LONG(retries_of(client, option));
    }
    if (client) {
        forward(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}

/* ---- Errors, state ---- */

void oh_local_get_last_error(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->refused && client->refused->redis) {
        oh_lane_call(client->refused, oh_method_of(execute_data)->original, 0, NULL, return_value);
    }
}

void oh_local_clear_last_error(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zval result;

    ZEND_PARSE_PARAMETERS_NONE();
    if (client && client->refused && client->refused->redis) {
        ZVAL_UNDEF(&result);
        oh_lane_call(client->refused, oh_method_of(execute_data)->original, 0, NULL, &result);
        zval_ptr_dtor(&result);
        client->refused = NULL;
    }
    RETURN_TRUE;
}

void oh_local_close(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        oh_client_close(client);
        client->is_closed = true;
        RETURN_TRUE;
    }
}

void oh_local_is_connected(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_BOOL(!client->is_closed);
    }
}

void oh_local_get_timeout(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_DOUBLE(client->timeout_ms / 1000.0);
    }
}

/* There is no one host: the name of the server pool stands for all. */
void oh_local_get_host(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_STRINGL(client->snapshot->pool->name.bytes, client->snapshot->pool->name.length);
    }
}

void oh_local_get_port(INTERNAL_FUNCTION_PARAMETERS)
{
    ZEND_PARSE_PARAMETERS_NONE();
    RETURN_LONG(0);
}

/* What phpredis has counted on every lane, place by place: bytes sent, bytes received. */
void oh_local_get_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long sums[2] = {0, 0};
    zval counted;

    ZEND_PARSE_PARAMETERS_NONE();
    for (uint32_t node = 0; client && node < client->snapshot->nodes_count; node++) {
        for (oh_lane *lane = client->lanes[node]; lane; lane = lane->spare) {
            if (!lane->redis) {
                continue;
            }
            ZVAL_UNDEF(&counted);
            oh_lane_call(lane, oh_method_of(execute_data)->original, 0, NULL, &counted);
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

void oh_local_clear_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zval result;

    ZEND_PARSE_PARAMETERS_NONE();
    for (uint32_t node = 0; client && node < client->snapshot->nodes_count; node++) {
        for (oh_lane *lane = client->lanes[node]; lane; lane = lane->spare) {
            if (lane->redis) {
                ZVAL_UNDEF(&result);
                oh_lane_call(lane, oh_method_of(execute_data)->original, 0, NULL, &result);
                zval_ptr_dtor(&result);
            }
        }
    }
}

void oh_local_get_database(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);

    ZEND_PARSE_PARAMETERS_NONE();
    if (client) {
        RETURN_LONG(oh_pool_database(client->snapshot->pool));
    }
}

void oh_local_select(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long database;

    ZEND_PARSE_PARAMETERS_START(1, 1)
        Z_PARAM_LONG(database)
    ZEND_PARSE_PARAMETERS_END();
    if (client && oh_client_is_selected(client, database)) {
        RETURN_TRUE;
    }
    if (client) {
        oh_refuse_method(INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
