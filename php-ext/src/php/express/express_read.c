/*
 * The bytes were framed, so they are well-formed, but the last reply may be incomplete. This file
 * only checks whether a value is complete, and whether it has the type that the row expects.
 */
#include "php/base/zend.h"

#include "php/express/express.h"

/* The shortest element of a list: an empty bulk is 6 bytes, nil is 5. */
#define ELEMENT_MIN 5
/* Integers with more digits are left to phpredis: they may exceed PHP's. */
#define DIGITS_MAX 18

/* Reads a number and the end of its line. Returns NULL if it is not complete, or not a number. */
static zend_always_inline const char *read_number(const char *at, const char *end, int64_t *number)
{
    bool is_negative = at < end && *at == '-';
    const char *digits = at += is_negative;
    int64_t value = 0;

    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        value = (int64_t)((uint64_t)value * 10 + (uint64_t)(*at - '0'));
    }
    *number = is_negative ? -value : value;
    return EXPECTED(end - at >= 2 && at[0] == '\r' && at > digits && at - digits <= DIGITS_MAX)
               ? at + 2
               : NULL;
}

/* Reads `$12\r\n` or `*12\r\n`. */
static zend_always_inline const char *read_length(
    char type, const char *at, const char *end, int64_t *length)
{
    return EXPECTED(at < end && *at == type) ? read_number(at + 1, end, length) : NULL;
}

/* Reads a bulk; NULL is nil. */
static zend_always_inline const char *read_text(const char *at, const char *end, zend_string **text)
{
    int64_t length;

    if (UNEXPECTED(!(at = read_length('$', at, end, &length)))) {
        return NULL;
    }
    if (UNEXPECTED(length < 0)) {
        *text = NULL;
        return at;
    }
    if (UNEXPECTED(end - at < length + 2)) {
        return NULL;
    }
    *text = zend_string_init_fast(at, (size_t)length);
    return at + length + 2;
}

static zend_always_inline const char *read_string(const char *at, const char *end, zval *value)
{
    zend_string *text = NULL;

    at = read_text(at, end, &text);
    if (EXPECTED(text != NULL)) {
        ZVAL_STR(value, text);
    } else {
        ZVAL_FALSE(value);
    }
    return at;
}

/* True for `$-1\r\n`. */
static zend_always_inline bool is_nil(const char *at, const char *end)
{
    return end - at >= 5 && at[0] == '$' && at[1] == '-';
}

static const char *read_integer(const char *at, const char *end, zval *value)
{
    int64_t number;

    if (UNEXPECTED(is_nil(at, end))) {
        ZVAL_FALSE(value);
        return at + 5;
    }
    if ((at = read_length(':', at, end, &number))) {
        ZVAL_LONG(value, number);
    }
    return at;
}

static const char *read_one(const char *at, const char *end, zval *value)
{
    if (end - at < 4 || at[0] != ':' || (at[1] != '0' && at[1] != '1') || at[2] != '\r') {
        return NULL;
    }
    ZVAL_BOOL(value, at[1] == '1');
    return at + 4;
}

static const char *read_ok(const char *at, const char *end, zval *value)
{
    if (end - at < 5 || memcmp(at, "+OK\r\n", 5) != 0) {
        return NULL;
    }
    ZVAL_TRUE(value);
    return at + 5;
}

/* True if a number may begin with this byte: not white space, although atof would skip it. */
static bool begins_number(char byte)
{
    return isdigit((unsigned char)byte) || (byte && strchr("+-.iInN", byte));
}

/* atof, because phpredis uses it; it stops at the end of the line. */
static const char *read_double(const char *at, const char *end, zval *value)
{
    int64_t length;

    if (!(at = read_length('$', at, end, &length))) {
        return NULL;
    }
    if (length < 0) {
        ZVAL_FALSE(value);
        return at;
    }
    if (end - at < length + 2 || !begins_number(*at)) {
        return NULL;
    }
    ZVAL_DOUBLE(value, atof(at));
    return at + length + 2;
}

/* Reads the head of a list. NULL if it has more elements than there can be in the bytes. */
static zend_always_inline const char *read_list_head(
    const char *at, const char *end, int64_t *count)
{
    if (!(at = read_length('*', at, end, count)) || *count < 0 ||
        (end - at) / ELEMENT_MIN < *count) {
        return NULL;
    }
    return at;
}

static const char *read_list(const char *at, const char *end, zval *value)
{
    int64_t count;

    if (!(at = read_list_head(at, end, &count))) {
        return NULL;
    }
    array_init_size(value, (uint32_t)count);
    zend_hash_real_init_packed(Z_ARRVAL_P(value));
    ZEND_HASH_FILL_PACKED(Z_ARRVAL_P(value))
    {
        for (; count > 0 && at; count--) {
            if ((at = read_string(at, end, __fill_val))) {
                ZEND_HASH_FILL_NEXT();
            }
        }
    }
    ZEND_HASH_FILL_END();
    if (!at) {
        zval_ptr_dtor(value);
    }
    return at;
}

/* Adds a name and the value after it. Neither may be nil. */
static const char *read_pair(const char *at, const char *end, HashTable *map)
{
    zend_string *name = NULL, *text = NULL;
    zval value;

    if (!(at = read_text(at, end, &name)) || !name) {
        return NULL;
    }
    if (!(at = read_text(at, end, &text)) || !text) {
        zend_string_release(name);
        return NULL;
    }
    ZVAL_STR(&value, text);
    zend_symtable_update(map, name, &value);
    zend_string_release(name);
    return at;
}

static const char *read_map(const char *at, const char *end, zval *value)
{
    int64_t count;

    if (!(at = read_list_head(at, end, &count)) || count % 2 != 0) {
        return NULL;
    }
    array_init_size(value, (uint32_t)count / 2);
    for (; count > 0 && at; count -= 2) {
        at = read_pair(at, end, Z_ARRVAL_P(value));
    }
    if (!at) {
        zval_ptr_dtor(value);
    }
    return at;
}

/* The fields are words of the request, after the command's name and the key. */
static const char *read_fields(oh_values command, const char *at, const char *end, zval *value)
{
    size_t words_count = 0;
    oh_bytes word;
    int64_t count;

    oh_value_take_command(&command, &words_count);
    if (!(at = read_list_head(at, end, &count)) || (size_t)count != words_count - 2) {
        return NULL;
    }
    oh_value_take_word(&command, &word);
    oh_value_take_word(&command, &word);
    array_init_size(value, (uint32_t)count);
    for (; count > 0; count--) {
        zval field;

        if (!oh_value_take_word(&command, &word) || !(at = read_string(at, end, &field))) {
            zval_ptr_dtor(value);
            return NULL;
        }
        zend_symtable_str_update(Z_ARRVAL_P(value), (const char *)word.bytes, word.length, &field);
    }
    return at;
}

const char *oh_express_read(
    const oh_express_row *row, oh_values command, const char *at, const char *end, zval *value)
{
    switch (row->reply) {
    case OH_EXPRESS_STRING: return read_string(at, end, value);
    case OH_EXPRESS_INTEGER: return read_integer(at, end, value);
    case OH_EXPRESS_ONE: return read_one(at, end, value);
    case OH_EXPRESS_OK: return read_ok(at, end, value);
    case OH_EXPRESS_DOUBLE: return read_double(at, end, value);
    case OH_EXPRESS_LIST: return read_list(at, end, value);
    case OH_EXPRESS_MAP: return read_map(at, end, value);
    case OH_EXPRESS_FIELDS: return read_fields(command, at, end, value);
    }
    return NULL;
}

/* ---- The reply of a group ---- */

/* Removes the first values of a group again. */
static void forget_values(
    const oh_express_split *split, const oh_express_group *group, uint32_t count)
{
    uint32_t key = group->first;

    for (; count > 0; count--, key = split->next[key]) {
        zval_ptr_dtor(&split->values[key]);
        ZVAL_UNDEF(&split->values[key]);
    }
}

static const char *read_values(
    const oh_express_split *split, const oh_express_group *group, const char *at, const char *end)
{
    uint32_t key = group->first;
    int64_t count;

    if (UNEXPECTED(!(at = read_list_head(at, end, &count)) || count != group->count)) {
        return NULL;
    }
    for (uint32_t read = 0; read < group->count; read++, key = split->next[key]) {
        if (UNEXPECTED(!(at = read_string(at, end, &split->values[key])))) {
            forget_values(split, group, read + 1);
            return NULL;
        }
    }
    return at;
}

const char *oh_express_read_group(const oh_express_row *row, const oh_express_split *split,
    const oh_express_group *group, const char *at, const char *end)
{
    return EXPECTED(row->reply == OH_EXPRESS_LIST)
               ? read_values(split, group, at, end)
               : read_integer(at, end, &split->values[group->first]);
}

bool oh_express_is_misfit(const oh_express_group *group, const char *at, const char *end)
{
    oh_values reply = oh_values_of(at, (size_t)(end - at));
    int64_t count;

    return oh_value_take_head(&reply, OH_RESP_LIST, &count) && count != group->count;
}

/* Moves a value, and leaves UNDEF in its place. */
static void move_value(zval *to, zval *from)
{
    ZVAL_COPY_VALUE(to, from);
    ZVAL_UNDEF(from);
}

void oh_express_take_group(const oh_express_row *row, const oh_express_split *split,
    const oh_express_group *group, zval *reply)
{
    uint32_t key = group->first;
    zval value;

    if (row->reply != OH_EXPRESS_LIST) {
        move_value(reply, &split->values[key]);
        return;
    }
    array_init_size(reply, group->count);
    for (uint32_t left = group->count; left > 0; left--, key = split->next[key]) {
        move_value(&value, &split->values[key]);
        zend_hash_next_index_insert(Z_ARRVAL_P(reply), &value);
    }
}
