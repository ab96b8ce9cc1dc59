/*
 * Merges the INFO of several nodes into the form of one server's.
 *
 *     fields of each node ─► field: its values, node by node ─► one, or none (core/command/info)
 *
 * phpredis parses the reply into an array and converts some values to numbers; rawCommand returns
 * the text. Both are parsed into the same table, and the result has the form of the replies.
 *
 * Implements spec/route, "INFO".
 */
#include "php/base/zend.h"

#include "zend_smart_str.h"

#include "core/command/info.h"

#include "php/scatter/merge_internal.h"

/* Merges the values of one field. Returns false if the fleet's INFO omits the field. */
static bool merge_field(zend_string *name, HashTable *values, uint32_t nodes_count, zval *merged)
{
    uint32_t count = zend_hash_num_elements(values), i = 0;
    zend_string **texts = safe_emalloc(count, sizeof *texts, 0);
    oh_bytes *bytes = safe_emalloc(count, sizeof *bytes, 0);
    zval *value;

    ZEND_HASH_FOREACH_VAL(values, value)
    {
        texts[i] = zval_get_string(value);
        bytes[i] = (oh_bytes){(const uint8_t *)ZSTR_VAL(texts[i]), ZSTR_LEN(texts[i])};
        i++;
    }
    ZEND_HASH_FOREACH_END();
    char *text = emalloc(oh_info_room(bytes, count));
    oh_bytes field = {(const uint8_t *)ZSTR_VAL(name), ZSTR_LEN(name)};
    oh_info info = oh_info_merge(field, bytes, count, nodes_count, text);

    if (info.kind == OH_INFO_VALUE) {
        ZVAL_COPY(merged, zend_hash_index_find(values, info.index));
    } else if (info.kind == OH_INFO_NUMBER) {
        ZVAL_LONG(merged, info.number);
    } else if (info.kind == OH_INFO_TEXT) {
        ZVAL_STRINGL(merged, text, info.length);
    }
    efree(text);
    while (i-- > 0) {
        zend_string_release(texts[i]);
    }
    efree(texts);
    efree(bytes);
    return info.kind != OH_INFO_LEFT_OUT;
}

/* ---- Fields of all nodes ---- */

/*
 * Returns the array under a name, creating it if needed. Tables map a name to the values, node by
 * node.
 */
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

/*
 * Parses a text into the table: section ─► field ─► values.
 */
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
            zend_string_release(section); /* NOLINT(clang-analyzer-unix.Malloc): counted. */
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
    zend_string_release(section); /* NOLINT(clang-analyzer-unix.Malloc): counted. */
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
