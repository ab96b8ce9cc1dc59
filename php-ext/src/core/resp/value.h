/*
 * Value: RESP values, one by one, out of a complete reply. The values point into its bytes.
 */
#ifndef OH_VALUE_H
#define OH_VALUE_H

#include "core/base/slice.h"
#include "core/resp/literal.h"

typedef enum oh_value_kind {
    OH_VALUE_NIL,
    OH_VALUE_TEXT,
    OH_VALUE_NUMBER,
    OH_VALUE_LIST,
    OH_VALUE_ERROR
} oh_value_kind;

typedef struct oh_value {
    oh_value_kind kind;
    oh_text text;   /* Not ended by a NUL. */
    int64_t number; /* A list: how many values follow as its elements. */
} oh_value;

/* The values that are not taken yet. */
typedef struct oh_values {
    const uint8_t *at;
    const uint8_t *end;
} oh_values;

static inline oh_values oh_values_of(const void *bytes, size_t length)
{
    return (oh_values){bytes, (const uint8_t *)bytes + length};
}

/*
 * Takes the next value; if it is a list, only its head. False if there is none, or it is malformed.
 */
bool oh_value_take(oh_values *values, oh_value *value);

/* Take the next value if it is a list, or if it is a text. Otherwise they return false. */
bool oh_value_take_list(oh_values *values, size_t *count);
bool oh_value_take_text(oh_values *values, oh_text *text);

/* Takes the next value with everything inside it. */
bool oh_value_skip(oh_values *values);

/*
 * Takes the head of the next value if it has that type: its number, which may count bytes or
 * elements that have not arrived. Otherwise returns false.
 */
bool oh_value_take_head(oh_values *values, char type, int64_t *number);

/* Takes a line that is a number, without a type. Otherwise returns false. */
bool oh_value_take_digits(oh_values *values, int64_t *number);

/* True if a number comes next. */
static inline bool oh_value_is_number_next(const oh_values *values)
{
    return values->at < values->end && *values->at == OH_RESP_NUMBER;
}

/* True if these are the first bytes of an error reply. */
static inline bool oh_value_begins_error(const void *reply, size_t length)
{
    return length > 0 && *(const char *)reply == OH_RESP_ERROR;
}

/* The text of an error reply, up to its end or to the last byte that is there. */
oh_text oh_value_error_text(const void *reply, size_t length);

/*
 * A command as clients write it: a list of words. The first two take its head, then one word after
 * another; the last takes all of it. False if the bytes are not a command.
 */
bool oh_value_take_command(oh_values *values, size_t *words_count);
bool oh_value_take_word(oh_values *values, oh_bytes *word);
bool oh_value_skip_command(oh_values *values);

/* True if the value is that text. Inline like oh_text_is: a large reply has thousands of names. */
static inline bool oh_value_is(const oh_value *value, const char *text)
{
    return value->kind == OH_VALUE_TEXT && oh_text_is(value->text, text);
}

#endif
