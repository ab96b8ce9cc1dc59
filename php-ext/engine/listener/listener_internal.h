/*
 * The inside of room listener, the lower parts first: text (the form of commands and messages),
 * intake (what nodes send), map (nodes that leave), node (the connections), words (where a
 * command's words go), and the listener itself.
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

/* The command of that name; NULL if it is none of the six. */
const oh_verb *oh_channel_verb(oh_text name);

/*
 * The command that a complete value from a node confirms, and the name in it, if there is one. NULL
 * if it is no confirmation.
 */
const oh_verb *oh_channel_confirmed(const char *bytes, size_t length, oh_text *name);

/*
 * The channel or pattern of the message in a complete value. False if it is no message of a known
 * form.
 */
bool oh_channel_message(const char *bytes, size_t length, oh_channel_kind *kind, oh_text *name);

/* Appends the beginning of a command, and a word. */
void oh_channel_request_begin(oh_buffer *request, const oh_verb *verb, uint32_t words);
void oh_channel_request_append(oh_buffer *request, oh_text word);

/* Appends the confirmation of one word. */
void oh_channel_confirmation(
    oh_buffer *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count);

/* ---- Intake ---- */

/* Ends the listener with the failure that was set, or for lack of memory. */
void oh_listener_fail(oh_listener *listener, uint32_t node);
void oh_listener_lack_memory(oh_listener *listener, uint32_t node, oh_outcome outcome);

/* Takes a complete value that a node has sent. */
void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length);

/* Drops the first kept message. */
void oh_listener_drop_first(oh_listener *listener);

/* ---- Map ---- */

/*
 * Checks that its nodes are in the newest map: a node that has left the cluster may run on, and
 * stay silent. Returns when to check again, at most `until_ns`. If a node has left, the listener
 * ends.
 */
uint64_t oh_listener_look_at_map(oh_listener *listener, uint64_t until_ns);

/* ---- Node ---- */

/* Sends a node its request, over a new connection if there is none. False if it failed. */
bool oh_subscribed_node_send(oh_listener *listener, uint32_t node);

/*
 * Waits once for all nodes, at most until the instant `until_ns` (0: for ever), and advances those
 * that can go on. False if a node has failed, or the program has ended the wait.
 */
bool oh_subscribed_nodes_wait(oh_listener *listener, uint64_t until_ns);

void oh_subscribed_node_close(oh_subscribed_node *subscribed_node);

/* ---- Words ---- */

typedef struct oh_channel_command {
    const oh_verb *verb;
    oh_text *words;
    uint32_t *nodes; /* The node of each word; patterns have none. */
    uint32_t count;
} oh_channel_command;

/* Reads a command, and writes the request of each node. False if the listener has ended. */
bool oh_channel_command_read(
    oh_channel_command *command, oh_listener *listener, const char *bytes, size_t length);
bool oh_channel_command_write(oh_channel_command *command, oh_listener *listener);
void oh_channel_command_free(oh_channel_command *command);

#endif
