/*
 * The inside of room listener, the lower parts first: text (what commands and messages say), intake
 * (what nodes send), map (nodes that leave), node (the connections), words (where a command's words
 * go), and the listener itself.
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

/* The command of that name; NULL: it is none of the six. */
const oh_verb *oh_channel_verb(oh_text name);

/*
 * Of what command a whole value from a node is the confirmation, and of what name, if it says one;
 * NULL: it is none.
 */
const oh_verb *oh_channel_confirmed(const char *bytes, size_t length, oh_text *name);

/* Of what a whole value is a message. False: it is none that this room knows. */
bool oh_channel_message(const char *bytes, size_t length, oh_channel_kind *kind, oh_text *name);

/* Appends a command's beginning, and a word. */
void oh_channel_request_begin(oh_buffer *request, const oh_verb *verb, uint32_t words);
void oh_channel_request_append(oh_buffer *request, oh_text word);

/* Appends the confirmation of one word. */
void oh_channel_confirmation(
    oh_buffer *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count);

/* ---- Intake ---- */

/* The listener ends; the failure has been set, or that there is no memory. */
void oh_listener_fail(oh_listener *listener, uint32_t node);
void oh_listener_lack_memory(oh_listener *listener, uint32_t node, oh_outcome outcome);

/* Takes a whole value that a node has sent. */
void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length);

/* Forgets the first message that was kept. */
void oh_listener_drop_first(oh_listener *listener);

/* ---- Map ---- */

/*
 * Looks whether its nodes are in the newest map: one that has left the cluster runs on, perhaps,
 * and says nothing. Until when to listen before the next look, not beyond `until_ns`; if it listens
 * in vain, the listener has ended.
 */
uint64_t oh_listener_look_at_map(oh_listener *listener, uint64_t until_ns);

/* ---- Node ---- */

/* Tells a node its request, over a new connection if there is none. False: failed. */
bool oh_subscribed_node_send(oh_listener *listener, uint32_t node);

/*
 * Waits once for all nodes, at most until the instant `until_ns` (0: for ever), and moves those
 * that can move. False: a node has failed, or the program has given up the wait.
 */
bool oh_subscribed_nodes_wait(oh_listener *listener, uint64_t until_ns);

void oh_subscribed_node_close(oh_subscribed_node *subscribed_node);

/* ---- Words ---- */

typedef struct oh_channel_command {
    const oh_verb *verb;
    oh_text *words;
    uint32_t *nodes; /* Of each word; patterns have none. */
    uint32_t count;
} oh_channel_command;

/* Reads a command, and writes what each node is to be told of it. False: the listener has ended. */
bool oh_channel_command_read(
    oh_channel_command *command, oh_listener *listener, const char *bytes, size_t length);
bool oh_channel_command_write(oh_channel_command *command, oh_listener *listener);
void oh_channel_command_free(oh_channel_command *command);

#endif
