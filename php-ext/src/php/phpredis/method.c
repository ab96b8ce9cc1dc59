/*
 * If the table does not know the loaded phpredis (mostly because it is newer), the rows of the
 * newest known version are used, for each method whose parameters are the same. All other methods
 * get a derived row.
 */
#include "php/base/zend.h"

#include "zend_extensions.h"
#include "zend_smart_str.h"

#include "php/phpredis/method.h"

#include "php/generated/methods.h"

#define ROWS_COUNT (sizeof method_rows / sizeof *method_rows)
#define VERSIONS_COUNT (sizeof method_versions / sizeof *method_versions)
#define NEWEST (1u << (VERSIONS_COUNT - 1))

int oh_methods_slot;
/* The version bit of the loaded phpredis; 0 if the table does not know it. */
static unsigned loaded_version;
/* The express lane is proven with the loaded phpredis. */
static bool has_express;

zend_result oh_methods_startup(void)
{
    const char *version = zend_get_module_version("redis");

    oh_methods_slot = zend_get_resource_handle("onehop");
    loaded_version = 0;
    has_express = version && oh_express_knows(version);
    for (unsigned i = 0; i < VERSIONS_COUNT && version; i++) {
        if (strcmp(version, method_versions[i]) == 0) {
            loaded_version = 1u << i;
        }
    }
    return oh_methods_slot < 0 ? FAILURE : SUCCESS;
}

/* ---- Finding the row ---- */

/* True if the parameters of a method are the given ones, as signatures.json spells them. */
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

/* True if a method of an unknown version has the parameters of the row. */
static bool is_of_row(const zend_function *original, const oh_method_row *row)
{
    return (row->signature && has_signature(original, row->signature)) ||
           (row->older_signature && has_signature(original, row->older_signature));
}

/* The row of a method, whether its parameters are the same or not; NULL if it has none. */
static const oh_method_row *find_row(const char *name)
{
    for (size_t i = 0; i < ROWS_COUNT; i++) {
        const oh_method_row *row = &method_rows[i];

        if (strcmp(row->name, name) == 0 &&
            (row->versions & (loaded_version ? loaded_version : NEWEST))) {
            return row;
        }
    }
    return NULL;
}

static void set_row(oh_method *method, const zend_function *original, const char *name)
{
    const oh_method_row *row = find_row(name);

    if (row && (loaded_version || is_of_row(original, row))) {
        method->row = row;
        return;
    }
    method->derived = pecalloc(1, sizeof *method->derived, true);
    oh_method_derive(method->derived, original, name, row);
    method->row = &method->derived->row;
}

/* ---- Filling ---- */

/* True if a call has one key, and needs nothing but the position of this key to be routed. */
static bool is_about_one_key(const oh_method *method)
{
    const oh_method_row *row = method->row;

    return row->keys_count == 1 && row->keys[0].form == OH_FORM_VALUE &&
           !row->keys[0].is_unprefixed && !row->subcommand && !row->faults_count &&
           method->command && method->command->spread == OH_SPREAD_ONE_NODE &&
           !method->command->blocking.is_blocking && method->command->keys_count == 1 &&
           row->keys[0].kind != OH_KEY_PATTERN;
}

/*
 * Copies a function of phpredis, without the warning that it is deprecated, which the script's own
 * call has already given.
 *
 * The copy has the description of one more parameter, which is empty. If null is passed where a
 * number or a text is wanted, Zend reads the parameter's description for a warning. phpredis 5.3.7
 * takes parameters that it does not describe: decr($key, null) would read beyond the list.
 */
static zend_function *copy_function(const zend_internal_function *original)
{
    zend_function *copy = pecalloc(1, sizeof *copy, true);
    size_t size = sizeof *original->arg_info;
    /* The result, the parameters, the last one if it is variadic, and the empty one. */
    size_t count = original->num_args + ((original->fn_flags & ZEND_ACC_VARIADIC) != 0) + 1u;
    char *described = pecalloc(count + 1, size, true);

    memcpy(described, original->arg_info - 1, count * size);
    copy->internal_function = *original;
    copy->internal_function.arg_info = (void *)(described + size);
    copy->common.fn_flags &= ~(uint32_t)ZEND_ACC_DEPRECATED;
    return copy;
}

oh_method *oh_method_new(zend_function *original, const char *name)
{
    oh_method *method = pecalloc(1, sizeof *method, true);

    set_row(method, original, name);
    const oh_method_row *row = method->row;
    method->original = copy_function(&original->internal_function);
    method->is_deprecated = (original->common.fn_flags & ZEND_ACC_DEPRECATED) != 0;
    if (row->command && !row->subcommand) {
        method->command = oh_command_named(row->command, strlen(row->command));
        method->is_read_only = method->command && method->command->is_retryable;
    }
    for (uint32_t i = 0; i < original->common.num_args; i++) {
        method->is_iterated |= ZEND_ARG_SEND_MODE(&original->internal_function.arg_info[i]) != 0;
    }
    if (has_express && method->command && !method->is_deprecated) {
        method->express = oh_express_find(name);
    }
    method->promise = row->has_promise ? &oh_promise_of_request : NULL;
    if (is_about_one_key(method)) {
        method->key = row->keys[0].argument + 1;
    }
    return method;
}

void oh_method_free(oh_method *method)
{
    if (method->derived) {
        pefree(method->derived, true);
    }
    pefree(method->original->internal_function.arg_info - 1, true);
    pefree(method->original, true);
    pefree(method, true);
}
