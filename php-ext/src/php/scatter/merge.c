/*
 * Each rule has a small function. Replies are not trusted: they may have any type and length.
 */
#include "php/base/zend.h"

#include "zend_smart_str.h"

#include "core/command/info.h"

#include "php/exception/exception.h"
#include "php/client/client.h"
#include "php/scatter/merge.h"

/* ---- Numbers ---- */

static zend_long combine(oh_merge rule, zend_long a, zend_long b)
{
    switch (rule) {
    case OH_MERGE_MIN: return MIN(a, b);
    case OH_MERGE_MAX: return MAX(a, b);
    case OH_MERGE_AND: return a && b;
    default: return (zend_long)((zend_ulong)a + (zend_ulong)b);
    }
}

/*
 * Combines two lists element by element (WAITAOF, SCRIPT EXISTS). Returns false if their shapes
 * differ.
 */
static bool combine_lists(oh_merge rule, HashTable *total, HashTable *next)
{
    zend_ulong place;
    zval *number;

    if (zend_hash_num_elements(total) != zend_hash_num_elements(next)) {
        return false;
    }
    ZEND_HASH_FOREACH_NUM_KEY_VAL(next, place, number)
    {
        zval *so_far = zend_hash_index_find(total, place);

        if (!so_far || Z_TYPE_P(so_far) != IS_LONG || Z_TYPE_P(number) != IS_LONG) {
            return false;
        }
        ZVAL_LONG(so_far, combine(rule, Z_LVAL_P(so_far), Z_LVAL_P(number)));
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static bool merge_lists_of_numbers(oh_merging *merging)
{
    ZVAL_ARR(merging->merged, zend_array_dup(Z_ARRVAL_P(merging->replies[0])));
    for (uint32_t i = 1; i < merging->count; i++) {
        if (!combine_lists(merging->split->merge, Z_ARRVAL_P(merging->merged),
                Z_ARRVAL_P(merging->replies[i]))) {
            zval_ptr_dtor(merging->merged);
            return false;
        }
    }
    return true;
}

static bool merge_numbers(oh_merging *merging)
{
    if (oh_merge_are_all(merging, IS_ARRAY)) {
        return merge_lists_of_numbers(merging);
    }
    if (!oh_merge_are_all(merging, IS_LONG)) {
        return false;
    }
    zend_long total = Z_LVAL_P(merging->replies[0]);
    for (uint32_t i = 1; i < merging->count; i++) {
        total = combine(merging->split->merge, total, Z_LVAL_P(merging->replies[i]));
    }
    ZVAL_LONG(merging->merged, total);
    return true;
}

/* ---- One of the replies ---- */

static bool is_nothing(const zval *reply)
{
    return Z_TYPE_P(reply) == IS_FALSE || Z_TYPE_P(reply) == IS_NULL || Z_TYPE_P(reply) == IS_UNDEF;
}

static bool merge_all_ok(oh_merging *merging)
{
    return !oh_merge_has_false(merging) && oh_merge_take_first(merging);
}

/* ONE_OK and FIRST_NOT_NIL: skips errors and nils; phpredis returns false for both. */
static bool merge_first_something(oh_merging *merging)
{
    for (uint32_t i = 0; i < merging->count; i++) {
        if (!is_nothing(merging->replies[i])) {
            oh_merge_move(merging->merged, merging->replies[i]);
            return true;
        }
    }
    return oh_merge_take_first(merging);
}

/* Compares maps in any order, because servers answer CONFIG GET in different orders. */
static bool are_equal(const zval *a, const zval *b)
{
    zend_ulong place;
    zend_string *name;
    zval *value, *other;

    if (Z_TYPE_P(a) != IS_ARRAY || Z_TYPE_P(b) != IS_ARRAY) {
        return zend_is_identical((zval *)a, (zval *)b);
    }
    if (zend_hash_num_elements(Z_ARRVAL_P(a)) != zend_hash_num_elements(Z_ARRVAL_P(b))) {
        return false;
    }
    ZEND_HASH_FOREACH_KEY_VAL(Z_ARRVAL_P(a), place, name, value)
    {
        other =
            name ? zend_hash_find(Z_ARRVAL_P(b), name) : zend_hash_index_find(Z_ARRVAL_P(b), place);
        if (!other || !are_equal(value, other)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

static zend_object *merge_equal(oh_client *client, oh_merging *merging)
{
    oh_failure failure;

    for (uint32_t i = 1; i < merging->count; i++) {
        if (!are_equal(merging->replies[0], merging->replies[i])) {
            oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_NODES_DIFFER);
            return oh_failure_exception(&failure, NULL, client->snapshot->pool->name.bytes, NULL);
        }
    }
    oh_merge_take_first(merging);
    return NULL;
}

static zend_object *refuse_misfit(oh_client *client, const oh_merging *merging)
{
    uint32_t misfit = oh_merge_misfit(merging);
    oh_failure failure;

    if (misfit == merging->count) {
        return NULL;
    }
    oh_node node = oh_topology_node(client->snapshot->topology, merging->split->parts[misfit].node);
    oh_failure_set(&failure, OH_OUTCOME_ANSWERED, OH_SAY_UNEXPECTED_FORM);
    return oh_failure_exception(&failure, &node, client->snapshot->pool->name.bytes, NULL);
}

/* ---- All of the replies ---- */

static bool concat_texts(oh_merging *merging)
{
    smart_str text = {0};

    for (uint32_t i = 0; i < merging->count; i++) {
        smart_str_append(&text, Z_STR_P(merging->replies[i]));
    }
    ZVAL_STR(merging->merged, smart_str_extract(&text));
    return true;
}

/* Appends the elements of a list. With `seen` (UNION), skips elements that `seen` already has. */
static void append_list(HashTable *list, HashTable *elements, HashTable *seen)
{
    zend_string *name;
    zval *element;

    ZEND_HASH_FOREACH_STR_KEY_VAL(elements, name, element)
    {
        if (seen && Z_TYPE_P(element) == IS_STRING &&
            !zend_hash_add_empty_element(seen, Z_STR_P(element))) {
            continue;
        }
        Z_TRY_ADDREF_P(element);
        if (name) {
            zend_hash_update(list, name, element);
        } else {
            zend_hash_next_index_insert(list, element);
        }
    }
    ZEND_HASH_FOREACH_END();
}

static bool merge_lists(oh_merging *merging)
{
    HashTable seen;

    if (oh_merge_are_all(merging, IS_STRING)) {
        return concat_texts(merging);
    }
    if (!oh_merge_are_all(merging, IS_ARRAY)) {
        return false;
    }
    array_init(merging->merged);
    zend_hash_init(&seen, 8, NULL, NULL, false);
    for (uint32_t i = 0; i < merging->count; i++) {
        append_list(Z_ARRVAL_P(merging->merged), Z_ARRVAL_P(merging->replies[i]),
            merging->split->merge == OH_MERGE_UNION ? &seen : NULL);
    }
    zend_hash_destroy(&seen);
    return true;
}

static bool merge_per_node(oh_client *client, oh_merging *merging)
{
    zval entry;

    array_init_size(merging->merged, merging->count);
    for (uint32_t i = 0; i < merging->count; i++) {
        oh_node node = oh_topology_node(client->snapshot->topology, merging->split->parts[i].node);

        if (merging->failures && merging->failures[i]) {
            ZVAL_OBJ_COPY(&entry, merging->failures[i]);
        } else {
            oh_merge_move(&entry, merging->replies[i]);
        }
        zend_symtable_str_update(
            Z_ARRVAL_P(merging->merged), node.name.bytes, node.name.length, &entry);
    }
    return true;
}

/*
 * ---- INFO ----
 *
 * The INFO of several nodes gets the form of one server's INFO: phpredis' array, or the text that
 * rawCommand returns. Implements spec/route, "INFO".
 */

/* The value of a field in one node's reply, or NULL. */
static zend_string *value_in(const zval *reply, const char *name, size_t length)
{
    char line[64];

    if (Z_TYPE_P(reply) == IS_ARRAY) {
        zval *value = zend_hash_str_find(Z_ARRVAL_P(reply), name, length);
        return value ? zval_get_string(value) : NULL;
    }
    const char *end = Z_STRVAL_P(reply) + Z_STRLEN_P(reply);
    int line_length = snprintf(line, sizeof line, "\n%.*s:", (int)length, name);
    const char *found = zend_memnstr(Z_STRVAL_P(reply), line, (size_t)line_length, end);

    if (!found) {
        return NULL;
    }
    found += line_length;
    return zend_string_init(found, strcspn(found, "\r\n"), false);
}

static size_t merge_field(const oh_merging *merging, const oh_info_field *field, char *text)
{
    size_t length = strlen(field->name) - (field->rule == OH_INFO_HUMAN ? strlen("_human") : 0);
    zend_string **texts = safe_emalloc(merging->count, sizeof *texts, 0);
    oh_bytes *values = safe_emalloc(merging->count, sizeof *values, 0);
    uint32_t count = 0;

    for (uint32_t i = 0; i < merging->count; i++) {
        zend_string *found = value_in(merging->replies[i], field->name, length);

        if (found) {
            values[count] = (oh_bytes){(const uint8_t *)ZSTR_VAL(found), ZSTR_LEN(found)};
            texts[count++] = found;
        }
    }
    size_t merged = oh_info_merge(field->rule, values, count, merging->count, text);
    while (count > 0) {
        zend_string_release(texts[--count]);
    }
    efree(texts);
    efree(values);
    return merged;
}

static void merge_arrays(oh_merging *merging)
{
    char text[OH_INFO_ROOM + 1]; /* PHP reads a number up to the NUL behind it. */

    array_init(merging->merged);
    for (const oh_info_field *field = oh_info_fields; field->name; field++) {
        size_t length = merge_field(merging, field, text);
        zend_long number;

        text[length] = '\0';
        if (length > 0 && is_numeric_string(text, length, &number, NULL, false) == IS_LONG) {
            add_assoc_long(merging->merged, field->name, number);
        } else if (length > 0) {
            add_assoc_stringl(merging->merged, field->name, text, length);
        }
    }
}

static void merge_texts(oh_merging *merging)
{
    const char *section = "";
    smart_str lines = {0};
    char text[OH_INFO_ROOM];

    for (const oh_info_field *field = oh_info_fields; field->name; field++) {
        size_t length = merge_field(merging, field, text);

        if (length == 0) {
            continue;
        }
        if (strcmp(section, field->section) != 0) {
            smart_str_append_printf(&lines, "%s# %s\r\n", lines.s ? "\r\n" : "", field->section);
            section = field->section;
        }
        smart_str_append_printf(&lines, "%s:%.*s\r\n", field->name, (int)length, text);
    }
    ZVAL_STR(merging->merged, smart_str_extract(&lines));
}

static bool merge_info(oh_merging *merging)
{
    if (merging->count == 1) {
        return oh_merge_take_first(merging);
    }
    if (oh_merge_are_all(merging, IS_ARRAY)) {
        merge_arrays(merging);
    } else if (oh_merge_are_all(merging, IS_STRING)) {
        merge_texts(merging);
    } else {
        return false;
    }
    return true;
}

/* ---- By rule ---- */

static bool merge_by_rule(oh_client *client, oh_merging *merging)
{
    switch (merging->split->merge) {
    case OH_MERGE_SUM:
    case OH_MERGE_MIN:
    case OH_MERGE_MAX:
    case OH_MERGE_AND: return merge_numbers(merging);
    case OH_MERGE_ALL_OK: return merge_all_ok(merging);
    case OH_MERGE_ONE_OK:
    case OH_MERGE_FIRST_NOT_NIL: return merge_first_something(merging);
    case OH_MERGE_CONCAT:
    case OH_MERGE_UNION: return merge_lists(merging);
    case OH_MERGE_NONE: /* No merge: an array of replies by node. */
        return merge_per_node(client, merging);
    case OH_MERGE_PER_NODE: return !oh_merge_has_false(merging) && merge_per_node(client, merging);
    case OH_MERGE_IN_ORDER: return oh_merge_in_order(merging);
    case OH_MERGE_STREAMS: return oh_merge_streams(merging);
    case OH_MERGE_INFO: return merge_info(merging);
    default: /* SCAN and SUBSCRIPTION are conversations, not merges. */ return false;
    }
}

zend_object *oh_merge_replies(oh_client *client, const oh_split *split, zval **replies,
    zend_object **failures, zval *return_value)
{
    oh_merging merging = {split, replies, split->parts_count, failures, return_value};

    if (split->merge == OH_MERGE_EQUAL) {
        return merge_equal(client, &merging);
    }
    zend_object *failure =
        split->merge == OH_MERGE_IN_ORDER && !failures ? refuse_misfit(client, &merging) : NULL;
    if (failure) {
        return failure;
    }
    if (!merge_by_rule(client, &merging)) {
        ZVAL_FALSE(return_value);
    }
    return NULL;
}
