/*
 * The inside of room listener: text (what commands and messages say), node (one connection), and the listener itself.
 */
#ifndef OH_ENGINE_LISTENER_INSIDE_H
#define OH_ENGINE_LISTENER_INSIDE_H

#include "engine/listener/listener.h"

/* ---- Text ---- */

/* One of the six commands: (P|S|)(UN|)SUBSCRIBE. */
typedef struct oh_verb {
    const char *name; /* As confirmations spell it. */
    oh_channel_kind kind;
    bool is_beginning;
} oh_verb;

/* Reads "*<n>" or the next bulk, which the text then borrows, and moves on. False: there is something else. */
bool oh_text_count(const char **at, const char *end, uint32_t *count);
bool oh_text_next(const char **at, const char *end, oh_text *text);

/* The command of that name; NULL: it is none of the six. */
const oh_verb *oh_text_verb(oh_text name);

/* Of what command a whole value from a node is the confirmation, and of what name, if it says one; NULL: it is none. */
const oh_verb *oh_text_confirmed(const char *bytes, size_t length, oh_text *name);

/* Whether a message belongs to something that is subscribed; one that this room does not know is left to phpredis. */
bool oh_text_is_wanted(const oh_listener *listener, const oh_message *message);

/* Appends a command's beginning, and a word. */
void oh_text_begin(smart_str *request, const oh_verb *verb, uint32_t words);
void oh_text_append(smart_str *request, oh_text word);

/* Appends the confirmation of one word. */
void oh_text_confirm(smart_str *answer, const oh_verb *verb, oh_text word, uint32_t subscribed_count);

/* ---- Node ---- */

/* Tells a node its request, over a new connection if there is none. False: failed. */
bool oh_ear_tell(oh_listener *listener, uint32_t node);

/*
 * Waits once for all nodes, at most until the instant `until_ns` (0: for ever), and moves those that can move. False: a
 * node has failed, or a signal handler of the script has thrown.
 */
bool oh_ears_wait(oh_listener *listener, uint64_t until_ns);

void oh_ear_close(oh_ear *ear);

/* ---- Slot: what befalls a subscription on a Redis Cluster ---- */

/*
 * Looks whether its nodes are in the newest map: one that has left the cluster runs on, perhaps, and says nothing. Until
 * when to listen before the next look, not beyond `until_ns`; if it listens in vain, the listener has ended.
 */
uint64_t oh_listener_look_at_map(oh_listener *listener, uint64_t until_ns);

/* A node of a Redis Cluster says that the slot of a shard channel is no longer its own. The listener ends. */
void oh_listener_lose_slot(oh_listener *listener, uint32_t node, oh_text channel);

/* Whether its refusal means that it is not the one, or not now. Then the listener ends. */
bool oh_listener_is_sent_away(oh_listener *listener, uint32_t node, const char *bytes, size_t length);

/* ---- The listener ---- */

/* Takes a whole value that a node has sent. */
void oh_listener_take(oh_listener *listener, uint32_t node, const char *bytes, size_t length);

/* The listener ends; the failure has been set. */
void oh_listener_fail(oh_listener *listener, uint32_t node);

#endif
