/*
 * The six commands, their confirmations and their messages, as text. The wire guard has framed all of it before: here
 * only a few words are looked at, and whatever has another shape is left to phpredis.
 */
#include "engine/listener/listener_internal.h"

#include <string.h>

static const oh_verb verbs[] = {
    {"subscribe", OH_CHANNEL, true},
    {"psubscribe", OH_PATTERN, true},
    {"ssubscribe", OH_SHARD_CHANNEL, true},
    {"unsubscribe", OH_CHANNEL, false},
    {"punsubscribe", OH_PATTERN, false},
    {"sunsubscribe", OH_SHARD_CHANNEL, false},
};

/* ---- Reading ---- */

static bool read_length(const char **at, const char *end, char type, size_t *length)
{
    const char *digit = *at;

    if (digit == end || *digit++ != type) {
        return false;
    }
    const char *first = digit;
    for (*length = 0; digit < end && digit - first < 9 && *digit >= '0' && *digit <= '9'; digit++) {
        *length = *length * 10 + (size_t)(*digit - '0');
    }
    if (digit == first || end - digit < 2 || digit[0] != '\r' || digit[1] != '\n') {
        return false;
    }
    *at = digit + 2;
    return true;
}

bool oh_text_count(const char **at, const char *end, uint32_t *count)
{
    size_t length;

    if (!read_length(at, end, '*', &length)) {
        return false;
    }
    *count = (uint32_t)length;
    return true;
}

bool oh_text_next(const char **at, const char *end, oh_text *text)
{
    if (!read_length(at, end, '$', &text->length) || (size_t)(end - *at) < text->length + 2) {
        return false;
    }
    text->bytes = *at;
    *at += text->length + 2;
    return true;
}

/* The word is of small letters; the text may have large ones. */
static bool says(oh_text text, const char *word)
{
    if (text.length != strlen(word)) {
        return false;
    }
    for (size_t i = 0; i < text.length; i++) {
        if ((text.bytes[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

const oh_verb *oh_text_verb(oh_text name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (says(name, verbs[i].name)) {
            return &verbs[i];
        }
    }
    return NULL;
}

const oh_verb *oh_text_confirmed(const char *bytes, size_t length, oh_text *name)
{
    const char *at = bytes, *end = bytes + length;
    uint32_t count;
    oh_text word;
    const oh_verb *verb =
        oh_text_count(&at, end, &count) && count == 3 && oh_text_next(&at, end, &word) ? oh_text_verb(word) : NULL;

    if (verb && !oh_text_next(&at, end, name)) {
        *name = (oh_text){"", 0};
    }
    return verb;
}

bool oh_text_message(const char *bytes, size_t length, oh_channel_kind *kind, oh_text *name)
{
    static const char *const kinds[OH_CHANNEL_KINDS_COUNT] = {"message", "pmessage", "smessage"};
    const char *at = bytes, *end = at + length;
    uint32_t count;
    oh_text word;

    if (!oh_text_count(&at, end, &count) || !oh_text_next(&at, end, &word) || !oh_text_next(&at, end, name)) {
        return false;
    }
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        if (says(word, kinds[i])) {
            *kind = (oh_channel_kind)i;
            return true;
        }
    }
    return false;
}

/* ---- Writing ---- */

void oh_text_append(oh_buffer *request, oh_text word)
{
    oh_buffer_print(request, "$%zu\r\n", word.length);
    oh_buffer_append(request, word.bytes, word.length);
    oh_buffer_append_text(request, "\r\n");
}

static oh_text name_of(const oh_verb *verb)
{
    return (oh_text){verb->name, strlen(verb->name)};
}

void oh_text_begin(oh_buffer *request, const oh_verb *verb, uint32_t words)
{
    oh_buffer_print(request, "*%u\r\n", words + 1);
    oh_text_append(request, name_of(verb));
}

void oh_text_confirm(oh_buffer *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count)
{
    oh_buffer_append_text(answer, "*3\r\n");
    oh_text_append(answer, name_of(verb));
    oh_text_append(answer, word);
    oh_buffer_print(answer, ":%u\r\n", subscribed_count);
}
