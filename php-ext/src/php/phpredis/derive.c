/*
 * A key specification of the command table says at which word a key is. Words and parameters are in
 * the same order, except that phpredis counts keys itself. So the parameter of a key is found by
 * its place, and its name and type must agree.
 */
#include "php/base/zend.h"

#include "core/generated/messages.h"

#include "php/phpredis/method.h"

/* ---- Parameters ---- */

static const zend_internal_arg_info *parameter_at(const zend_function *function, uint32_t place)
{
    bool is_variadic = (function->common.fn_flags & ZEND_ACC_VARIADIC) != 0;

    return place < function->common.num_args + is_variadic
               ? &function->internal_function.arg_info[place]
               : NULL;
}

static bool is_named(const zend_internal_arg_info *parameter, const char *names)
{
    size_t length = strlen(parameter->name);
    const char *found = length ? strstr(names, parameter->name) : NULL;

    /* The name of a parameter has no blank, and each name of the list is between two blanks. */
    return found && found[-1] == ' ' && found[length] == ' ';
}

static bool takes(const zend_internal_arg_info *parameter, uint32_t type)
{
    return (ZEND_TYPE_PURE_MASK(parameter->type) & type) != 0;
}

/* phpredis 5 declares no types. */
static bool is_text(const zend_internal_arg_info *parameter)
{
    return !ZEND_TYPE_IS_SET(parameter->type) ||
           (takes(parameter, MAY_BE_STRING) && !takes(parameter, MAY_BE_ARRAY));
}

static bool is_key(const zend_internal_arg_info *parameter)
{
    static const char names[] = " key src dst source destination srckey dstkey keyname channel ";

    return is_text(parameter) && !ZEND_ARG_IS_VARIADIC(parameter) && is_named(parameter, names);
}

static bool is_array(const zend_internal_arg_info *parameter, const char *names)
{
    return takes(parameter, MAY_BE_ARRAY) && !takes(parameter, MAY_BE_STRING) &&
           is_named(parameter, names);
}

/* ---- Keys ---- */

/* Finds the parameter of a specification that names one key. */
static bool derive_one(
    const zend_function *original, const oh_key_spec *spec, oh_method_key *method_key)
{
    const zend_internal_arg_info *parameter = parameter_at(original, spec->from - 1u);

    *method_key = (oh_method_key){.argument = (uint8_t)(spec->from - 1), .kind = spec->kind};
    return parameter && is_key(parameter);
}

/*
 * Finds the parameter of a specification that names several keys: an array of keys, an array with
 * values by key, or all arguments.
 */
static bool derive_several(
    const zend_function *original, const oh_key_spec *spec, oh_method_key *method_key)
{
    const zend_internal_arg_info *parameter = parameter_at(original, spec->from - 1u),
                                 *next = parameter_at(original, spec->from);

    *method_key = (oh_method_key){.argument = (uint8_t)(spec->from - 1), .kind = spec->kind};
    if (!parameter) {
        return false;
    }
    if (spec->step == 2) {
        method_key->form = OH_FORM_NAMES;
        return is_array(parameter, " key_vals key_values keyvals ");
    }
    if (is_array(parameter, " keys ")) {
        method_key->form = OH_FORM_VALUES;
        return true;
    }
    method_key->form = OH_FORM_REST;
    return !spec->is_counted && is_key(parameter) && next && ZEND_ARG_IS_VARIADIC(next) &&
           is_named(next, " other_keys keys more_keys ");
}

static bool is_plain(const oh_key_spec *spec)
{
    bool is_one = !spec->is_counted && spec->last == 0;

    return spec->begin == OH_BEGIN_INDEX && spec->kind != OH_KEY_PATTERN && spec->limit == 1 &&
           (is_one || spec->is_counted || spec->last == -1) && (is_one || spec->step <= 2);
}

static bool derive_keys(
    oh_derived_row *derived, const zend_function *original, const oh_command *command)
{
    bool is_only = command->keys_count == 1;

    if (command->keys_count > OH_DERIVED_KEYS_MAX) {
        return false;
    }
    for (uint8_t i = 0; i < command->keys_count; i++) {
        const oh_key_spec *spec = &command->keys[i];
        bool is_one = !spec->is_counted && spec->last == 0;

        if (!is_plain(spec) ||
            !(is_one ? derive_one(original, spec, &derived->keys[i])
                     : is_only && derive_several(original, spec, &derived->keys[i]))) {
            return false;
        }
    }
    derived->row.keys = derived->keys;
    derived->row.keys_count = command->keys_count;
    return command->keys_count > 0;
}

/* ---- The timeout ---- */

/* In a blocking command, the timeout is the parameter with that name. */
static bool derive_timeout(
    oh_derived_row *derived, const zend_function *original, const oh_command *command)
{
    if (!command->blocking.is_blocking) {
        return true;
    }
    for (uint32_t i = 0; i < original->common.num_args && i < INT8_MAX; i++) {
        if (is_named(parameter_at(original, i), " timeout ")) {
            derived->row.has_timeout = true;
            derived->row.timeout = (int8_t)i;
        }
    }
    return derived->row.has_timeout && !command->blocking.option;
}

/* ---- The row ---- */

/*
 * True if the method takes a reference, such as an iterator, whose first value depends on the
 * version.
 */
static bool has_reference(const zend_function *original)
{
    for (uint32_t i = 0; i < original->common.num_args; i++) {
        if (ZEND_ARG_SEND_MODE(parameter_at(original, i))) {
            return true;
        }
    }
    return false;
}

/* True if the row only says where the keys are: then a row for other parameters can be derived. */
static bool is_simple(const oh_method_row *row)
{
    return row->kind == OH_METHOD_COMMAND && row->command && !row->subcommand &&
           !row->has_timeout && !row->faults_count && !row->has_promise;
}

static bool derive(oh_derived_row *derived, const zend_function *original, const char *name)
{
    const oh_command *command = oh_command_named(name, strlen(name));

    derived->row.command = command->name;
    return !command->is_container && command->state == OH_STATE_NONE && !has_reference(original) &&
           (command->spread == OH_SPREAD_ONE_NODE || command->spread == OH_SPREAD_SPLIT) &&
           derive_keys(derived, original, command) && derive_timeout(derived, original, command);
}

static void refuse(oh_derived_row *derived, const char *reason)
{
    derived->row =
        (oh_method_row){.name = derived->row.name, .kind = OH_METHOD_REFUSED, .reason = reason};
}

void oh_method_derive(oh_derived_row *derived, const zend_function *original, const char *name,
    const oh_method_row *changed)
{
    const char *command_name = changed && changed->command ? changed->command : name;
    const oh_command *command = oh_command_named(command_name, strlen(command_name));

    *derived = (oh_derived_row){.row = {.kind = OH_METHOD_COMMAND}};
    if ((changed && !is_simple(changed)) || !command || command->is_ssdb) {
        refuse(derived, OH_REASON_METHOD_UNKNOWN);
    } else if (command->spread == OH_SPREAD_REFUSED) {
        refuse(derived, command->reason);
    } else if (!derive(derived, original, command_name)) {
        refuse(derived, OH_REASON_METHOD_UNPLACED);
    }
}
