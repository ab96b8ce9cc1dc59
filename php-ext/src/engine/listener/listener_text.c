/*
 * Reads and writes the six commands, their confirmations and their messages. The wire guard has
 * framed all of it, so only a few words are checked here. Values of another form go to the caller
 * unchanged.
 */
#include "engine/listener/listener_internal.h"

#include <string.h>

#include "core/resp/value.h"

static const oh_verb verbs[] = {
    {"subscribe", OH_CHANNEL, true},
    {"psubscribe", OH_PATTERN, true},
    {"ssubscribe", OH_SHARD_CHANNEL, true},
    {"unsubscribe", OH_CHANNEL, false},
    {"punsubscribe", OH_PATTERN, false},
    {"sunsubscribe", OH_SHARD_CHANNEL, false},
};

/* ---- Reading ---- */

/* Compares without regard to case; `word` must be in lower case. */
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

const oh_verb *oh_channel_verb(oh_text name)
{
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (says(name, verbs[i].name)) {
            return &verbs[i];
        }
    }
    return NULL;
}

const oh_verb *oh_channel_confirmed(const char *bytes, size_t length, oh_text *name)
{
    oh_values values = oh_values_of(bytes, length);
    size_t count;
    oh_text word;

    if (!oh_value_take_list(&values, &count) || count != 3 || !oh_value_take_text(&values, &word)) {
        return NULL;
    }
    if (!oh_value_take_text(&values, name)) { /* It may be nil. */
        *name = (oh_text){"", 0};
    }
    return oh_channel_verb(word);
}

bool oh_channel_message(const char *bytes, size_t length, oh_published *published)
{
    static const char *const kinds[OH_CHANNEL_KINDS_COUNT] = {"message", "pmessage", "smessage"};
    oh_values values = oh_values_of(bytes, length);
    size_t count;
    oh_text word;

    if (!oh_value_take_list(&values, &count) || !oh_value_take_text(&values, &word) ||
        !oh_value_take_text(&values, &published->name)) {
        return false;
    }
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        if (says(word, kinds[i])) {
            published->kind = (oh_channel_kind)i;
            published->channel = published->name;
            return i != OH_PATTERN || oh_value_take_text(&values, &published->channel);
        }
    }
    return false;
}

/* ---- Writing ---- */

void oh_channel_request_append(oh_buffer *request, oh_text word)
{
    oh_resp_put_word(oh_buffer_sink(request), oh_text_bytes(word));
}

void oh_channel_request_begin(oh_buffer *request, const oh_verb *verb, uint32_t words)
{
    oh_resp_put_list(oh_buffer_sink(request), (size_t)words + 1);
    oh_resp_put_text(oh_buffer_sink(request), verb->name);
}

void oh_channel_confirmation(
    oh_buffer *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count)
{
    oh_resp_sink sink = oh_buffer_sink(answer);

    oh_resp_put_list(sink, 3);
    oh_resp_put_text(sink, verb->name);
    oh_resp_put_word(sink, oh_text_bytes(word));
    oh_resp_put_number(sink, subscribed_count);
}
