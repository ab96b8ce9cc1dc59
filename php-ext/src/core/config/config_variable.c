/*
 * Variables in the values of a OneHop pool: ${NAME} becomes what the environment says, and $${
 * becomes ${.
 *
 * The value of a variable is not read again, neither as YAML nor for variables. It is never shown:
 * errors show the value as the text spells it. The names that were used are kept with the pool,
 * because processes whose variables differ must not share it.
 *
 * Implements spec/config, section 8.
 */
#include <stdio.h>
#include <string.h>

#include "core/config/config_reader.h"

/* A value that grows. Bytes beyond its end are only counted; the value is too long then. */
typedef struct {
    char bytes[OH_TEXT_BYTES_MAX];
    size_t length;
} grown;

static void grow(grown *it, const char *bytes, size_t length)
{
    size_t room = it->length < sizeof it->bytes ? sizeof it->bytes - it->length : 0;

    if (room > 0) {
        memcpy(it->bytes + it->length, bytes, length < room ? length : room);
    }
    it->length += length;
}

/* ---- Names ---- */

static bool is_name_byte(char byte, bool is_first)
{
    bool is_letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';

    return is_letter || (!is_first && byte >= '0' && byte <= '9');
}

/* The name at the beginning of a text, which a } follows; absent if there is none. */
static oh_text name_of(oh_text rest)
{
    size_t length = 0;

    while (length < rest.length && is_name_byte(rest.bytes[length], length == 0)) {
        length++;
    }
    bool is_name = length > 0 && length <= OH_VARIABLE_BYTES_MAX && length < rest.length &&
                   rest.bytes[length] == '}';
    return is_name ? (oh_text){rest.bytes, length} : (oh_text){NULL, 0};
}

static bool note_use(oh_config_reader *reader, oh_text name)
{
    oh_text before = reader->variables;

    if (oh_text_has_part(before, ' ', name)) {
        return true;
    }
    char *names = oh_arena_take(reader->scratch, before.length + 1 + name.length + 1);
    if (!names) {
        return false;
    }
    if (before.length > 0) {
        memcpy(names, before.bytes, before.length);
    }
    names[before.length] = ' ';
    memcpy(names + before.length + 1, name.bytes, name.length);
    reader->variables = (oh_text){names, before.length + 1 + name.length};
    return true;
}

/* ---- Values ---- */

static bool fail(oh_config_reader *reader, size_t line, const char *subject, const char *what)
{
    oh_config_fail(reader, line, "%s %s", subject, what);
    return false;
}

static bool check_length(
    oh_config_reader *reader, size_t line, const char *subject, const grown *value)
{
    if (value->length <= OH_TEXT_BYTES_MAX) {
        return true;
    }
    oh_config_fail(reader, line, "%s is longer than %d bytes", subject, OH_TEXT_BYTES_MAX);
    return false;
}

static bool add_variable(
    oh_config_reader *reader, size_t line, const char *subject, oh_text name, grown *value)
{
    oh_text copy = oh_config_copy(reader->scratch, name);

    if (!copy.bytes || !note_use(reader, name)) {
        oh_config_fail_memory(reader);
        return false;
    }
    reader->errors->has_variables = true;
    const char *says = reader->variable(copy.bytes);
    bool is_set = says && says[0] != '\0';
    if (!is_set || oh_config_is_strange(says, strlen(says))) {
        oh_config_fail(reader, line, "%s needs the environment variable \"%s\", which %s", subject,
            oh_config_show(name).text,
            is_set ? "has a character that is not allowed" : "is not set");
        return false;
    }
    grow(value, says, strlen(says));
    return check_length(reader, line, subject, value);
}

static bool starts(oh_text text, size_t at, const char *with)
{
    return oh_text_begins((oh_text){text.bytes + at, text.length - at}, with);
}

static bool has_opening(oh_text text)
{
    size_t at = 0;

    while (at < text.length && !starts(text, at, "${")) {
        at++;
    }
    return at < text.length;
}

/* Replaces the variables in a text. If that fails, adds an error and returns false. */
static bool expand(oh_config_reader *reader, const oh_config_spelled *spelled, const char *subject,
    grown *value, bool *has_variables)
{
    oh_text text = spelled->text;

    for (size_t at = 0; at < text.length;) {
        if (starts(text, at, "$${")) {
            grow(value, "${", 2);
            at += 3;
        } else if (starts(text, at, "${")) {
            oh_text name = name_of((oh_text){text.bytes + at + 2, text.length - at - 2});

            if (!name.bytes) {
                return fail(reader, spelled->line, subject,
                    "has a \"${\" without a name and \"}\"; \"$${\" writes \"${\"");
            }
            if (!add_variable(reader, spelled->line, subject, name, value)) {
                return false;
            }
            *has_variables = true;
            at += 2 + name.length + 1;
        } else {
            grow(value, text.bytes + at++, 1);
        }
    }
    return check_length(reader, spelled->line, subject, value);
}

oh_config_value oh_config_expand(
    oh_config_reader *reader, const oh_config_spelled *spelled, const char *subject)
{
    oh_config_value result = {spelled->text, spelled->text, false};

    if (!reader->is_own_pool || !has_opening(spelled->text)) {
        return result;
    }
    grown value = {.length = 0};
    result.text = (oh_text){NULL, 0};
    if (!expand(reader, spelled, subject, &value, &result.has_variables)) {
        return result;
    }
    result.text = oh_config_copy(reader->scratch, (oh_text){value.bytes, value.length});
    if (!result.text.bytes) {
        oh_config_fail_memory(reader);
    }
    result.told = result.has_variables ? spelled->text : result.text;
    return result;
}
