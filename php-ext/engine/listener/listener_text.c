/*
 * The six commands, their confirmations and their messages, as text. The wire guard has framed all of it before: here
 * only a few words are looked at, and whatever has another shape is left to phpredis.
 */
#include "php_onehop.h"

#include "engine/listener/listener_inside.h"

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

static bool says(oh_text text, const char *word)
{
    return zend_binary_strcasecmp(text.bytes, text.length, word, strlen(word)) == 0;
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

bool oh_text_is_wanted(const oh_listener *listener, const oh_message *message)
{
    static const char *const kinds[OH_CHANNEL_KINDS_COUNT] = {"message", "pmessage", "smessage"};
    const char *at = message->bytes, *end = at + message->length;
    uint32_t count;
    oh_text kind, name;

    if (!oh_text_count(&at, end, &count) || !oh_text_next(&at, end, &kind) || !oh_text_next(&at, end, &name)) {
        return true;
    }
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        if (says(kind, kinds[i])) {
            return zend_hash_str_exists(&listener->subscribed[i], name.bytes, name.length);
        }
    }
    return true;
}

/* ---- Writing ---- */

void oh_text_append(smart_str *request, oh_text word)
{
    smart_str_append_printf(request, "$%zu\r\n", word.length);
    smart_str_appendl(request, word.bytes, word.length);
    smart_str_appendl(request, ZEND_STRL("\r\n"));
}

void oh_text_begin(smart_str *request, const oh_verb *verb, uint32_t words)
{
    smart_str_append_printf(request, "*%u\r\n", words + 1);
    oh_text_append(request, (oh_text){verb->name, strlen(verb->name)});
}

void oh_text_confirm(smart_str *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count)
{
    smart_str_appendl(answer, ZEND_STRL("*3\r\n"));
    oh_text_append(answer, (oh_text){verb->name, strlen(verb->name)});
    oh_text_append(answer, word);
    smart_str_append_printf(answer, ":%u\r\n", subscribed_count);
}
