/*
 * Finds the nodes of a command's words: a channel goes to its node by placement, a pattern to every
 * node.
 */
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

/* True if the node needs the command. To unsubscribe, a node without subscriptions does not. */
static bool concerns(const oh_channel_command *command, const oh_subscribed_node *subscribed_node)
{
    return command->verb->is_beginning || subscribed_node->connection;
}

/*
 * True if patterns go to this node. In a Redis Cluster, nodes forward what is published at any
 * node, so one node is enough.
 */
static bool hears_patterns(const oh_snapshot *snapshot, uint32_t node)
{
    return snapshot->cluster ? node == oh_snapshot_next(snapshot, snapshot->nodes_count - 1)
                             : oh_snapshot_has_keys(snapshot, node);
}

static void count_words(oh_listener *listener, oh_channel_command *command)
{
    bool is_everywhere = command->verb->kind == OH_PATTERN;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        bool is_meant = is_everywhere && hears_patterns(listener->snapshot, node);

        listener->nodes[node].words =
            is_meant && concerns(command, &listener->nodes[node]) ? command->count : 0;
    }
    for (uint32_t i = 0; i < command->count && !is_everywhere; i++) {
        command->nodes[i] = oh_topology_locate(
            listener->topology, (const uint8_t *)command->words[i].bytes, command->words[i].length);
        listener->nodes[command->nodes[i]].words +=
            concerns(command, &listener->nodes[command->nodes[i]]);
    }
}

static void write_requests(oh_listener *listener, const oh_channel_command *command)
{
    bool is_everywhere = command->verb->kind == OH_PATTERN;

    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        oh_subscribed_node *subscribed_node = &listener->nodes[node];

        oh_buffer_free(&subscribed_node->request);
        subscribed_node->unconfirmed = subscribed_node->words;
        if (subscribed_node->words) {
            oh_channel_request_begin(
                &subscribed_node->request, command->verb, subscribed_node->words);
        }
        for (uint32_t i = 0; i < subscribed_node->words && is_everywhere; i++) {
            oh_channel_request_append(&subscribed_node->request, command->words[i]);
        }
    }
    for (uint32_t i = 0; i < command->count && !is_everywhere; i++) {
        oh_subscribed_node *subscribed_node = &listener->nodes[command->nodes[i]];

        if (subscribed_node->words) {
            oh_channel_request_append(&subscribed_node->request, command->words[i]);
        }
    }
}

bool oh_channel_command_write(oh_channel_command *command, oh_listener *listener)
{
    count_words(listener, command);
    write_requests(listener, command);
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].request.is_broken) {
            oh_listener_lack_memory(listener, node, OH_OUTCOME_NOT_SENT);
            return false;
        }
    }
    return true;
}
