/*
 * INFO of several nodes in the form of one server's.
 *
 *     fields of each node ─► field: its values, node by node ─► one value, or none where none would be honest
 *
 * phpredis makes an array of the reply, and conversions of its own to numbers; rawCommand gives the text. Both are
 * taken apart into the same table, and put together again in the form they had.
 *
 * Implements spec/route, "INFO".
 */
#include "php_onehop.h"

#include "zend_smart_str.h"

#include "core/generated/info.h"

#include "php/scatter/merge_rules.h"

typedef enum oh_info_rule {
    OH_INFO_EQUAL, /* Kept where it is the same everywhere. */
    OH_INFO_SUM,
    OH_INFO_MIN,
    OH_INFO_MAX,
    OH_INFO_LOWEST_VERSION
} oh_info_rule;

typedef struct oh_info_field {
    const char *name;
    oh_info_rule rule;
} oh_info_field;

static const oh_info_field fields[] = {
#define OH_INFO_ROW(name, rule) {name, rule},
    OH_INFO_FIELDS(OH_INFO_ROW)
#undef OH_INFO_ROW
};

static int compare_fields(const void *a, const void *b)
{
    return strcmp(((const oh_info_field *)a)->name, ((const oh_info_field *)b)->name);
}

static oh_info_rule rule_of(const zend_string *name)
{
    const oh_info_field wanted = {ZSTR_VAL(name), OH_INFO_EQUAL};
    const oh_info_field *found = bsearch(&wanted, fields, sizeof fields / sizeof *fields, sizeof *fields, compare_fields);

    return found ? found->rule : OH_INFO_EQUAL;
}

/* ---- Values of one field ---- */

static zend_long add(zend_long a, zend_long b)
{
    return (zend_long)((zend_ulong)a + (zend_ulong)b);
}

static void combine_numbers(oh_info_rule rule, HashTable *values, zval *merged)
{
    zval *value;
    bool is_first = true;

    ZVAL_LONG(merged, 0);
    ZEND_HASH_FOREACH_VAL(values, value)
    {
        zend_long number = zval_get_long(value), so_far = Z_LVAL_P(merged);

        if (rule == OH_INFO_SUM) {
            number = add(so_far, number);
        } else if (!is_first) {
            number = rule == OH_INFO_MIN ? MIN(so_far, number) : MAX(so_far, number);
        }
        ZVAL_LONG(merged, number);
        is_first = false;
    }
    ZEND_HASH_FOREACH_END();
}

/* Part by part, as numbers; what is no number counts as 0. */
static int compare_versions(const char *a, const char *b)
{
    while (*a && *b) {
        char *after_a, *after_b;
        long part_a = strtol(a, &after_a, 10), part_b = strtol(b, &after_b, 10);

        if (part_a != part_b) {
            return part_a < part_b ? -1 : 1;
        }
        a = strchr(after_a, '.') ? strchr(after_a, '.') + 1 : "";
        b = strchr(after_b, '.') ? strchr(after_b, '.') + 1 : "";
    }
    return *a ? 1 : *b ? -1 : 0;
}

static void lowest_version(HashTable *values, zval *merged)
{
    zend_string *lowest = NULL;
    zval *value;

    ZEND_HASH_FOREACH_VAL(values, value)
    {
        zend_string *version = zval_get_string(value);

        if (!lowest || compare_versions(ZSTR_VAL(version), ZSTR_VAL(lowest)) < 0) {
            zend_string *higher = lowest;
            lowest = version;
            version = higher;
        }
        if (version) {
            zend_string_release(version);
        }
    }
    ZEND_HASH_FOREACH_END();
    ZVAL_STR(merged, lowest);
}

static bool are_equal(HashTable *values)
{
    zval *first = zend_hash_index_find(values, 0), *value;

    ZEND_HASH_FOREACH_VAL(values, value)
    {
        if (!zend_is_identical(first, value)) {
            return false;
        }
    }
    ZEND_HASH_FOREACH_END();
    return true;
}

/* The fleet's value of one field. False: it is left out. A share that a node does not have is 0 there. */
static bool merge_field(const zend_string *name, HashTable *values, uint32_t nodes_count, zval *merged)
{
    oh_info_rule rule = rule_of(name);

    if (oh_merge_is_info_parts(name)) {
        return oh_merge_info_parts(name, values, merged);
    }
    if (rule != OH_INFO_SUM && zend_hash_num_elements(values) < nodes_count) {
        return false;
    }
    if (rule == OH_INFO_LOWEST_VERSION) {
        lowest_version(values, merged);
    } else if (rule != OH_INFO_EQUAL) {
        combine_numbers(rule, values, merged);
    } else if (are_equal(values)) {
        ZVAL_COPY(merged, zend_hash_index_find(values, 0));
    } else {
        return false;
    }
    return true;
}

/* ---- Fields of all nodes ---- */

/* name ─► values, node by node. The array under a name, made if it is not there yet. */
static HashTable *array_under(HashTable *table, zend_string *name)
{
    zval *found = zend_hash_find(table, name), empty;

    if (!found) {
        array_init(&empty);
        found = zend_hash_add_new(table, name, &empty);
    }
    return Z_ARRVAL_P(found);
}

static void merge_arrays(oh_merging *merging)
{
    HashTable gathered;
    zend_string *name;
    zval *value, merged;

    zend_hash_init(&gathered, 256, NULL, ZVAL_PTR_DTOR, false);
    for (uint32_t i = 0; i < merging->count; i++) {
        ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL_P(merging->replies[i]), name, value)
        {
            if (name) {
                Z_TRY_ADDREF_P(value);
                zend_hash_next_index_insert(array_under(&gathered, name), value);
            }
        }
        ZEND_HASH_FOREACH_END();
    }
    array_init_size(merging->merged, zend_hash_num_elements(&gathered));
    ZEND_HASH_FOREACH_STR_KEY_VAL(&gathered, name, value)
    {
        if (merge_field(name, Z_ARRVAL_P(value), merging->count, &merged)) {
            zend_hash_add_new(Z_ARRVAL_P(merging->merged), name, &merged);
        }
    }
    ZEND_HASH_FOREACH_END();
    zend_hash_destroy(&gathered);
}

/* Section ─► field ─► values. */
static void take_text_apart(HashTable *sections, const zend_string *text)
{
    zend_string *section = ZSTR_EMPTY_ALLOC();
    const char *line = ZSTR_VAL(text), *end = line + ZSTR_LEN(text);

    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const char *next = stop ? stop + 1 : end;
        size_t length = (size_t)((stop ? stop : end) - line);

        length -= length > 0 && line[length - 1] == '\r';
        const char *colon = memchr(line, ':', length);
        if (length > 0 && *line == '#') {
            zend_string_release(section);
            section = zend_string_init(line, length, false);
        } else if (colon) {
            zend_string *name = zend_string_init(line, (size_t)(colon - line), false);
            zval value;

            ZVAL_STRINGL(&value, colon + 1, (size_t)(line + length - colon - 1));
            zend_hash_next_index_insert(array_under(array_under(sections, section), name), &value);
            zend_string_release(name);
        }
        line = next;
    }
    zend_string_release(section);
}

static void append_fields(smart_str *text, HashTable *section, uint32_t nodes_count)
{
    zend_string *name;
    zval *values, merged;

    ZEND_HASH_FOREACH_STR_KEY_VAL(section, name, values)
    {
        if (merge_field(name, Z_ARRVAL_P(values), nodes_count, &merged)) {
            zend_string *value = zval_get_string(&merged);

            smart_str_append(text, name);
            smart_str_appendc(text, ':');
            smart_str_append(text, value);
            smart_str_appends(text, "\r\n");
            zend_string_release(value);
            zval_ptr_dtor(&merged);
        }
    }
    ZEND_HASH_FOREACH_END();
}

static void merge_texts(oh_merging *merging)
{
    HashTable sections;
    zend_string *header;
    zval *section;
    smart_str text = {0};

    zend_hash_init(&sections, 16, NULL, ZVAL_PTR_DTOR, false);
    for (uint32_t i = 0; i < merging->count; i++) {
        take_text_apart(&sections, Z_STR_P(merging->replies[i]));
    }
    ZEND_HASH_FOREACH_STR_KEY_VAL(&sections, header, section)
    {
        smart_str_appends(&text, text.s ? "\r\n" : "");
        smart_str_append(&text, header);
        smart_str_appends(&text, "\r\n");
        append_fields(&text, Z_ARRVAL_P(section), merging->count);
    }
    ZEND_HASH_FOREACH_END();
    zend_hash_destroy(&sections);
    ZVAL_STR(merging->merged, smart_str_extract(&text));
}

bool oh_merge_info(oh_merging *merging)
{
    uint32_t arrays = 0, texts = 0;

    for (uint32_t i = 0; i < merging->count; i++) {
        arrays += Z_TYPE_P(merging->replies[i]) == IS_ARRAY;
        texts += Z_TYPE_P(merging->replies[i]) == IS_STRING;
    }
    if (arrays == merging->count) {
        merge_arrays(merging);
    } else if (texts == merging->count) {
        merge_texts(merging);
    }
    return arrays == merging->count || texts == merging->count;
}
