/*
 * A configuration as bytes, before the parser: its encoding, characters and indentation. Also the
 * content of a password file, how much of a text can be a path, and the small tools of the room: a
 * copy, a number.
 *
 * YAML parsers disagree about rare characters and tabs. A text that passes here means the same to
 * all of them, and has the same lines.
 *
 * Implements spec/config, sections 2, 4 and 9.
 */
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/base/utf8.h"
#include "core/config/config_reader.h"
#include "core/generated/messages.h"

#define BYTE_ORDER_MARK 0xfeff

/* ---- Values ---- */

oh_text oh_config_copy(oh_arena *arena, oh_text text)
{
    char *copy = oh_arena_take(arena, text.length + 1);

    if (!copy) {
        return (oh_text){NULL, 0};
    }
    memcpy(copy, text.bytes, text.length);
    return (oh_text){copy, text.length};
}

int64_t oh_config_number(oh_text text)
{
    uint64_t number;

    if (!oh_decimal_read(text, &number)) {
        return OH_CONFIG_NOT_A_NUMBER;
    }
    return number > OH_NUMBER_MAX ? OH_CONFIG_TOO_LARGE : (int64_t)number;
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

int32_t oh_config_strange_character(oh_text utf8)
{
    const char *at = utf8.bytes;
    const char *end = at + utf8.length;

    while (at < end) {
        int32_t character = oh_utf8_read(&at, end);

        if (!is_allowed(character)) {
            return character;
        }
    }
    return -1;
}

bool oh_config_is_strange(const char *bytes, size_t length)
{
    const char *at = bytes;

    while (at < bytes + length) {
        int32_t character = oh_utf8_read(&at, bytes + length);

        if (character < 0x20 || character == 0xfffd || !is_allowed(character)) {
            return true;
        }
    }
    return false;
}

/* ---- A password file ---- */

static bool refuse_password(oh_password_reason *reason, const char *format, unsigned most)
{
    snprintf(reason->text, sizeof reason->text, format, most);
    return false;
}

bool oh_config_take_password(oh_text content, oh_text *password, oh_password_reason *reason)
{
    const char *end = content.length > 0 ? memchr(content.bytes, '\n', content.length) : NULL;
    size_t length = end ? (size_t)(end - content.bytes) : content.length;

    length -= end && length > 0 && content.bytes[length - 1] == '\r';
    *password = (oh_text){content.bytes, length};
    if (content.length > OH_PASSWORD_FILE_BYTES_MAX) {
        return refuse_password(reason, OH_REASON_PASSWORD_FILE_LARGE, OH_PASSWORD_FILE_BYTES_MAX);
    }
    if (length == 0) {
        return refuse_password(reason, OH_REASON_PASSWORD_EMPTY, 0);
    }
    if (length > OH_TEXT_BYTES_MAX) {
        return refuse_password(reason, OH_REASON_PASSWORD_LONG, OH_TEXT_BYTES_MAX);
    }
    return !oh_config_is_strange(content.bytes, length) ||
           refuse_password(reason, OH_REASON_PASSWORD_CHARACTER, 0);
}

/* ---- The whole text ---- */

static bool fail_character(oh_config_reader *reader, size_t line, int32_t character)
{
    if (character < 0) {
        oh_config_fail(reader, line, "the text is not valid UTF-8");
    } else if (character == '\t') {
        oh_config_fail(reader, line, "a TAB stands where only spaces may indent");
    } else {
        oh_config_fail(reader, line, "character U+%04X is not allowed", (unsigned)character);
    }
    return false;
}

bool oh_config_check_text(oh_config_reader *reader)
{
    const char *at = reader->text;
    const char *end = at + reader->length;
    size_t line = 1;
    bool is_indent = true;

    while (at < end) {
        const char *begin = at;
        int32_t character = oh_utf8_read(&at, end);

        if (character < 0 || !is_allowed(character) || (character == '\t' && is_indent)) {
            return fail_character(reader, line, character);
        }
        bool ends_line = character == '\n' || (character == '\r' && (at == end || *at != '\n'));
        line += ends_line;
        is_indent = ends_line || (is_indent && (*begin == ' ' || *begin == '\r'));
    }
    return true;
}

/* ---- Texts and paths ---- */

size_t oh_config_path_length(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool is_colon = text[i] == ':' && i + 1 < length && text[i + 1] == ' ';

        if (text[i] == '\n' || text[i] == '\r' || text[i] == '{' || is_colon) {
            return i;
        }
    }
    return length;
}
