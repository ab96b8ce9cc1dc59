/*
 * Handles what nodes send: keeps messages until the caller reads them, counts confirmations, and
 * reports error replies.
 *
 * If a node refuses (no permission, an unknown command), the whole command is refused: the error is
 * the answer, nothing counts as subscribed, and the answers of other nodes are dropped.
 *
 * A node of a Redis Cluster may also report that another node has the slot of a shard channel, at
 * the subscription or later. The map is updated and the subscription ends; the next subscription
 * goes to the right node.
 */
#include "engine/listener/listener_internal.h"

#include <string.h>

#include "core/cluster/redirect.h"
#include "core/command/command.h"
#include "core/resp/value.h"

#include "engine/base/environment.h"
#include "engine/nodes/nodes.h"

/* ---- Slots that move ---- */

/* Ends the listener because a node no longer has the slot of a shard channel. */
static void lose_slot(oh_listener *listener, uint32_t node, oh_text channel)
{
    oh_quoted shown;

    oh_nodes_request_refresh(listener->snapshot->known_by);
    oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_SLOT_MOVED,
        oh_quote(&shown, channel.bytes, channel.length));
    oh_listener_fail(listener, node);
}

/* Applies a redirect to the newest map. The index in the redirect belongs to the listener's map. */
static void learn(const oh_listener *listener, const oh_redirect *redirect)
{
    oh_nodes *nodes = listener->snapshot->known_by;

    if (redirect->has_moved) {
        oh_slot_move move = {
            redirect->slot, oh_topology_node(listener->snapshot->topology, redirect->node).name};

        oh_nodes_note_moves(nodes, &move, 1);
    }
    if (redirect->wants_refresh) {
        oh_nodes_request_refresh(nodes);
    }
}

/* True if the error reply is a redirect or a temporary refusal. The listener ends then. */
static bool is_sent_away(oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    oh_redirect_case it = {
        .error = {bytes + 1, length - 3}, .asked = node, .left_ms = -1, .is_fresh = true};
    oh_redirect redirect = oh_redirect_decide(listener->snapshot->topology, &it);
    oh_quoted answer;

    if (redirect.action == OH_REDIRECT_NONE) {
        return false;
    }
    learn(listener, &redirect);
    oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_SUBSCRIPTION_REDIRECTED,
        oh_quote(&answer, it.error.bytes, it.error.length));
    oh_listener_fail(listener, node);
    return true;
}

/* ---- Messages ---- */

void oh_listener_drop_first(oh_listener *listener)
{
    oh_message *message = listener->first;

    listener->first = message->next;
    listener->given = 0;
    oh_call_release(message);
}

/*
 * True for a message of a pattern that another node also delivers: each node of a Redis Cluster
 * delivers what is published on any node. Notifications of keys come only from the node of the key.
 */
static bool is_told(const oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    oh_published published;

    return listener->snapshot->is_cluster && node != listener->first_node &&
           oh_channel_message(bytes, length, &published) && published.kind == OH_PATTERN &&
           !oh_notification_is_channel(published.channel);
}

/*
 * Keeps a message. Without memory the listener ends, because a lost message must not go unnoticed.
 */
static void keep_message(oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    if (is_told(listener, node, bytes, length)) {
        return;
    }
    oh_message *message = oh_call_allocate(sizeof *message + length);

    if (!message) {
        oh_listener_lack_memory(listener, node, OH_OUTCOME_ANSWERED);
        return;
    }
    message->next = NULL;
    message->length = length;
    memcpy(message->bytes, bytes, length);
    if (listener->first) {
        listener->last->next = message;
    } else {
        listener->first = message;
    }
    listener->last = message;
}

/* ---- Values ---- */

void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length)
{
    oh_subscribed_node *subscribed_node = &listener->nodes[node];
    oh_text name;
    const oh_verb *verb = oh_channel_confirmed(bytes, length, &name);

    if (subscribed_node->unconfirmed && oh_value_begins_error(bytes, length)) {
        if (listener->snapshot->is_cluster && is_sent_away(listener, node, bytes, length)) {
            return;
        }
        subscribed_node->unconfirmed = 0;
        if (!listener->is_refused) {
            listener->is_refused = true;
            oh_buffer_append(&listener->answer, bytes, length);
            if (listener->answer.is_broken) {
                oh_listener_lack_memory(listener, node, OH_OUTCOME_ANSWERED);
            }
        }
    } else if (subscribed_node->recalled && oh_value_begins_error(bytes, length)) {
        oh_quoted answer;

        oh_failure_set(listener->failure, OH_OUTCOME_ANSWERED, OH_SAY_SUBSCRIPTION_LOST,
            oh_quote(&answer, bytes + 1, length - 3));
        oh_listener_lose(listener, node);
    } else if (!verb) {
        keep_message(listener, node, bytes, length);
    } else if (subscribed_node->unconfirmed && verb == listener->verb) {
        subscribed_node->unconfirmed--;
        listener->is_confirmed = true;
    } else if (subscribed_node->recalled && verb->is_beginning) {
        if (--subscribed_node->recalled == 0) {
            oh_listener_take_back(listener, node);
        }
    } else if (listener->snapshot->is_cluster) {
        lose_slot(listener, node, name);
    }
}
