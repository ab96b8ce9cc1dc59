/*
 * Internal to room listener, the lower parts first: text (the form of commands and messages), lost
 * (what fails), place (the nodes of names), intake (what nodes send), map (nodes that leave), node
 * (the connections), recall (what is subscribed again), words (the nodes of a command's words), and
 * the listener itself.
 */
#ifndef OH_ENGINE_LISTENER_INTERNAL_H
#define OH_ENGINE_LISTENER_INTERNAL_H

#include "engine/listener/listener.h"

/* ---- Text ---- */

/* One of the six commands: (P|S|)(UN|)SUBSCRIBE. */
typedef struct oh_verb {
    const char *name; /* As confirmations spell it. */
    oh_channel_kind kind;
    bool is_beginning;
} oh_verb;

/* Finds a command by name; NULL if it is not one of the six. */
const oh_verb *oh_channel_verb(oh_text name);

/*
 * Returns the command that a complete value from a node confirms, and sets the name in it, if any.
 * NULL if the value is not a confirmation.
 */
const oh_verb *oh_channel_confirmed(const char *bytes, size_t length, oh_text *name);

/*
 * Finds the channel or pattern of the message in a complete value, and the channel on which it was
 * published. False if it is not a message of a known form.
 */
typedef struct oh_published {
    oh_channel_kind kind;
    oh_text name, channel;
} oh_published;

bool oh_channel_message(const char *bytes, size_t length, oh_published *published);

/* Appends the beginning of a command, and a word. */
void oh_channel_request_begin(oh_buffer *request, const oh_verb *verb, uint32_t words);
void oh_channel_request_append(oh_buffer *request, oh_text word);

/* Appends the confirmation of one word. */
void oh_channel_confirmation(
    oh_buffer *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count);

/* ---- Lost ---- */

/* End the listener: with the failure that was set, or for lack of memory. */
void oh_listener_fail(oh_listener *listener, uint32_t node);
void oh_listener_lack_memory(oh_listener *listener, uint32_t node, oh_outcome outcome);

/* Called after the failure of a node was set. The other nodes go on. */
void oh_listener_lose(oh_listener *listener, uint32_t node);

/*
 * If a node was lost: ends the listener if no node is left, or if another node has taken the place
 * of the lost one.
 */
void oh_listener_require_node(oh_listener *listener);

/*
 * Called when the node has confirmed everything again; and when nothing is left to subscribe on it.
 */
void oh_listener_take_back(oh_listener *listener, uint32_t node);
void oh_listener_forget_loss(oh_listener *listener, uint32_t node);

void oh_subscribed_node_close(oh_subscribed_node *subscribed_node);

/* ---- Place ---- */

#define OH_EVERY_NODE (UINT32_MAX - 1)

/* The node on which a name is subscribed, or OH_EVERY_NODE for all nodes that have keys. */
uint32_t oh_listener_place(const oh_listener *listener, oh_channel_kind kind, oh_text name);

/* True if each node of a Redis Cluster delivers what is published under this name. */
bool oh_listener_is_passed_on(const oh_listener *listener, oh_channel_kind kind, uint32_t node);

/* A node of a Redis Cluster that is not lost; OH_NO_NODE if there is none. */
uint32_t oh_listener_stand_in(const oh_listener *listener);

/* How many names are subscribed on the node, or would be if it were not lost. */
uint32_t oh_listener_count(const oh_listener *listener, uint32_t node);

/* ---- Intake ---- */

/* Handles a complete value that a node has sent. */
void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length);

/* Drops the first kept message. */
void oh_listener_drop_first(oh_listener *listener);

/* ---- Map ---- */

/*
 * Checks that the nodes are still in the newest map: a node that has left the cluster may keep
 * running but stay silent. If a node has left, the listener ends. It also ends if it listens to
 * notifications of keys and the cluster has other masters now. Returns when to check again, at most
 * `until_ns`.
 */
uint64_t oh_listener_check_map(oh_listener *listener, uint64_t until_ns);

/* ---- Node ---- */

/* Sends a node its request, over a new connection if there is none. False if it failed. */
bool oh_subscribed_node_send(oh_listener *listener, uint32_t node);

/*
 * Waits once for all nodes, at most until `until_ns` (0: forever), and advances the nodes that can
 * continue. False if the listener has failed, or the program has ended the wait.
 */
bool oh_subscribed_nodes_wait(oh_listener *listener, uint64_t until_ns);

/* Opens a connection for the request of a node. */
void oh_subscribed_node_begin(oh_listener *listener, uint32_t node);

/* Sends what was appended to the request of a connected node. */
void oh_subscribed_node_send_rest(oh_listener *listener, uint32_t node);

/* ---- Recall ---- */

/*
 * Subscribes the names of lost nodes: in a Redis Cluster immediately on another node; otherwise on
 * the lost node itself, as soon as it is time to try that node again. Returns when the next try is
 * due, at most `until_ns`.
 */
uint64_t oh_listener_settle(oh_listener *listener, uint64_t until_ns);

/* ---- Words ---- */

typedef struct oh_channel_command {
    const oh_verb *verb;
    oh_text *words;
    uint32_t *nodes; /* The node of each word, or OH_EVERY_NODE. */
    uint32_t count;
} oh_channel_command;

/* Reads a command, and writes the request of each node. False if the listener has ended. */
bool oh_channel_command_read(
    oh_channel_command *command, oh_listener *listener, const char *bytes, size_t length);
bool oh_channel_command_write(oh_channel_command *command, oh_listener *listener);
void oh_channel_command_free(oh_channel_command *command);

#endif
