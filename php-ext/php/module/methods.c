/*
 * A call goes to the first of these that fits:
 *
 *     the handlers below, by name: what OneHop does by itself, or in a way of its own
 *     refused              the row says so, or there is none
 *     oh_raw_method        the words themselves are the arguments
 *     oh_route_method      one key that is one argument, one node, nothing else to be known: nearly all, and the hot road
 *     oh_plan_method       all others
 *
 * A phpredis that the table does not know (a newer one, mostly) is taken for the newest that it does know, method by
 * method: where the parameters are the same.
 */
#include "php_onehop.h"

#include "ext/standard/php_versioning.h"

#include "zend_extensions.h"
#include "zend_smart_str.h"

#include "php/batch/batch.h"
#include "php/client/local.h"
#include "php/module/methods.h"
#include "php/call/plan.h"
#include "php/call/raw.h"
#include "php/call/refuse.h"
#include "php/call/route.h"
#include "php/fleet/scan.h"
#include "php/fleet/server.h"
#include "php/subscription/subscription.h"
#include "php/transaction/transaction.h"

#include "php/generated/methods.h"

#define ROWS_COUNT     (sizeof method_rows / sizeof *method_rows)
#define VERSIONS_COUNT (sizeof method_versions / sizeof *method_versions)
#define NEWEST         (1u << (VERSIONS_COUNT - 1))

typedef struct own_handler {
    const char *name;
    zif_handler handler;
} own_handler;

static const own_handler own_handlers[] = {
    {"multi", oh_transaction_multi}, {"exec", oh_transaction_exec}, {"discard", oh_transaction_discard},
    {"watch", oh_transaction_watch}, {"unwatch", oh_transaction_unwatch}, {"pipeline", oh_batch_pipeline},
    {"getmode", oh_batch_get_mode},

    {"subscribe", oh_subscription_method}, {"psubscribe", oh_subscription_method},
    {"ssubscribe", oh_subscription_method}, {"unsubscribe", oh_subscription_method},
    {"punsubscribe", oh_subscription_method}, {"sunsubscribe", oh_subscription_method},

    {"__destruct", oh_local_nothing}, {"close", oh_local_close}, {"isconnected", oh_local_is_connected},
    {"setoption", oh_local_set_option}, {"getoption", oh_local_get_option}, {"select", oh_local_select},
    {"getlasterror", oh_local_get_last_error}, {"clearlasterror", oh_local_clear_last_error},
    {"gettimeout", oh_local_get_timeout}, {"getreadtimeout", oh_local_get_timeout},
    {"getdbnum", oh_local_get_database}, {"gethost", oh_local_get_host}, {"getport", oh_local_get_port},
    {"getauth", oh_local_nothing}, {"getpersistentid", oh_local_nothing},
    {"gettransferredbytes", oh_local_get_transferred_bytes},
    {"cleartransferredbytes", oh_local_clear_transferred_bytes},
    {"_prefix", oh_local_forward}, {"_serialize", oh_local_forward}, {"_unserialize", oh_local_forward},
    {"_pack", oh_local_forward}, {"_unpack", oh_local_forward}, {"_compress", oh_local_forward},
    {"_uncompress", oh_local_forward},

    {"scan", oh_scan_method}, {"servername", oh_server_name},
    {"serverversion", oh_server_version}, {"rawcommand", oh_raw_method},
};

int oh_methods_slot;
static unsigned loaded_version; /* The bit of the phpredis that is loaded; 0: the table does not know it. */

zend_result oh_methods_startup(void)
{
    const char *version = zend_get_module_version("redis");

    oh_methods_slot = zend_get_resource_handle("onehop");
    loaded_version = 0;
    for (unsigned i = 0; i < VERSIONS_COUNT && version; i++) {
        if (strcmp(version, method_versions[i]) == 0) {
            loaded_version = 1u << i;
        }
    }
    return oh_methods_slot < 0 ? FAILURE : SUCCESS;
}

bool oh_methods_are_before(const char *version)
{
    const char *loaded = zend_get_module_version("redis");

    return loaded && php_version_compare(loaded, version) < 0;
}

/* ---- Finding the row ---- */

/* The parameters of a method as signatures.json spells them. */
static bool has_signature(const zend_function *function, const char *signature)
{
    bool is_variadic = (function->common.fn_flags & ZEND_ACC_VARIADIC) != 0;
    uint32_t count = function->common.num_args + is_variadic;
    smart_str spelled = {0};

    for (uint32_t i = 0; i < count; i++) {
        const zend_internal_arg_info *parameter = &function->internal_function.arg_info[i];

        smart_str_appends(&spelled, i ? "," : "");
        smart_str_appends(&spelled, ZEND_ARG_SEND_MODE(parameter) ? "&" : "");
        smart_str_appends(&spelled, is_variadic && i + 1 == count ? "..." : "");
        smart_str_appends(&spelled, parameter->name);
    }
    smart_str_0(&spelled);
    bool is_same = strcmp(spelled.s ? ZSTR_VAL(spelled.s) : "", signature) == 0;
    smart_str_free(&spelled);
    return is_same;
}

static const oh_method_row *find_row(const char *name, const zend_function *original)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const oh_method_row *row = &method_rows[i];

        if (strcmp(row->name, name) == 0 && (row->versions & (loaded_version ? loaded_version : NEWEST))) {
            return loaded_version || (row->signature && has_signature(original, row->signature)) ? row : NULL;
        }
    }
    return NULL;
}

/* ---- Choosing the handler ---- */

/* Whether all there is to know of a call is which argument its one key is. */
static bool is_about_one_key(const oh_method *method)
{
    const oh_method_row *row = method->row;

    return row->keys_count == 1 && row->keys[0].form == OH_FORM_VALUE && !row->keys[0].is_unprefixed &&
           !row->subcommand && !row->faults_count && method->command &&
           method->command->spread == OH_SPREAD_ONE_NODE && !method->command->blocking.is_blocking &&
           method->command->keys_count == 1 && row->keys[0].kind != OH_KEY_PATTERN;
}

static zif_handler handler_for(const oh_method *method, const char *name)
{
    if (!method->row || method->row->kind == OH_METHOD_REFUSED) {
        return oh_refuse_method;
    }
    for (size_t i = 0; i < sizeof own_handlers / sizeof *own_handlers; i++) {
        if (strcmp(own_handlers[i].name, name) == 0) {
            return own_handlers[i].handler;
        }
    }
    if (method->row->kind != OH_METHOD_COMMAND) {
        return oh_refuse_method;
    }
    return method->key ? oh_route_method : oh_plan_method;
}

static void fill(oh_method *method, zend_function *original, const char *name)
{
    const oh_method_row *row = find_row(name, original);

    method->original = original;
    if (original->common.fn_flags & ZEND_ACC_DEPRECATED) {
        method->silent = pecalloc(1, sizeof *method->silent, true);
        method->silent->internal_function = original->internal_function;
        method->silent->common.fn_flags &= ~(uint32_t)ZEND_ACC_DEPRECATED;
        method->original = method->silent;
    }
    method->row = row;
    if (row && row->command && !row->subcommand) {
        method->command = oh_command_named(row->command, strlen(row->command));
        method->is_read_only = method->command && method->command->is_retryable;
    }
    for (uint32_t i = 0; i < original->common.num_args; i++) {
        method->is_iterated |= ZEND_ARG_SEND_MODE(&original->internal_function.arg_info[i]) != 0;
    }
    if (row && is_about_one_key(method)) {
        method->key = row->keys[0].argument + 1;
    }
}

zend_result oh_methods_take_over(zend_function *inherited, zend_function *original)
{
    if (original->type != ZEND_INTERNAL_FUNCTION) {
        return FAILURE;
    }
    zend_string *name = zend_string_tolower_ex(inherited->common.function_name, true);
    oh_method *method = pecalloc(1, sizeof *method, true);

    fill(method, original, ZSTR_VAL(name));
    inherited->internal_function.handler = handler_for(method, ZSTR_VAL(name));
    inherited->internal_function.reserved[oh_methods_slot] = method;
    zend_string_release_ex(name, true);
    return SUCCESS;
}

void oh_methods_give_back(zend_function *inherited)
{
    oh_method *method = inherited->internal_function.reserved[oh_methods_slot];

    if (method->silent) {
        pefree(method->silent, true);
    }
    pefree(method, true);
    inherited->internal_function.reserved[oh_methods_slot] = NULL;
}
