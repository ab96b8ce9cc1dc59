/*
 * A phpredis that the table does not know (a newer one, mostly) is taken for the newest that it
 * does know, method by method: where the parameters are the same.
 */
#include "php_onehop.h"

#include "zend_extensions.h"
#include "zend_smart_str.h"

#include "php/phpredis/method.h"

#include "php/generated/methods.h"

#define ROWS_COUNT (sizeof method_rows / sizeof *method_rows)
#define VERSIONS_COUNT (sizeof method_versions / sizeof *method_versions)
#define NEWEST (1u << (VERSIONS_COUNT - 1))

int oh_methods_slot;
/* The bit of the phpredis that is loaded; 0: the table does not know it. */
static unsigned loaded_version;

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

        if (strcmp(row->name, name) == 0 &&
            (row->versions & (loaded_version ? loaded_version : NEWEST))) {
            return loaded_version || (row->signature && has_signature(original, row->signature))
                       ? row
                       : NULL;
        }
    }
    return NULL;
}

/* ---- Filling ---- */

/* Whether all there is to know of a call is which argument its one key is. */
static bool is_about_one_key(const oh_method *method)
{
    const oh_method_row *row = method->row;

    return row->keys_count == 1 && row->keys[0].form == OH_FORM_VALUE &&
           !row->keys[0].is_unprefixed && !row->subcommand && !row->faults_count &&
           method->command && method->command->spread == OH_SPREAD_ONE_NODE &&
           !method->command->blocking.is_blocking && method->command->keys_count == 1 &&
           row->keys[0].kind != OH_KEY_PATTERN;
}

oh_method *oh_method_new(zend_function *original, const char *name)
{
    const oh_method_row *row = find_row(name, original);
    oh_method *method = pecalloc(1, sizeof *method, true);

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
    return method;
}

void oh_method_free(oh_method *method)
{
    if (method->silent) {
        pefree(method->silent, true);
    }
    pefree(method, true);
}
