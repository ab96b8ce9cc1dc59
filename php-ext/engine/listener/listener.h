/*
 * Listener: the subscriptions of one client, on as many nodes as they need. To the caller they look
 * like one connection.
 *
 *     SUBSCRIBE a b ─► send: a ─► node of a ──┐
 *                            b ─► node of b ──┤
 *     PSUBSCRIBE p* ─► send: p* ─► every node ┴─ one poll for all ─► receive
 *                  (a Redis Cluster: one node)                         │
 *           confirmations in the order of the words, whole messages ◄──┘
 *
 * The caller passes its commands to send and reads from receive what one server would have
 * answered. Each node has a new connection in subscribed mode (spec/wire, section 4), which no
 * other call ever uses. send returns when every node concerned has confirmed, within the deadline
 * of a call. receive waits for a message for ever, or for the user's timeout. It returns messages
 * whole and one at a time, so those of several nodes never mix. A message that arrives before the
 * confirmations is kept, and dropped if its channel was unsubscribed meanwhile.
 *
 * The first failure of a node ends all subscriptions: with one silent part, messages would be lost
 * unnoticed. The same happens if a node of a Redis Cluster gives away the slot of a shard channel,
 * which it reports by an unexpected confirmation.
 *
 * Implements spec/route, section 6, Subscriptions.
 */
#ifndef OH_ENGINE_LISTENER_H
#define OH_ENGINE_LISTENER_H

#include "engine/base/buffer.h"
#include "engine/listener/names.h"
#include "engine/snapshot/snapshot.h"

#define OH_NO_NODE UINT32_MAX

/* A channel, a pattern and a shard channel of one name are three different subscriptions. */
typedef enum oh_channel_kind {
    OH_CHANNEL,
    OH_PATTERN,
    OH_SHARD_CHANNEL,
    OH_CHANNEL_KINDS_COUNT
} oh_channel_kind;

/* A message that was received and not returned yet. */
typedef struct oh_message {
    struct oh_message *next;
    size_t length;
    char bytes[];
} oh_message;

/* The state of one node: what is sent to it, and received from it. */
typedef struct oh_subscribed_node {
    oh_connection *connection; /* NULL if nothing was ever subscribed there. */
    oh_buffer request;         /* The command that is being sent to it. */
    size_t sent;
    uint32_t words;       /* Channels of the command that concern this node. */
    uint32_t unconfirmed; /* How many of them it has not confirmed yet. */
    bool is_announced;    /* The wire guard knows about the command. */
    char *received;       /* Bytes of an incomplete value. */
    size_t framed, end, capacity;
} oh_subscribed_node;

/* A name is subscribed, perhaps again, or no longer. */
typedef void (*oh_confirmed)(void *owner, oh_channel_kind kind, oh_text name, bool is_subscribed);

typedef struct oh_listener {
    oh_snapshot *snapshot;       /* Borrowed from the client. */
    const oh_topology *topology; /* The topology that places channels; borrowed, too. */
    oh_subscribed_node *nodes;   /* By index of the node. */
    struct pollfd *descriptors;
    oh_names subscribed[OH_CHANNEL_KINDS_COUNT]; /* What the nodes have confirmed. */
    /* Called for each word of a command that all nodes concerned have confirmed; may be NULL. */
    oh_confirmed confirmed;
    void *owner;                /* Its first argument. */
    const struct oh_verb *verb; /* The last command. */
    oh_message *first, *last;
    size_t given;     /* How much of the first message was returned. */
    oh_buffer answer; /* Confirmations, or an error reply; returned before any message. */
    size_t answer_given;
    bool is_refused;
    const oh_snapshot *looked_at; /* The newest map of a Redis Cluster that was checked. */
    uint32_t timeout_ms;          /* For connecting and confirmations; 0 is none. */
    uint32_t message_timeout_ms;  /* For a message; 0 waits for ever. */
    bool has_failed;
    uint32_t failed_node; /* OH_NO_NODE if none is to blame. */
    oh_failure *failure;  /* Memory of the caller. */
} oh_listener;

/* Nothing is subscribed yet, and no connection opened. NULL if there is no memory. */
oh_listener *oh_listener_open(oh_snapshot *snapshot, const oh_topology *topology,
    uint32_t timeout_ms, uint32_t message_timeout_ms, oh_failure *failure);

/* Closes every connection, and drops what was not returned. */
void oh_listener_close(oh_listener *listener);

/* One command, to the nodes it concerns, confirmed by all of them. receive reports whether it
 * failed. */
void oh_listener_send(oh_listener *listener, const char *bytes, size_t length);

/*
 * Waits for a message and returns up to `size` bytes, never of more than one message. 0 if it
 * failed, an exception interrupted it, or nothing is subscribed, so no message can come.
 */
size_t oh_listener_receive(oh_listener *listener, char *bytes, size_t size);

/* True if nothing is subscribed. */
bool oh_listener_is_idle(const oh_listener *listener);

#endif
