/*
 * Reads values out of a reply. wire has framed it, but no length is trusted: each is compared with
 * the bytes that are left.
 *
 * Implements spec/topology/cluster.md, section 1.
 */
#include "core/resp/value.h"

#define DIGITS_MAX 18 /* A number with more digits may not fit. */

/* Takes the text up to the next CR LF, and the CR LF. */
static bool take_line(oh_values *values, oh_text *line)
{
    const uint8_t *start = values->at;
    const uint8_t *cr = memchr(start, '\r', (size_t)(values->end - start));
    if (cr == NULL || values->end - cr < 2 || cr[1] != '\n') {
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
    *number = 0;
    for (size_t i = first; i < line.length; i++) {
        if (line.bytes[i] < '0' || line.bytes[i] > '9' || i - first >= DIGITS_MAX) {
            return false;
        }
        *number = *number * 10 + (line.bytes[i] - '0');
    }
    *number = is_negative ? -*number : *number;
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
    uint8_t type = *values->at++;
    bool is_counted = type == '$' || type == '*' || type == '%' || type == ':';
    if (!take_line(values, &line) || (is_counted && !number_of(line, &number))) {
        return false;
    }
    switch (type) {
    case '$': return take_bulk(values, number, value);
    case '*': return take_list(values, number, value);
    case '%': return take_list(values, number < 0 ? -2 : number * 2, value);
    case ':': *value = (oh_value){.kind = OH_VALUE_NUMBER, .number = number}; return true;
    case '+': *value = (oh_value){.kind = OH_VALUE_TEXT, .text = line}; return true;
    case '-': *value = (oh_value){.kind = OH_VALUE_ERROR, .text = line}; return true;
    default: return type == '_';
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
