/*
 * The module: what PHP loads, what `php --ri onehop` shows, and the order in which rooms start and
 * shut down.
 *
 * Objects in statics or cycles are freed only after RSHUTDOWN. So the final checks of a request run
 * in post_deactivate, after all objects are freed.
 */
#include "php_onehop.h"

#include <yaml.h>

#include "SAPI.h"
#include "php_main.h"
#include "ext/standard/info.h"

#include "engine/base/log.h"
#include "engine/nodes/nodes.h"
#include "engine/pool/pool_entry.h"
#include "engine/resend/resend.h"
#include "engine/shared/queue.h"
#include "engine/shared/resolver.h"
#include "engine/tls/tls.h"
#include "engine/shared/segment.h"
#include "engine/source/source.h"

#include "php/base/settings.h"
#include "php/client/configuration.h"
#include "php/fleet/fleet.h"
#include "php/module/module.h"
#include "php/phpredis/method.h"
#include "php/phpredis/transport.h"
#include "php/session/session.h"

/* phpinfo() shows the path of a file. Anything else may contain a password. */
static ZEND_INI_DISP(display_config)
{
    bool is_original = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified;
    const zend_string *value = is_original ? ini_entry->orig_value : ini_entry->value;
    const char *shown = !value || ZSTR_LEN(value) == 0    ? "no value"
                        : oh_configuration_is_path(value) ? ZSTR_VAL(value)
                                                          : "not shown";

    if (sapi_module.phpinfo_as_text) {
        PHPWRITE(shown, strlen(shown));
    } else {
        php_html_puts(shown, strlen(shown));
    }
}

PHP_INI_BEGIN()
STD_PHP_INI_ENTRY_EX("onehop.config", "", PHP_INI_ALL, OnUpdateString, config, zend_onehop_globals,
    onehop_globals, display_config)
STD_PHP_INI_ENTRY("onehop.shared_memory", "4M", PHP_INI_SYSTEM, OnUpdateLong, shared_memory,
    zend_onehop_globals, onehop_globals)
STD_PHP_INI_ENTRY("onehop.max_nodes", "64", PHP_INI_SYSTEM, OnUpdateLong, max_nodes,
    zend_onehop_globals, onehop_globals)
STD_PHP_INI_ENTRY("onehop.pool_scope", "host", PHP_INI_SYSTEM, OnUpdateString, pool_scope,
    zend_onehop_globals, onehop_globals)
STD_PHP_INI_BOOLEAN("onehop.express_lane", "1", PHP_INI_SYSTEM, OnUpdateBool, express_lane,
    zend_onehop_globals, onehop_globals)
PHP_INI_END()

/* PHP's macros give the parameter of these two functions the same name as the global variable. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

static PHP_GINIT_FUNCTION(onehop)
{
#if defined(ONEHOP_IS_SHARED) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    memset(onehop_globals, 0, sizeof *onehop_globals);
    oh_script_begin();
}

static PHP_GSHUTDOWN_FUNCTION(onehop)
{
    oh_log_shutdown();
    oh_script_end();
    oh_source_shutdown();
    oh_pool_end();
    oh_resolver_end();
}

#pragma GCC diagnostic pop

/*
 * True if workers share connections through the host. A command line script has no other workers.
 */
static bool is_pool_of_host(void)
{
    if (strcmp(OHG(pool_scope), "host") != 0 && strcmp(OHG(pool_scope), "process") != 0) {
        zend_error(E_WARNING,
            "OneHop: onehop.pool_scope is host or process, not %s: each process has its own "
            "connections",
            OHG(pool_scope));
    }
    return strcmp(OHG(pool_scope), "host") == 0 &&
           (strcmp(sapi_module.name, "fpm-fcgi") == 0 || strcmp(sapi_module.name, "cgi-fcgi") == 0);
}

static PHP_MINIT_FUNCTION(onehop)
{
    REGISTER_INI_ENTRIES();
    oh_environment_startup();
    oh_segment_startup(OHG(shared_memory), OHG(max_nodes));
    oh_host_startup(is_pool_of_host());
    if (!oh_pool_startup()) {
        zend_error(E_CORE_WARNING, "OneHop cannot notice forks: no memory");
        return FAILURE;
    }
    if (!oh_resolver_startup()) {
        zend_error(E_CORE_WARNING, "OneHop could not initialise c-ares");
        return FAILURE;
    }
    oh_redirects_script = oh_script_body;
    oh_succession_newest = oh_source_newest;
    oh_lookout_newest = oh_source_known;
    oh_modes_startup();
    if (oh_methods_startup() == FAILURE) {
        zend_error(
            E_CORE_WARNING, "OneHop found no free slot: too many other extensions hook functions");
        return FAILURE;
    }
    if (oh_classes_register() == FAILURE) {
        return FAILURE;
    }
    if (oh_transport_register() == FAILURE) {
        return FAILURE;
    }
    return oh_session_register();
}

static PHP_MSHUTDOWN_FUNCTION(onehop)
{
    oh_transport_unregister();
    oh_classes_release();
    oh_resolver_shutdown();
    oh_queue_shutdown();
    oh_segment_shutdown();
    UNREGISTER_INI_ENTRIES();
    return SUCCESS;
}

static PHP_RINIT_FUNCTION(onehop)
{
#if defined(ONEHOP_IS_SHARED) && defined(ZTS)
    ZEND_TSRMLS_CACHE_UPDATE();
#endif
    oh_transport_expect(NULL); /* A script may have died during phpredis' connect(). */
    return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(onehop)
{
    oh_log_flush();
    return SUCCESS;
}

/*
 * Runs after the last object is freed. A connection that is still held belongs to an exchange that
 * was cut off.
 */
static ZEND_MODULE_POST_ZEND_DEACTIVATE_D(onehop)
{
    zend_try
    {
        oh_nodes_finish_refreshes();
    }
    zend_end_try();
    oh_nodes_drop_refreshes();
    oh_pool_sweep();
    oh_log_flush();
    return SUCCESS;
}

static PHP_MINFO_FUNCTION(onehop)
{
    php_info_print_table_start();
    php_info_print_table_row(2, "OneHop", "enabled");
    php_info_print_table_row(2, "Version", PHP_ONEHOP_VERSION);
    php_info_print_table_row(2, "On top of phpredis", zend_get_module_version("redis"));
    php_info_print_table_row(2, "Express lane",
        !oh_express_knows(zend_get_module_version("redis")) ? "none for this phpredis"
        : OHG(express_lane)                                 ? "open"
                                                            : "closed");
    php_info_print_table_row(2, "libyaml", yaml_get_version_string());
    php_info_print_table_row(2, "c-ares", oh_resolver_version());
    php_info_print_table_row(2, "TLS", oh_tls_version());
    php_info_print_table_row(
        2, "Distributions", "ketama, modula, random; the slots of Redis Cluster");
    php_info_print_table_row(2, "Connections", "TCP, TLS, unix sockets; kept over requests");
    php_info_print_table_row(2, "Shared by all workers",
        !oh_segment_store() ? "nothing"
        : is_pool_of_host() ? "configuration, topology, health, counters, connections"
                            : "configuration, topology, health, counters");
    php_info_print_table_end();
    DISPLAY_INI_ENTRIES();
    php_info_print_table_start();
    php_info_print_table_header(2, "Directive", "Meaning");
    php_info_print_table_row(
        2, "onehop.config", "the configuration, where a constructor names none");
    php_info_print_table_row(
        2, "onehop.shared_memory", "bytes that all workers share; 0: each process by itself");
    php_info_print_table_row(
        2, "onehop.max_nodes", "nodes whose connections are shared, at most 1024");
    php_info_print_table_row(
        2, "onehop.pool_scope", "host: php-fpm's workers share connections; process: they do not");
    php_info_print_table_row(2, "onehop.express_lane",
        "usual calls of hot methods are written and read without phpredis");
    php_info_print_table_end();
}

static const zend_module_dep onehop_dependencies[] = {
    ZEND_MOD_REQUIRED("redis") ZEND_MOD_REQUIRED("session") ZEND_MOD_END};

zend_module_entry onehop_module_entry = {
    STANDARD_MODULE_HEADER_EX,
    NULL,
    onehop_dependencies,
    "onehop",
    NULL,
    PHP_MINIT(onehop),
    PHP_MSHUTDOWN(onehop),
    PHP_RINIT(onehop),
    PHP_RSHUTDOWN(onehop),
    PHP_MINFO(onehop),
    PHP_ONEHOP_VERSION,
    PHP_MODULE_GLOBALS(onehop),
    PHP_GINIT(onehop),
    PHP_GSHUTDOWN(onehop),
    ZEND_MODULE_POST_ZEND_DEACTIVATE_N(onehop),
    STANDARD_MODULE_PROPERTIES_EX,
};

#ifdef ONEHOP_IS_SHARED
ZEND_GET_MODULE(onehop)
#endif
