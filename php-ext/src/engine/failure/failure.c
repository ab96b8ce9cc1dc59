/*
 * A message has one form, the same in every language:
 *
 *     <what happened>, node <name> (<host:port>), server pool <pool>: <outcome>; <what to do>
 *     (<numbers that differ each time>)
 *
 * The outcome is: the command was not sent | may have executed | was answered.
 *
 * For a refused configuration, in a constructor, and for a method that is never served there is no
 * command, so the message does not say what became of it.
 *
 * Implements spec/errors.json.
 */
#include "engine/failure/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/decimal.h"
#include "core/config/config.h"
#include "core/generated/limits.h"

static const char *const kind_names[OH_ERROR_KINDS_COUNT] = {
#define OH_KIND_NAME(constant, name, meaning) name,
    OH_ERROR_KINDS(OH_KIND_NAME)
#undef OH_KIND_NAME
};

static const char *const outcome_phrases[OH_OUTCOMES_COUNT] = {
#define OH_OUTCOME_PHRASE(constant, name, phrase) phrase,
    OH_OUTCOMES(OH_OUTCOME_PHRASE)
#undef OH_OUTCOME_PHRASE
};

const char *oh_failure_kind_name(oh_error_kind kind)
{
    return kind_names[kind];
}

const char *oh_failure_outcome_phrase(oh_outcome outcome)
{
    return outcome_phrases[outcome];
}

/* ---- The value ---- */

/*
 * Drops an escape, \xNN, that the end of the room has cut. A backslash in bytes from outside always
 * begins an escape.
 */
static void drop_cut_escape(oh_failure *failure)
{
    size_t end = strlen(failure->what);

    for (size_t i = 1; i <= 3 && end == sizeof failure->what - 1; i++) {
        if (failure->what[end - i] == '\\') {
            failure->what[end - i] = '\0';
            return;
        }
    }
}

void oh_failure_set(oh_failure *failure, oh_outcome outcome, oh_error_kind kind, const char *advice,
    const char *format, ...)
{
    va_list arguments;

    failure->kind = kind;
    failure->outcome = outcome;
    failure->has_no_command = failure->says_nothing = false;
    failure->other_node = 0;
    failure->advice = advice;
    failure->numbers[0] = '\0';
    va_start(arguments, format);
    vsnprintf(failure->what, sizeof failure->what, format, arguments);
    va_end(arguments);
    drop_cut_escape(failure);
}

void oh_failure_number(oh_failure *failure, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(failure->numbers, sizeof failure->numbers, format, arguments);
    va_end(arguments);
}

void oh_failure_set_no_memory(oh_failure *failure, oh_outcome outcome)
{
    oh_failure_set(failure, outcome, OH_SAY_NO_MEMORY);
    failure->says_nothing = true;
}

void oh_failure_append(oh_failure *failure, const char *text)
{
    size_t end = strlen(failure->what);

    snprintf(failure->what + end, sizeof failure->what - end, "%s", text);
    drop_cut_escape(failure);
}

/* Writes at most `room` bytes and a NUL. */
static void escape(char *text, size_t room, const uint8_t *bytes, size_t length)
{
    size_t end = 0;

    for (size_t i = 0; i < length; i++) {
        bool is_plain = bytes[i] >= 0x20 && bytes[i] < 0x7f && bytes[i] != '\\';
        size_t width = is_plain ? 1 : 4;

        if (end + width > room) {
            break;
        }
        if (is_plain) {
            text[end] = (char)bytes[i];
        } else {
            snprintf(text + end, 5, "\\x%02x", bytes[i]);
        }
        end += width;
    }
    text[end] = '\0';
}

const char *oh_quote(oh_quoted *quoted, const void *bytes, size_t length)
{
    escape(quoted->text, OH_MESSAGE_BYTES_MAX, bytes, length);
    return quoted->text;
}

const char *oh_quote_name(oh_quoted *quoted, const void *bytes, size_t length)
{
    return oh_quote(quoted, bytes, OH_MIN(length, OH_SHOWN_BYTES_MAX));
}

const char *oh_quote_path(oh_quoted *quoted, const char *path, size_t length)
{
    size_t shown = oh_config_path_length(path, length);

    oh_quote(quoted, path, shown);
    size_t end = strlen(quoted->text);

    if (shown < length && end + sizeof "..." <= sizeof quoted->text) {
        memcpy(quoted->text + end, "...", sizeof "...");
    }
    return quoted->text;
}

void oh_failure_quote(oh_failure *failure, const char *bytes, size_t length)
{
    size_t end = strlen(failure->what);

    escape(failure->what + end, OH_MIN(OH_MESSAGE_BYTES_MAX, sizeof failure->what - 1 - end),
        (const uint8_t *)bytes, length);
}

void oh_failure_show(oh_failure *failure, const void *bytes, size_t length)
{
    oh_failure_quote(failure, bytes, OH_MIN(length, OH_SHOWN_BYTES_MAX));
}

/* ---- The message ---- */

void oh_failure_append_name(oh_buffer *message, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)bytes[i];

        if (byte < 0x20 || byte == 0x7f) {
            oh_buffer_print(message, "\\x%02x", byte);
        } else {
            oh_buffer_append(message, &byte, 1);
        }
    }
}

/* The name of the node, and its address if that is another text. */
static void append_node(oh_buffer *message, const oh_node *node)
{
    char written[OH_ADDRESS_BYTES_MAX];
    oh_text address = node->path;

    if (!address.bytes) {
        address = oh_address_write(written, node->host, node->port);
    }
    oh_buffer_append_text(message, ", node ");
    oh_failure_append_name(message, node->name.bytes, node->name.length);
    if (!oh_text_is_same(address, node->name)) {
        oh_buffer_append_text(message, " (");
        oh_failure_append_name(message, address.bytes, address.length);
        oh_buffer_append_text(message, ")");
    }
}

/* What happened and where. */
static void append_what(
    oh_buffer *message, const oh_failure *failure, const oh_node *node, const char *pool)
{
    size_t length = strlen(failure->what);

    /* A server's text may end with a full stop, but this sentence goes on. */
    if (length > 1 && failure->what[length - 1] == '.' && failure->what[length - 2] != '.') {
        length--;
    }
    oh_buffer_append(message, failure->what, length);
    if (node) {
        append_node(message, node);
    }
    if (pool) {
        oh_buffer_append_text(message, ", server pool ");
        oh_failure_append_name(message, pool, strlen(pool));
    }
}

void oh_failure_message(
    const oh_failure *failure, const oh_node *node, const char *pool, oh_buffer *message)
{
    bool has_command =
        !failure->has_no_command && (failure->kind != OH_ERROR_CONFIG_INVALID || node || pool);

    append_what(message, failure, node, pool);
    if (has_command) {
        oh_buffer_append_text(message, ": ");
        oh_buffer_append_text(message, outcome_phrases[failure->outcome]);
    }
    oh_buffer_append_text(message, "; ");
    oh_buffer_append_text(message, failure->advice);
    if (failure->numbers[0]) {
        oh_buffer_print(message, " (%s)", failure->numbers);
    }
}
