/* Reads a command, and writes for each node what concerns it. */
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

/* True if the node needs that word. To unsubscribe, a node without subscriptions does not. */
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
