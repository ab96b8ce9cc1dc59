/*
 * Arguments of the wrong type (text instead of an array, options that are not an array) count as
 * having no keys: phpredis refuses such calls itself, before it sends anything.
 */
#include "php/base/zend.h"

#include "php/call/keys.h"

const uint8_t oh_cluster_tag[2] = {'{', '}'};

zval *oh_keys_argument(zend_execute_data *execute_data, uint32_t argument)
{
    if (argument >= ZEND_NUM_ARGS()) {
        return NULL;
    }
    zval *value = ZEND_CALL_ARG(execute_data, argument + 1);
    ZVAL_DEREF(value);
    return Z_TYPE_P(value) == IS_NULL || Z_TYPE_P(value) == IS_UNDEF ? NULL : value;
}

uint32_t oh_keys_rest_end(zend_execute_data *execute_data, const oh_method_key *method_key)
{
    int64_t end = (int64_t)ZEND_NUM_ARGS() + (method_key->last ? method_key->last + 1 : 0);

    return end > method_key->argument ? (uint32_t)end : method_key->argument;
}

static bool has_array(const oh_method_key *method_key, const zval *argument)
{
    return Z_TYPE_P(argument) == IS_ARRAY && method_key->form != OH_FORM_VALUE &&
           method_key->form != OH_FORM_REST;
}

static bool has_rest(const oh_method_key *method_key, const zval *argument)
{
    return method_key->form == OH_FORM_REST ||
           (method_key->form == OH_FORM_VALUES_OR_REST && Z_TYPE_P(argument) != IS_ARRAY);
}

static bool has_value(const oh_method_key *method_key, const zval *argument)
{
    return method_key->form == OH_FORM_VALUE ||
           (method_key->form == OH_FORM_VALUE_OR_VALUES && Z_TYPE_P(argument) != IS_ARRAY);
}

/* How many leading elements of an array are keys. */
static uint32_t elements_count(
    zend_execute_data *execute_data, const oh_method_key *method_key, const zval *array)
{
    uint32_t all = zend_hash_num_elements(Z_ARRVAL_P(array));

    if (method_key->form == OH_FORM_COUNTED) {
        zval *count = oh_keys_argument(execute_data, method_key->count);
        zend_long number = count ? zval_get_long(count) : 0;

        return number <= 0 ? 0 : number < (zend_long)all ? (uint32_t)number : all;
    }
    return all;
}

static bool is_named(const oh_method_key *method_key, const zend_string *name)
{
    char wanted[32];

    if (!name || ZSTR_LEN(name) == 0 || ZSTR_LEN(name) + 3 > sizeof wanted) {
        return false;
    }
    snprintf(wanted, sizeof wanted, " %s ", ZSTR_VAL(name));
    zend_str_tolower(wanted, ZSTR_LEN(name) + 2);
    return strstr(method_key->names, wanted) != NULL;
}

/* ---- Converting ---- */

/* Where phpredis accepts values of any type, it silently takes null as an empty key. */
static bool convert_null(zval *value)
{
    if (Z_TYPE_P(value) != IS_NULL) {
        return false;
    }
    ZVAL_EMPTY_STRING(value);
    return true;
}

static void convert_nulls_of_rest(zend_execute_data *execute_data, const oh_method_key *method_key)
{
    uint32_t end = oh_keys_rest_end(execute_data, method_key);

    for (uint32_t at = method_key->argument; at < end; at++) {
        convert_null(ZEND_CALL_ARG(execute_data, at + 1));
    }
}

static bool convert_element(zend_execute_data *execute_data, zval *slot, uint32_t position)
{
    zval copy, *element = slot;

    ZVAL_DEREF(element);
    if (EXPECTED(Z_TYPE_P(element) == IS_STRING) || convert_null(element)) {
        return true;
    }
    ZVAL_COPY(&copy, element);
    if (!oh_client_key(execute_data, &copy, position)) {
        zval_ptr_dtor(&copy);
        return false;
    }
    zval_ptr_dtor(slot);
    ZVAL_COPY_VALUE(slot, &copy);
    return true;
}

static bool is_all_text(HashTable *array, uint32_t count)
{
    zval *element;

    ZEND_HASH_FOREACH_VAL(array, element)
    {
        if (count-- == 0) {
            break;
        }
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) != IS_STRING) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* The caller's array does not change: if an element must be converted, the call gets a copy. */
static bool convert_array(
    zend_execute_data *execute_data, const oh_method_key *method_key, zval *argument)
{
    uint32_t count = elements_count(execute_data, method_key, argument);
    bool is_converted = true;
    zval own, *element;

    if (method_key->form == OH_FORM_NAMES || method_key->form == OH_FORM_OPTION ||
        is_all_text(Z_ARRVAL_P(argument), count)) {
        return true;
    }
    ZVAL_ARR(&own, zend_array_dup(Z_ARRVAL_P(argument)));
    ZEND_HASH_FOREACH_VAL(Z_ARRVAL(own), element)
    {
        if (count-- == 0) {
            break;
        }
        is_converted = convert_element(execute_data, element, method_key->argument + 1);
        if (!is_converted) {
            break;
        }
    }
    ZEND_HASH_FOREACH_END();
    zval_ptr_dtor(argument);
    ZVAL_COPY_VALUE(argument, &own);
    return is_converted;
}

bool oh_keys_convert(zend_execute_data *execute_data, const oh_method_row *row)
{
    for (uint8_t i = 0; i < row->keys_count; i++) {
        const oh_method_key *method_key = &row->keys[i];

        if (method_key->form == OH_FORM_REST || method_key->form == OH_FORM_VALUES_OR_REST) {
            convert_nulls_of_rest(execute_data, method_key);
        }
        zval *argument = oh_keys_argument(execute_data, method_key->argument);
        if (!argument) {
            continue;
        }
        if (has_array(method_key, argument)) {
            if (!convert_array(execute_data, method_key, argument)) {
                return false;
            }
            continue;
        }
        uint32_t end = has_rest(method_key, argument) ? oh_keys_rest_end(execute_data, method_key)
                       : has_value(method_key, argument) ? method_key->argument + 1u
                                                         : method_key->argument;
        for (uint32_t at = method_key->argument; at < end; at++) {
            if (!oh_client_key(execute_data, ZEND_CALL_ARG(execute_data, at + 1), at + 1)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Walking ---- */

/*
 * Shows an option's value as phpredis sends it. phpredis ignores values that are neither text nor
 * numbers, so they are not keys.
 */
static bool show_option(
    zval *value, oh_keys_visitor visitor, void *context, const oh_method_key *method_key)
{
    ZVAL_DEREF(value);
    if (Z_TYPE_P(value) != IS_STRING && Z_TYPE_P(value) != IS_LONG &&
        Z_TYPE_P(value) != IS_DOUBLE) {
        return true;
    }
    zend_string *key = zval_get_string(value);
    bool goes_on = visitor(context, key, method_key);
    zend_string_release(key);
    return goes_on;
}

static bool walk_options(
    HashTable *options, oh_keys_visitor visitor, void *context, const oh_method_key *method_key)
{
    zend_string *name;
    zval *value, *element;

    ZEND_HASH_FOREACH_STR_KEY_VAL(options, name, value)
    {
        ZVAL_DEREF(value);
        if (!is_named(method_key, name)) {
            continue;
        }
        if (Z_TYPE_P(value) != IS_ARRAY) {
            if (!show_option(value, visitor, context, method_key)) {
                return false;
            }
            continue;
        }
        ZEND_HASH_FOREACH_VAL(Z_ARRVAL_P(value), element)
        {
            if (!show_option(element, visitor, context, method_key)) {
                return false;
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool walk_names(
    HashTable *array, oh_keys_visitor visitor, void *context, const oh_method_key *method_key)
{
    zend_ulong number;
    zend_string *name;

    ZEND_HASH_FOREACH_KEY(array, number, name)
    {
        zend_string *key = name ? zend_string_copy(name) : zend_long_to_str((zend_long)number);
        bool goes_on = visitor(context, key, method_key);

        zend_string_release(key);
        if (!goes_on) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool walk_elements(HashTable *array, uint32_t count, oh_keys_visitor visitor, void *context,
    const oh_method_key *method_key)
{
    zval *element;

    ZEND_HASH_FOREACH_VAL(array, element)
    {
        if (count-- == 0) {
            break;
        }
        ZVAL_DEREF(element);
        if (Z_TYPE_P(element) == IS_STRING && !visitor(context, Z_STR_P(element), method_key)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool walk_arguments(zend_execute_data *execute_data, uint32_t end, oh_keys_visitor visitor,
    void *context, const oh_method_key *method_key)
{
    for (uint32_t at = method_key->argument; at < end; at++) {
        zval *argument = ZEND_CALL_ARG(execute_data, at + 1);

        ZVAL_DEREF(argument);
        if (Z_TYPE_P(argument) == IS_STRING && !visitor(context, Z_STR_P(argument), method_key)) {
            return false;
        }
    }
    return true;
}

static bool walk_place(zend_execute_data *execute_data, const oh_method_key *method_key,
    zval *argument, oh_keys_visitor visitor, void *context)
{
    if (has_value(method_key, argument)) {
        return walk_arguments(
            execute_data, method_key->argument + 1u, visitor, context, method_key);
    }
    if (has_rest(method_key, argument)) {
        return walk_arguments(
            execute_data, oh_keys_rest_end(execute_data, method_key), visitor, context, method_key);
    }
    if (!has_array(method_key, argument)) {
        return true;
    }
    if (method_key->form == OH_FORM_OPTION) {
        return walk_options(Z_ARRVAL_P(argument), visitor, context, method_key);
    }
    if (method_key->form == OH_FORM_NAMES) {
        return walk_names(Z_ARRVAL_P(argument), visitor, context, method_key);
    }
    return walk_elements(Z_ARRVAL_P(argument), elements_count(execute_data, method_key, argument),
        visitor, context, method_key);
}

bool oh_keys_walk(zend_execute_data *execute_data, const oh_method_row *row,
    oh_keys_visitor visitor, void *context)
{
    for (uint8_t i = 0; i < row->keys_count; i++) {
        zval *argument = oh_keys_argument(execute_data, row->keys[i].argument);

        if (argument && !walk_place(execute_data, &row->keys[i], argument, visitor, context)) {
            return false;
        }
    }
    return true;
}

static bool count_key(void *context, zend_string *key, const oh_method_key *method_key)
{
    ++*(uint32_t *)context;
    return true;
}

uint32_t oh_keys_count(zend_execute_data *execute_data, const oh_method_row *row)
{
    uint32_t count = 0;

    oh_keys_walk(execute_data, row, count_key, &count);
    return count;
}

/* ---- Placing ---- */

uint32_t oh_keys_home(const oh_client *client, const zend_string *key, bool is_unprefixed)
{
    return is_unprefixed ? oh_client_home_of(client, (const uint8_t *)ZSTR_VAL(key), ZSTR_LEN(key))
                         : oh_client_home(client, key);
}

bool oh_keys_is_pattern_placed(const oh_client *client, const uint8_t *pattern, size_t length)
{
    const oh_server_pool *pool = client->snapshot->pool;
    const uint8_t *star = length ? memchr(pattern, '*', length) : NULL;

    if (oh_snapshot_homes_count(client->snapshot) == 1 || !star) {
        return true;
    }
    if (!pool->has_hash_tag && !pool->is_cluster) {
        return false;
    }
    oh_bytes tagged = oh_key_hashed(
        (oh_bytes){pattern, length}, pool->is_cluster ? oh_cluster_tag : pool->hash_tag);
    return tagged.length < length && tagged.bytes + tagged.length < star;
}
