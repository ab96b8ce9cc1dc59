/*
 * Merges the INFO of several nodes into the form of one server's: phpredis' array, or the text that
 * rawCommand returns.
 *
 * Implements spec/route, "INFO".
 */
#include "php/base/zend.h"

#include "zend_smart_str.h"

#include "core/command/info.h"

#include "php/scatter/merge.h"

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

bool oh_merge_info(oh_merging *merging)
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
