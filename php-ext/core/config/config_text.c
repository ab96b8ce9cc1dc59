/*
 * A configuration as bytes, before the parser: its encoding, characters and indentation. Also the
 * small tools of the room: an error, a copy, a number.
 *
 * YAML parsers disagree about rare characters and tabs. A text that passes here means the same to
 * all of them, and has the same lines.
 *
 * Implements spec/config, sections 2 and 4.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

#define BYTE_ORDER_MARK 0xfeff

/* ---- Errors ---- */

bool oh_config_fail(oh_config_error *error, size_t line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->line = (uint32_t)line;
    error->is_out_of_memory = false;
    vsnprintf(error->reason, sizeof error->reason, format, arguments);
    va_end(arguments);
    return false;
}

bool oh_config_fail_memory(oh_config_error *error)
{
    oh_config_fail(error, 1, "there is not enough memory");
    error->is_out_of_memory = true;
    return false;
}

oh_config_shown oh_config_show(oh_text name)
{
    oh_config_shown shown = {""};
    char *to = shown.text;
    size_t length = name.length < OH_SHOWN_BYTES_MAX ? name.length : OH_SHOWN_BYTES_MAX;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        bool is_plain = byte >= 0x20 && byte <= 0x7e && byte != '"' && byte != '\\';
        to += snprintf(to, sizeof "\\xNN", is_plain ? "%c" : "\\x%02x", byte);
    }
    if (name.length > length) {
        memcpy(to, "...", sizeof "...");
    }
    return shown;
}

bool oh_config_add_value(oh_config_error *error, oh_text value)
{
    if (memchr(value.bytes, '@', value.length) != NULL) {
        return false; /* It may be a URL with a password. */
    }
    size_t end = strlen(error->reason);
    snprintf(
        error->reason + end, sizeof error->reason - end, ": \"%s\"", oh_config_show(value).text);
    return false;
}

/* ---- Values ---- */

oh_text oh_config_copy(oh_arena *arena, oh_text text)
{
    char *copy = oh_arena_take(arena, text.length + 1);
    if (copy == NULL) {
        return (oh_text){NULL, 0};
    }
    memcpy(copy, text.bytes, text.length);
    return (oh_text){copy, text.length};
}

int64_t oh_config_number(oh_text text)
{
    int64_t number = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] < '0' || text.bytes[i] > '9') {
            return OH_CONFIG_NOT_A_NUMBER;
        }
        number = number > OH_NUMBER_MAX ? number : number * 10 + (text.bytes[i] - '0');
    }
    if (text.length == 0) {
        return OH_CONFIG_NOT_A_NUMBER;
    }
    return number > OH_NUMBER_MAX ? OH_CONFIG_TOO_LARGE : number;
}

/* ---- Characters ---- */

static bool is_allowed(int32_t character)
{
    if (character < 0x20) {
        return character == '\t' || character == '\n' || character == '\r';
    }
    if (character < 0xa0) {
        return character <= 0x7e;
    }
    bool is_separator = character == 0x2028 || character == 0x2029;
    bool is_noncharacter = character == 0xfffe || character == 0xffff;
    return !is_separator && !is_noncharacter && character != BYTE_ORDER_MARK;
}

/*
 * Reads one character of UTF-8 and moves *at past it. Returns -1 if it is broken; then *at stays.
 * Surrogates are broken.
 */
static int32_t read_character(const char **at, const char *end)
{
    /* The smallest character by number of continuing bytes: longer forms are not allowed. */
    static const int32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)*at;
    size_t more = bytes[0] < 0x80 ? 0 : bytes[0] < 0xe0 ? 1 : bytes[0] < 0xf0 ? 2 : 3;
    if ((bytes[0] >= 0x80 && bytes[0] < 0xc0) || bytes[0] >= 0xf8 || (size_t)(end - *at) <= more) {
        return -1;
    }
    int32_t character = more == 0 ? bytes[0] : bytes[0] & (0x3f >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return -1;
        }
        character = character << 6 | (bytes[i] & 0x3f);
    }
    bool is_surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < smallest[more] || character > 0x10ffff || is_surrogate) {
        return -1;
    }
    *at += more + 1;
    return character;
}

int32_t oh_config_strange_character(oh_text utf8)
{
    const char *at = utf8.bytes;
    const char *end = at + utf8.length;
    while (at < end) {
        int32_t character = read_character(&at, end);
        if (!is_allowed(character)) {
            return character;
        }
    }
    return -1;
}

/* ---- The whole text ---- */

bool oh_config_check_text(const char *text, size_t length, oh_config_error *error)
{
    const char *at = text;
    const char *end = text + length;
    size_t line = 1;
    bool is_indent = true;
    while (at < end) {
        const char *begin = at;
        int32_t character = read_character(&at, end);
        if (character < 0) {
            return oh_config_fail(error, line, "the text is not valid UTF-8");
        }
        if (!is_allowed(character)) {
            return oh_config_fail(
                error, line, "character U+%04X is not allowed", (unsigned)character);
        }
        if (character == '\t' && is_indent) {
            return oh_config_fail(error, line, "a TAB stands where only spaces may indent");
        }
        bool ends_line = character == '\n' || (character == '\r' && (at == end || *at != '\n'));
        line += ends_line;
        is_indent = ends_line || (is_indent && (*begin == ' ' || *begin == '\r'));
    }
    return true;
}
