/*
 * An option is set on every existing node client and remembered for later ones. Four groups of
 * options differ from phpredis:
 *
 *   - OPT_PREFIX is also put before the key when its node is chosen.
 *   - OPT_READ_TIMEOUT is the deadline of a whole call of this object, in seconds. It replaces the
 *     server pool's timeout; 0 or less restores that.
 *   - OPT_MAX_RETRIES: 0 disables OneHop's one retry; other values keep it. OPT_BACKOFF_* are
 *     accepted but have no effect, because phpredis itself never retries.
 *   - OPT_TCP_KEEPALIVE is refused (false), because connections are shared.
 */
#include "php/base/zend.h"

#include "php/batch/batch.h"
#include "php/call/enter.h"
#include "php/phpredis/node_client.h"
#include "php/subscription/subscription.h"
#include "php/userland/userland.h"

#define OH_PHPREDIS_RETRIES 10 /* phpredis' default of OPT_MAX_RETRIES. */

/* True if phpredis has a constant for this option. phpredis 5.3.7 crashes with any other. */
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

/*
 * Returns where an option is remembered. OPT_SCAN is two switches in one: 0 and 1 set the first, 2
 * and 3 the second.
 */
static zend_ulong slot_of(zend_long option, const zval *value)
{
    bool is_second_switch =
        option == oh_phpredis_constant("OPT_SCAN") && (zval_get_long((zval *)value) & 2);

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

static bool set_on(oh_node_client *node_client, zval *arguments)
{
    zval result;

    if (!node_client || !node_client->redis || EG(exception)) {
        return false;
    }
    ZVAL_UNDEF(&result);
    oh_node_client_call(node_client, oh_phpredis_method("setoption"), 2, arguments, &result);
    bool is_set = Z_TYPE(result) == IS_TRUE;
    zval_ptr_dtor(&result);
    return is_set;
}

/*
 * Sets an option on every node client, including spares and that of a subscription. Returns true if
 * any of them accepted it.
 */
static bool set_everywhere(oh_client *client, zend_long option, zval *value)
{
    zval arguments[2];
    bool is_set = false;

    ZVAL_LONG(&arguments[0], option);
    ZVAL_COPY_VALUE(&arguments[1], value);
    for (uint32_t node = 0; node < client->snapshot->nodes_count; node++) {
        for (oh_node_client *node_client = client->node_clients[node]; node_client;
            node_client = node_client->spare) {
            is_set |= set_on(node_client, arguments);
        }
    }
    return set_on(oh_subscription_node_client(client), arguments) || is_set;
}

/* phpredis must never retry. The exchange retries once, unless the caller has set 0. */
static void set_retries(oh_client *client, zend_long option, const zval *value)
{
    zval zero;

    client->never_repeats = zval_get_long((zval *)value) == 0;
    ZVAL_LONG(&zero, 0);
    set_everywhere(client, option, &zero);
}

/* The value that was set, or phpredis' default. */
static zend_long retries_of(const oh_client *client, zend_long option)
{
    zval *setting =
        client->options ? zend_hash_index_find(client->options, (zend_ulong)option * 2) : NULL;

    return setting ? zval_get_long(zend_hash_index_find(Z_ARRVAL_P(setting), 1))
                   : OH_PHPREDIS_RETRIES;
}

/* True if no option changes how values are written or returned. */
static bool takes_express(const oh_client *client)
{
    static const char *const names[] = {"OPT_SERIALIZER", "OPT_COMPRESSION", "OPT_REPLY_LITERAL"};

    for (size_t i = 0; client->options && i < sizeof names / sizeof *names; i++) {
        zval *setting =
            zend_hash_index_find(client->options, (zend_ulong)oh_phpredis_constant(names[i]) * 2);

        if (setting && zval_is_true(zend_hash_index_find(Z_ARRVAL_P(setting), 1))) {
            return false;
        }
    }
    return oh_client_may_take_express(client);
}

void oh_options_set(INTERNAL_FUNCTION_PARAMETERS)
{
    oh_client *client = oh_client_enter(execute_data);
    zend_long option;
    zval *value;

    ZEND_PARSE_PARAMETERS_START(2, 2)
    Z_PARAM_LONG(option)
    Z_PARAM_ZVAL(value)
    ZEND_PARSE_PARAMETERS_END();
    /* Connections are shared, so a client must not set their keepalive. */
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
    /* Queued commands were written with the options as they were until now. */
    if (client->batch && !oh_pipes_hand_over(&client->batch->pipes)) {
        return;
    }
    bool is_prefix = option == oh_phpredis_constant("OPT_PREFIX");
    if (is_prefix && !try_convert_to_string(value)) {
        return;
    }
    /* At least one node client must exist, to find out if phpredis accepts the value. */
    if (!oh_node_client_take(client, 0) || !set_everywhere(client, option, value)) {
        RETURN_FALSE;
    }
    remember_option(client, option, value);
    if (option == oh_phpredis_constant("OPT_SERIALIZER")) {
        client->packs_by_php = zval_get_long(value) == oh_phpredis_constant("SERIALIZER_PHP");
    }
    client->takes_express = takes_express(client);
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

void oh_options_get(INTERNAL_FUNCTION_PARAMETERS)
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
        oh_state_forward_for(client, INTERNAL_FUNCTION_PARAM_PASSTHRU);
    }
}
