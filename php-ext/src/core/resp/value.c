/*
 * Reads values out of a reply. wire has framed it, but no length is trusted: each is compared with
 * the bytes that are left.
 *
 * Implements spec/topology/cluster.md, section 1.
 */
#include "core/resp/value.h"

#define WORD_BYTES_MIN 6 /* The shortest word of a command: "$0", CR LF, and CR LF again. */

/* Takes the text up to the next CR LF, and the CR LF. */
static bool take_line(oh_values *values, oh_text *line)
{
    const uint8_t *start = values->at;
    const uint8_t *cr = memchr(start, '\r', (size_t)(values->end - start));

    if (!cr || values->end - cr < 2 || cr[1] != '\n') {
        return false;
    }
    *line = (oh_text){(const char *)start, (size_t)(cr - start)};
    values->at = cr + 2;
    return true;
}

static bool number_of(oh_text line, int64_t *number)
{
    bool is_negative = line.length > 0 && line.bytes[0] == '-';
    size_t first = is_negative ? 1 : 0;
    uint64_t most = (uint64_t)INT64_MAX + first, value = 0;

    for (size_t i = first; i < line.length; i++) {
        uint64_t digit = (uint64_t)(uint8_t)line.bytes[i] - '0';

        if (digit > 9 || value > (most - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *number = is_negative ? (int64_t)(0 - value) : (int64_t)value;
    return line.length > first;
}

static bool take_bulk(oh_values *values, int64_t length, oh_value *value)
{
    if (length < 0) {
        return length == -1;
    }
    if (values->end - values->at < 2 || length > values->end - values->at - 2) {
        return false;
    }
    *value = (oh_value){.kind = OH_VALUE_TEXT, .text = {(const char *)values->at, (size_t)length}};
    values->at += length + 2;
    return true;
}

/* No element takes fewer than three bytes. */
static bool take_list(const oh_values *values, int64_t count, oh_value *value)
{
    if (count < 0) {
        return count == -1;
    }
    *value = (oh_value){.kind = OH_VALUE_LIST, .number = count};
    return count <= (values->end - values->at) / 3;
}

bool oh_value_take(oh_values *values, oh_value *value)
{
    oh_text line;
    int64_t number = 0;

    *value = (oh_value){.kind = OH_VALUE_NIL};
    if (values->at == values->end) {
        return false;
    }
    char type = (char)*values->at++;
    bool is_counted = type == OH_RESP_BULK || type == OH_RESP_LIST || type == OH_RESP_MAP ||
                      type == OH_RESP_NUMBER;
    if (!take_line(values, &line) || (is_counted && !number_of(line, &number))) {
        return false;
    }
    switch (type) {
    case OH_RESP_BULK: return take_bulk(values, number, value);
    case OH_RESP_LIST: return take_list(values, number, value);
    case OH_RESP_MAP:
        return take_list(values, number < 0 || number > INT64_MAX / 2 ? -2 : number * 2, value);
    case OH_RESP_NUMBER:
        *value = (oh_value){.kind = OH_VALUE_NUMBER, .number = number};
        return true;
    case OH_RESP_TEXT: *value = (oh_value){.kind = OH_VALUE_TEXT, .text = line}; return true;
    case OH_RESP_ERROR: *value = (oh_value){.kind = OH_VALUE_ERROR, .text = line}; return true;
    default: return type == OH_RESP_NULL;
    }
}

bool oh_value_take_list(oh_values *values, size_t *count)
{
    oh_value value;
    bool is_list = oh_value_take(values, &value) && value.kind == OH_VALUE_LIST;

    *count = is_list ? (size_t)value.number : 0;
    return is_list;
}

bool oh_value_take_text(oh_values *values, oh_text *text)
{
    oh_value value;
    bool is_text = oh_value_take(values, &value) && value.kind == OH_VALUE_TEXT;

    *text = is_text ? value.text : (oh_text){NULL, 0};
    return is_text;
}

bool oh_value_skip(oh_values *values)
{
    int64_t pending = 1;
    oh_value value;

    for (; pending > 0; pending--) {
        if (!oh_value_take(values, &value)) {
            return false;
        }
        pending += value.kind == OH_VALUE_LIST ? value.number : 0;
    }
    return true;
}

bool oh_value_take_digits(oh_values *values, int64_t *number)
{
    oh_values next = *values;
    oh_text line;

    if (!take_line(&next, &line) || !number_of(line, number)) {
        return false;
    }
    *values = next;
    return true;
}

bool oh_value_take_head(oh_values *values, char type, int64_t *number)
{
    oh_values next = *values;

    if (next.at == next.end || (char)*next.at != type) {
        return false;
    }
    next.at++;
    if (!oh_value_take_digits(&next, number)) {
        return false;
    }
    *values = next;
    return true;
}

oh_text oh_value_error_text(const void *reply, size_t length)
{
    const char *text = (const char *)reply + 1;
    const char *cr = memchr(text, '\r', length - 1);

    return (oh_text){text, cr ? (size_t)(cr - text) : length - 1};
}

/* ---- Commands ---- */

/* Digits only, as clients write a length: the first is 0 only if it is the only one. */
static bool take_length(oh_values *values, char type, size_t *length)
{
    const uint8_t *at = values->at, *end = values->end;

    if (at == end || (char)*at != type) {
        return false;
    }
    const uint8_t *first = ++at;
    *length = 0;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        if (*length > SIZE_MAX / 20) {
            return false;
        }
        *length = *length * 10 + (size_t)(*at - '0');
    }
    if (at == first || (*first == '0' && at > first + 1) || end - at < 2 || at[0] != '\r' ||
        at[1] != '\n') {
        return false;
    }
    values->at = at + 2;
    return true;
}

bool oh_value_take_command(oh_values *values, size_t *words_count)
{
    return take_length(values, OH_RESP_LIST, words_count) && *words_count > 0 &&
           *words_count <= (size_t)(values->end - values->at) / WORD_BYTES_MIN;
}

bool oh_value_take_word(oh_values *values, oh_bytes *word)
{
    size_t length;

    if (!take_length(values, OH_RESP_BULK, &length)) {
        return false;
    }
    size_t left = (size_t)(values->end - values->at);
    if (left < 2 || length > left - 2 || values->at[length] != '\r' ||
        values->at[length + 1] != '\n') {
        return false;
    }
    *word = (oh_bytes){values->at, length};
    values->at += length + 2;
    return true;
}

bool oh_value_skip_command(oh_values *values)
{
    size_t count;
    oh_bytes word;

    if (!oh_value_take_command(values, &count)) {
        return false;
    }
    while (count > 0 && oh_value_take_word(values, &word)) {
        count--;
    }
    return count == 0;
}
