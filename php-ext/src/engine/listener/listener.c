/*
 * Sends each command to the nodes that it concerns, and answers it when all of them have confirmed.
 * Returns messages in the order in which they arrive.
 */
#include "engine/listener/listener.h"

#include <poll.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/compiler.h"

#include "engine/base/environment.h"
#include "engine/base/log.h"
#include "engine/listener/listener_internal.h"

/* ---- Opening and closing ---- */

oh_listener *oh_listener_open(oh_snapshot *snapshot, const oh_topology *topology,
    uint32_t timeout_ms, uint32_t message_timeout_ms, oh_failure *failure)
{
    oh_listener *listener = oh_call_zeroed(1, sizeof *listener);

    if (!listener) {
        return NULL;
    }
    listener->snapshot = snapshot;
    listener->topology = topology;
    listener->timeout_ms = timeout_ms;
    listener->message_timeout_ms = message_timeout_ms;
    listener->failure = failure;
    listener->first_lost = OH_NO_NODE;
    listener->first_node = oh_snapshot_next(snapshot, snapshot->nodes_count - 1);
    listener->nodes = oh_call_zeroed(snapshot->nodes_count, sizeof *listener->nodes);
    listener->descriptors = oh_call_zeroed(snapshot->nodes_count, sizeof *listener->descriptors);
    if (!listener->nodes || !listener->descriptors) {
        oh_listener_close(listener);
        return NULL;
    }
    return listener;
}

static void close_ears(oh_listener *listener)
{
    for (uint32_t node = 0; listener->nodes && node < listener->snapshot->nodes_count; node++) {
        oh_subscribed_node_close(&listener->nodes[node]);
    }
}

void oh_listener_close(oh_listener *listener)
{
    close_ears(listener);
    while (listener->first) {
        oh_listener_drop_first(listener);
    }
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        oh_names_free(&listener->subscribed[i]);
    }
    oh_buffer_free(&listener->answer);
    oh_call_release(listener->nodes);
    oh_call_release(listener->descriptors);
    oh_call_release(listener);
}

bool oh_listener_is_idle(const oh_listener *listener)
{
    for (int i = 0; i < OH_CHANNEL_KINDS_COUNT; i++) {
        if (listener->subscribed[i].count > 0) {
            return false;
        }
    }
    return true;
}

/* ---- Sending ---- */

/* The first node that has not confirmed everything, or nodes_count. */
static uint32_t first_unconfirmed(const oh_listener *listener)
{
    uint32_t node = 0;

    while (node < listener->snapshot->nodes_count && !listener->nodes[node].unconfirmed) {
        node++;
    }
    return node;
}

static bool await_confirmations(oh_listener *listener)
{
    uint64_t until_ns =
        listener->timeout_ms ? oh_clock_now_ns() + (uint64_t)listener->timeout_ms * 1000000 : 0;
    uint32_t node;

    while ((node = first_unconfirmed(listener)) < listener->snapshot->nodes_count) {
        if (until_ns && oh_clock_now_ns() >= until_ns) {
            const oh_connection *connection = listener->nodes[node].connection;

            if (listener->nodes[node].announced) {
                oh_failure_set(listener->failure, OH_OUTCOME_MAYBE_EXECUTED, OH_SAY_NOT_CONFIRMED,
                    (unsigned)listener->timeout_ms);
            } else if (connection && connection->state == OH_ENCRYPTING) {
                oh_failure_set(listener->failure, OH_OUTCOME_NOT_SENT, OH_SAY_LATE_TLS,
                    (unsigned)listener->timeout_ms);
            } else {
                oh_failure_set(listener->failure, OH_OUTCOME_NOT_SENT, OH_SAY_LATE_CONNECTING,
                    (unsigned)listener->timeout_ms);
            }
            oh_listener_lose(listener, node);
            continue;
        }
        /*
         * If a node fails right after its confirmation, the messages before the failure still
         * count.
         */
        if (!oh_subscribed_nodes_wait(listener, until_ns) &&
            first_unconfirmed(listener) < listener->snapshot->nodes_count) {
            return false;
        }
    }
    return true;
}

/*
 * The number of subscriptions, counted as one server does: shard channels separately, all others
 * together.
 */
static uint32_t subscribed_count(const oh_listener *listener, oh_channel_kind kind)
{
    if (kind == OH_SHARD_CHANNEL) {
        return listener->subscribed[OH_SHARD_CHANNEL].count;
    }
    return listener->subscribed[OH_CHANNEL].count + listener->subscribed[OH_PATTERN].count;
}

/* Confirms one word of the command. False if there is no memory. */
static bool confirm_word(oh_listener *listener, const oh_verb *verb, oh_text word, uint32_t node)
{
    oh_names *subscribed = &listener->subscribed[verb->kind];

    if (!verb->is_beginning) {
        oh_names_remove(subscribed, word);
    } else if (!oh_names_add(subscribed, word, node)) {
        return false;
    }
    if (listener->confirmed) {
        listener->confirmed(listener->owner, verb->kind, word, verb->is_beginning);
    }
    oh_channel_confirmation(&listener->answer, verb, word, subscribed_count(listener, verb->kind));
    return !listener->answer.is_broken;
}

static void confirm(oh_listener *listener, const oh_channel_command *command)
{
    for (uint32_t i = 0; i < command->count; i++) {
        if (!confirm_word(listener, command->verb, command->words[i], command->nodes[i])) {
            /*
             * Drops the incomplete confirmation, and the kept messages, which must not be read in
             * its place.
             */
            oh_buffer_free(&listener->answer);
            while (listener->first) {
                oh_listener_drop_first(listener);
            }
            oh_listener_lack_memory(listener, OH_NO_NODE, OH_OUTCOME_ANSWERED);
            return;
        }
    }
}

static bool send_all(oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].words && !oh_subscribed_node_send(listener, node)) {
            return false;
        }
    }
    return true;
}

/*
 * Starts again to bring lost nodes back. A connection that is already being opened would not get
 * the names of the next command.
 */
static void begin_recalls_anew(oh_listener *listener)
{
    for (uint32_t node = 0; node < listener->snapshot->nodes_count; node++) {
        if (listener->nodes[node].is_lost) {
            oh_subscribed_node_close(&listener->nodes[node]);
            listener->nodes[node].next_ns = 0;
        }
    }
}

/*
 * After a command: if no node is left, the caller gets the failure instead of an answer. What a
 * node has confirmed and sent before it failed still counts.
 */
static void settle(oh_listener *listener)
{
    if (!listener->has_failed) {
        oh_listener_settle(listener, 0);
        if (listener->has_failed && !listener->is_confirmed) {
            oh_buffer_free(&listener->answer);
        }
    }
}

void oh_listener_send(oh_listener *listener, const char *bytes, size_t length)
{
    oh_channel_command command = {0};

    oh_buffer_free(&listener->answer);
    listener->answer_given = 0;
    listener->is_refused = false;
    listener->is_confirmed = false;
    listener->checked_map = NULL; /* A new name may need more of the map's nodes. */
    if (listener->has_failed) {
        return;
    }
    if (listener->first_lost != OH_NO_NODE) {
        begin_recalls_anew(listener);
    }
    if (oh_channel_command_read(&command, listener, bytes, length)) {
        listener->verb = command.verb;
        if (oh_channel_command_write(&command, listener) && send_all(listener) &&
            await_confirmations(listener) && !listener->is_refused) {
            confirm(listener, &command);
        }
    }
    oh_channel_command_free(&command);
    settle(listener);
}

/* ---- Receiving ---- */

/*
 * True if the channel or pattern of a message is subscribed. The caller also gets messages of
 * unknown form.
 */
static bool is_wanted(const oh_listener *listener, const oh_message *message)
{
    oh_published published;

    return !oh_channel_message(message->bytes, message->length, &published) ||
           oh_names_has(&listener->subscribed[published.kind], published.name);
}

static bool has_wanted_message(oh_listener *listener)
{
    while (listener->first && !listener->given && !is_wanted(listener, listener->first)) {
        oh_listener_drop_first(listener);
    }
    return listener->first != NULL;
}

static bool await_message(oh_listener *listener)
{
    uint64_t until_ns = listener->message_timeout_ms
                            ? oh_clock_now_ns() + (uint64_t)listener->message_timeout_ms * 1000000
                            : 0;

    while (!has_wanted_message(listener)) {
        if (oh_listener_is_idle(listener) || listener->has_failed || oh_surroundings.is_ending()) {
            return false;
        }
        if (until_ns && oh_clock_now_ns() >= until_ns) {
            oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_NO_MESSAGE,
                (unsigned)listener->message_timeout_ms);
            oh_listener_fail(listener, OH_NO_NODE);
            return false;
        }
        uint64_t next_ns =
            listener->snapshot->is_cluster ? oh_listener_check_map(listener, until_ns) : until_ns;
        if (!listener->has_failed) {
            next_ns = oh_listener_settle(listener, next_ns);
        }
        if (!listener->has_failed) {
            oh_subscribed_nodes_wait(listener, next_ns);
        }
        oh_log_flush();
    }
    return true;
}

/* Copies the rest of the bytes, as far as there is room. */
static size_t give(char *to, size_t size, const char *bytes, size_t length, size_t *given)
{
    size_t count = OH_MIN(size, length - *given);

    memcpy(to, bytes + *given, count);
    *given += count;
    return count;
}

size_t oh_listener_receive(oh_listener *listener, char *bytes, size_t size)
{
    const oh_buffer *answer = &listener->answer;

    if (listener->answer_given < answer->length) {
        return give(bytes, size, answer->bytes, answer->length, &listener->answer_given);
    }
    if (oh_surroundings.is_ending() || !await_message(listener)) {
        return 0;
    }
    const oh_message *message = listener->first;
    size_t count = give(bytes, size, message->bytes, message->length, &listener->given);
    if (listener->given == message->length) {
        oh_listener_drop_first(listener);
    }
    return count;
}
