/*
 * A call is looked at twice: first for whether it is taken and how much room it needs, then for its
 * bytes. So nothing is written for a call that is left to phpredis.
 *
 * Only texts and integers are taken, because phpredis sends them as they are. All else (other types
 * that PHP converts, references, objects) is left to phpredis.
 */
#include "php/base/zend.h"

#include "php/express/express.h"

/* `$`, a length, two ends of lines. */
#define WORD_ROOM 32
#define LONG_ROOM (WORD_ROOM + MAX_LENGTH_OF_LONG)
#define COUNT_ROOM 16
#define BYTES_MIN 4096
#define ROWS_MIN 64

/* phpredis sends a score with 17 digits; up to this limit these are the digits of the integer. */
#define SCORE_MAX 1000000000000000

/* ---- What a call needs ---- */

static zend_always_inline bool is_score(const zval *value)
{
    return Z_TYPE_P(value) == IS_LONG && Z_LVAL_P(value) <= SCORE_MAX &&
           Z_LVAL_P(value) >= -SCORE_MAX;
}

static zend_always_inline bool is_int32(zend_long number)
{
    return number >= INT32_MIN && number <= INT32_MAX;
}

/* The room for a text or an integer as one word; 0 if it is neither. */
static zend_always_inline size_t room_for_value(const zval *value)
{
    if (EXPECTED(Z_TYPE_P(value) == IS_STRING)) {
        return oh_express_may_write(Z_STR_P(value)) ? Z_STRLEN_P(value) + WORD_ROOM : 0;
    }
    return Z_TYPE_P(value) == IS_LONG ? LONG_ROOM : 0;
}

/* The room for a word of this letter; 0 if the argument does not have exactly its type. */
static zend_always_inline size_t room_for_word(
    const oh_express_call *call, char letter, const zval *value)
{
    size_t prefix_length = call->prefix ? ZSTR_LEN(call->prefix) : 0;
    bool is_text = Z_TYPE_P(value) == IS_STRING;

    switch (letter) {
    case 'k': return EXPECTED(is_text) ? room_for_value(value) + prefix_length : 0;
    case 's': return EXPECTED(is_text) || !call->is_strict ? room_for_value(value) : 0;
    case 'l': return Z_TYPE_P(value) == IS_LONG ? LONG_ROOM : 0;
    case 'i': return Z_TYPE_P(value) == IS_LONG && is_int32(Z_LVAL_P(value)) ? LONG_ROOM : 0;
    case 'x': return Z_TYPE_P(value) == IS_LONG && Z_LVAL_P(value) > 0 ? LONG_ROOM : 0;
    case 'n': return is_score(value) ? LONG_ROOM : 0;
    default: return room_for_value(value);
    }
}

/* The room for an array of keys, fields, or fields and values. */
static size_t room_for_array(
    const oh_express_call *call, char letter, HashTable *array, uint32_t *words)
{
    size_t room = WORD_ROOM, more;
    zend_string *name;
    zval *value;

    *words = zend_hash_num_elements(array) * (letter == 'M' ? 2 : 1);
    if (*words == 0 || zend_hash_num_elements(array) > OH_WIRE_ELEMENTS_MAX / 4) {
        return 0;
    }
    ZEND_HASH_FOREACH_STR_KEY_VAL(array, name, value)
    {
        bool is_field = letter == 'F' || letter == 'M';

        more = room_for_word(call, is_field ? 'v' : 'k', value);
        if (!more || (letter == 'F' && Z_TYPE_P(value) == IS_STRING && !Z_STRLEN_P(value))) {
            return 0;
        }
        room += more;
        if (letter == 'M') {
            room += name ? ZSTR_LEN(name) + WORD_ROOM : LONG_ROOM;
        }
    }
    ZEND_HASH_FOREACH_END();
    return room;
}

/* The room for the arguments from `from` on, which share a letter. */
static size_t room_for_rest(
    const oh_express_call *call, char letter, uint32_t from, uint32_t *words)
{
    size_t room = WORD_ROOM, more;

    *words = call->arguments_count - from;
    if (*words == 0 || (letter == 'P' && *words % 2 != 0)) {
        return 0;
    }
    for (uint32_t i = from; i < call->arguments_count; i++) {
        bool is_score = letter == 'P' && (i - from) % 2 == 0;

        more = room_for_word(call, is_score ? 'n' : letter == 'K' ? 'k' : 'v', &call->arguments[i]);
        if (!more) {
            return 0;
        }
        room += more;
    }
    return room;
}

static zend_always_inline bool is_one_array(const oh_express_call *call, uint32_t at)
{
    return call->arguments_count == at + 1 && Z_TYPE(call->arguments[at]) == IS_ARRAY;
}

/* The room for a form whose last letter stands for several words. */
static size_t room_for_variable(
    const oh_express_call *call, const oh_express_row *row, uint32_t *words)
{
    uint32_t last = row->arguments_count - 1;
    char letter = row->arguments[last];
    size_t room = 0, more;

    if (call->arguments_count <= last) {
        return 0;
    }
    if (last == 1 && !(room = room_for_word(call, 'k', &call->arguments[0]))) {
        return 0;
    }
    if (strchr("AFM", letter) || (letter == 'K' && is_one_array(call, last))) {
        more = is_one_array(call, last)
                   ? room_for_array(call, letter, Z_ARRVAL(call->arguments[last]), words)
                   : 0;
    } else {
        more = room_for_rest(call, letter, last, words);
    }
    *words += last;
    return more ? room + more + row->head_length + COUNT_ROOM : 0;
}

static zend_always_inline size_t room_for_fixed(
    const oh_express_call *call, const oh_express_row *row)
{
    size_t room = row->head_length, more;

    if (UNEXPECTED(call->arguments_count != row->arguments_count)) {
        return 0;
    }
    for (uint32_t i = 0; i < row->arguments_count; i++) {
        more = room_for_word(call, row->arguments[i], &call->arguments[i]);
        if (UNEXPECTED(!more)) {
            return 0;
        }
        room += more;
    }
    return room;
}

/* ---- Bytes ---- */

static zend_always_inline char *write_number(char *at, size_t number)
{
    if (EXPECTED(number < 10)) {
        *at = (char)('0' + number);
        return at + 1;
    }
    if (EXPECTED(number < 100)) {
        at[0] = (char)('0' + number / 10);
        at[1] = (char)('0' + number % 10);
        return at + 2;
    }
    char digits[MAX_LENGTH_OF_LONG + 1];
    char *begin = zend_print_ulong_to_buf(digits + sizeof digits - 1, number);
    size_t length = (size_t)(digits + sizeof digits - 1 - begin);

    memcpy(at, begin, length);
    return at + length;
}

static zend_always_inline char *end_line(char *at)
{
    at[0] = '\r';
    at[1] = '\n';
    return at + 2;
}

/* Most words are short: two moves that may overlap cost less than a call of memcpy. */
static zend_always_inline void copy(char *to, const char *from, size_t length)
{
    if (UNEXPECTED(length > 16)) {
        memcpy(to, from, length);
    } else if (length >= 8) {
        uint64_t first, last;

        memcpy(&first, from, 8);
        memcpy(&last, from + length - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + length - 8, &last, 8);
    } else if (length >= 4) {
        uint32_t first, last;

        memcpy(&first, from, 4);
        memcpy(&last, from + length - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + length - 4, &last, 4);
    } else {
        for (size_t i = 0; i < length; i++) {
            to[i] = from[i];
        }
    }
}

static zend_always_inline char *write_text(
    char *at, const zend_string *prefix, const char *bytes, size_t length)
{
    size_t prefix_length = UNEXPECTED(prefix != NULL) ? ZSTR_LEN(prefix) : 0;

    *at = '$';
    at = end_line(write_number(at + 1, prefix_length + length));
    if (UNEXPECTED(prefix_length > 0)) {
        memcpy(at, ZSTR_VAL(prefix), prefix_length);
        at += prefix_length;
    }
    copy(at, bytes, length);
    return end_line(at + length);
}

static char *write_long(char *at, zend_long number)
{
    char digits[MAX_LENGTH_OF_LONG + 1];
    char *begin = zend_print_long_to_buf(digits + sizeof digits - 1, number);

    return write_text(at, NULL, begin, (size_t)(digits + sizeof digits - 1 - begin));
}

static zend_always_inline char *write_word(char *at, const zend_string *prefix, const zval *value)
{
    return EXPECTED(Z_TYPE_P(value) == IS_STRING)
               ? write_text(at, prefix, Z_STRVAL_P(value), Z_STRLEN_P(value))
               : write_long(at, Z_LVAL_P(value));
}

static char *write_array(char *at, const zend_string *prefix, char letter, HashTable *array)
{
    zend_ulong index;
    zend_string *name;
    zval *value;

    ZEND_HASH_FOREACH_KEY_VAL(array, index, name, value)
    {
        if (letter == 'M') {
            at = name ? write_text(at, NULL, ZSTR_VAL(name), ZSTR_LEN(name))
                      : write_long(at, (zend_long)index);
        }
        at = write_word(at, prefix, value);
    }
    ZEND_HASH_FOREACH_END();
    return at;
}

static char *write_variable(
    char *at, const oh_express_call *call, const oh_express_row *row, uint32_t words)
{
    uint32_t last = row->arguments_count - 1;
    char letter = row->arguments[last];
    const zend_string *prefix = letter == 'K' || letter == 'A' ? call->prefix : NULL;

    *at = '*';
    at = write_number(at + 1, words + 1);
    memcpy(at, row->head, row->head_length);
    at += row->head_length;
    if (last == 1) {
        at = write_word(at, call->prefix, &call->arguments[0]);
    }
    if (Z_TYPE(call->arguments[last]) == IS_ARRAY) {
        return write_array(at, prefix, letter, Z_ARRVAL(call->arguments[last]));
    }
    for (uint32_t i = last; i < call->arguments_count; i++) {
        at = write_word(at, prefix, &call->arguments[i]);
    }
    return at;
}

static zend_always_inline char *write_fixed(
    char *at, const oh_express_call *call, const oh_express_row *row)
{
    copy(at, row->head, row->head_length);
    at += row->head_length;
    at = write_word(at, call->prefix, &call->arguments[0]);
    if (UNEXPECTED(row->swaps_last)) {
        at = write_word(at, NULL, &call->arguments[2]);
        return write_word(at, NULL, &call->arguments[1]);
    }
    for (uint32_t i = 1; i < row->arguments_count; i++) {
        at = write_word(at, NULL, &call->arguments[i]);
    }
    return at;
}

/* ---- Memory ---- */

/*
 * The capacity changes last: if the script runs into memory_limit here, its shutdown functions may
 * still use the client.
 */
static zend_never_inline void grow_bytes(oh_express *express, size_t room)
{
    size_t needed = express->length + room;
    size_t capacity = needed < BYTES_MIN ? BYTES_MIN : needed * 2;

    express->bytes = erealloc2(express->bytes, capacity, express->length);
    express->capacity = capacity;
}

static zend_never_inline void grow_rows(oh_express *express)
{
    uint32_t capacity = express->rows_capacity ? express->rows_capacity * 2 : ROWS_MIN;

    express->rows = safe_erealloc(express->rows, capacity, sizeof *express->rows, 0);
    express->rows_capacity = capacity;
}

static zend_always_inline char *make_room(oh_express *express, size_t room)
{
    if (UNEXPECTED(express->capacity - express->length < room)) {
        grow_bytes(express, room);
    }
    if (UNEXPECTED(express->count == express->rows_capacity)) {
        grow_rows(express);
    }
    return express->bytes + express->length;
}

static zend_always_inline void take(oh_express *express, const oh_express_row *row, const char *end)
{
    express->length = (size_t)(end - express->bytes);
    express->rows[express->count++] = row;
}

/* ---- A command ---- */

static bool write_form(oh_express *express, const oh_express_call *call, const oh_express_row *row)
{
    uint32_t words = 0;
    size_t room = row->is_fixed ? room_for_fixed(call, row) : room_for_variable(call, row, &words);

    if (UNEXPECTED(!room)) {
        return false;
    }
    char *at = make_room(express, room);
    take(express, row,
        row->is_fixed ? write_fixed(at, call, row) : write_variable(at, call, row, words));
    return true;
}

bool oh_express_write(oh_express *express, const oh_express_call *call)
{
    for (uint32_t i = 0; i < call->forms.count; i++) {
        if (EXPECTED(write_form(express, call, &call->forms.rows[i]))) {
            return true;
        }
    }
    return false;
}

/* ---- The command of a group ---- */

static size_t room_for_group(const oh_express_row *row, const zend_string *prefix,
    const oh_express_split *split, const oh_express_group *group)
{
    size_t room = row->head_length + COUNT_ROOM;
    size_t word_room = WORD_ROOM + (prefix ? ZSTR_LEN(prefix) : 0);
    uint32_t key = group->first;

    for (uint32_t left = group->count; left > 0; left--, key = split->next[key]) {
        room += ZSTR_LEN(split->keys[key]) + word_room;
    }
    return room;
}

void oh_express_write_group(oh_express *express, const oh_express_row *row,
    const zend_string *prefix, const oh_express_split *split, const oh_express_group *group)
{
    char *at = make_room(express, room_for_group(row, prefix, split, group));
    uint32_t key = group->first;

    *at = '*';
    at = write_number(at + 1, group->count + 1);
    copy(at, row->head, row->head_length);
    at += row->head_length;
    for (uint32_t left = group->count; left > 0; left--, key = split->next[key]) {
        at = write_text(at, prefix, ZSTR_VAL(split->keys[key]), ZSTR_LEN(split->keys[key]));
    }
    take(express, row, at);
}
