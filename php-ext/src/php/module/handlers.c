/*
 * A method gets the first handler that fits:
 *
 *     the handlers below      by name: methods that OneHop implements itself
 *     oh_refuse_method        refused: the row says so
 *     oh_raw_command_method   rawCommand, whose arguments are the words
 *     oh_route_method         one key, which is one argument: nearly all methods, the hot path
 *     oh_plan_method          all others
 */
#include "php/base/zend.h"

#include "php/call/refuse.h"
#include "php/fleet/fleet.h"
#include "php/module/module.h"
#include "php/route/route.h"
#include "php/subscription/subscription.h"
#include "php/userland/userland.h"

typedef struct own_handler {
    const char *name;
    zif_handler handler;
} own_handler;

static const own_handler own_handlers[] = {
    {"multi", oh_modes_multi},
    {"exec", oh_modes_exec},
    {"discard", oh_modes_discard},
    {"watch", oh_modes_watch},
    {"unwatch", oh_modes_unwatch},
    {"pipeline", oh_modes_pipeline},
    {"getmode", oh_modes_get},

    {"subscribe", oh_subscription_method},
    {"psubscribe", oh_subscription_method},
    {"ssubscribe", oh_subscription_method},
    {"unsubscribe", oh_subscription_method},
    {"punsubscribe", oh_subscription_method},
    {"sunsubscribe", oh_subscription_method},

    {"__destruct", oh_state_nothing},
    {"close", oh_state_close},
    {"isconnected", oh_state_is_connected},
    {"setoption", oh_options_set},
    {"getoption", oh_options_get},
    {"select", oh_state_select},
    {"getlasterror", oh_state_get_last_error},
    {"clearlasterror", oh_state_clear_last_error},
    {"gettimeout", oh_state_get_timeout},
    {"getreadtimeout", oh_state_get_timeout},
    {"getdbnum", oh_state_get_database},
    {"gethost", oh_state_get_host},
    {"getport", oh_state_get_port},
    {"getauth", oh_state_nothing},
    {"getpersistentid", oh_state_nothing},
    {"gettransferredbytes", oh_state_get_transferred_bytes},
    {"cleartransferredbytes", oh_state_clear_transferred_bytes},
    {"_prefix", oh_state_forward},
    {"_serialize", oh_state_forward},
    {"_unserialize", oh_state_forward},
    {"_pack", oh_state_forward},
    {"_unpack", oh_state_forward},
    {"_compress", oh_state_forward},
    {"_uncompress", oh_state_forward},

    {"scan", oh_scan_method},
    {"servername", oh_server_info_name},
    {"serverversion", oh_server_info_version},
    {"client", oh_client_command_method},
    {"rawcommand", oh_raw_command_method},
};

static zif_handler handler_for(const oh_method *method, const char *name)
{
    if (method->row->kind == OH_METHOD_REFUSED) {
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

zend_result oh_handlers_take_over(zend_function *inherited, zend_function *original)
{
    if (original->type != ZEND_INTERNAL_FUNCTION) {
        return FAILURE;
    }
    zend_string *name = zend_string_tolower_ex(inherited->common.function_name, true);
    oh_method *method = oh_method_new(original, ZSTR_VAL(name));

    inherited->internal_function.handler = handler_for(method, ZSTR_VAL(name));
    inherited->internal_function.reserved[oh_methods_slot] = method;
    zend_string_release_ex(name, true);
    return SUCCESS;
}

void oh_handlers_give_back(zend_function *inherited)
{
    oh_method_free(inherited->internal_function.reserved[oh_methods_slot]);
    inherited->internal_function.reserved[oh_methods_slot] = NULL;
}
