/*
 * Reads a command, and writes for each node what concerns it. The wire guard has framed commands,
 * confirmations and messages, so only a few words are checked here. Values of another form go to
 * the caller unchanged.
 */
#include <string.h>

#include "engine/listener/listener_internal.h"

#include "core/resp/value.h"

#include "engine/base/environment.h"

/* ---- The command ---- */

void oh_channel_command_free(oh_channel_command *command)
{
    oh_call_release(command->words);
    oh_call_release(command->nodes);
}

static bool refuse(oh_listener *listener)
{
    oh_failure_set(listener->failure, OH_OUTCOME_NOT_SENT, OH_SAY_NOT_A_SUBSCRIPTION);
    oh_listener_fail(listener, 0);
    return false;
}

bool oh_channel_command_read(
    oh_channel_command *command, oh_listener *listener, const char *bytes, size_t length)
{
    oh_values values = oh_values_of(bytes, length);
    size_t count;
    oh_bytes word;

    if (!oh_value_take_command(&values, &count) || count < 2 ||
        !oh_value_take_word(&values, &word) ||
        !(command->verb = oh_channel_verb(oh_bytes_text(word)))) {
        return refuse(listener);
    }
    command->words = oh_call_zeroed(count, sizeof *command->words);
    command->nodes = oh_call_zeroed(count, sizeof *command->nodes);
    if (!command->words || !command->nodes) {
        oh_listener_lack_memory(listener, OH_NO_NODE, OH_OUTCOME_NOT_SENT);
        return false;
    }
    while (command->count < count - 1 && oh_value_take_word(&values, &word)) {
        command->words[command->count++] = oh_bytes_text(word);
    }
    return (command->count == count - 1 && values.at == values.end) || refuse(listener);
}

/* ---- The nodes ---- */

/*
 * True if the node needs that word. A node without subscriptions needs no word that unsubscribes.
 */
static bool concerns(
    const oh_channel_command *command, uint32_t word, const oh_listener *listener, uint32_t node)
{
    bool is_meant =
        command->nodes[word] == node ||
        (command->nodes[word] == OH_EVERY_NODE && oh_snapshot_has_keys(listener->snapshot, node));

    return is_meant && !listener->nodes[node].is_lost &&
           (command->verb->is_beginning || listener->nodes[node].connection);
}

static void write_request(oh_listener *listener, const oh_channel_command *command, uint32_t node)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];

    if (subscribed_node->sent == subscribed_node->request.length) {
        oh_buffer_free(&subscribed_node->request);
        subscribed_node->sent = subscribed_node->announced = 0;
    }
    subscribed_node->words = 0;
    for (uint32_t i = 0; i < command->count; i++) {
        subscribed_node->words += concerns(command, i, listener, node);
    }
    subscribed_node->unconfirmed = subscribed_node->words;
    if (!subscribed_node->words) {
        return;
    }
    oh_channel_request_begin(&subscribed_node->request, command->verb, subscribed_node->words);
    for (uint32_t i = 0; i < command->count; i++) {
        if (concerns(command, i, listener, node)) {
            oh_channel_request_append(&subscribed_node->request, command->words[i]);
        }
    }
}

bool oh_channel_command_write(oh_channel_command *command, oh_listener *listener)
{
    for (uint32_t i = 0; i < command->count; i++) {
        command->nodes[i] = oh_listener_place(listener, command->verb->kind, command->words[i]);
    }
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        write_request(listener, command, node);
    }
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].request.is_broken) {
            oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
            return false;
        }
    }
    return true;
}

/* ---- The six commands ---- */

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
