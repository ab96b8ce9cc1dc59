/*
 * Listener: the subscriptions of one client, on as many nodes as they need, heard as if they were
 * one connection.
 *
 *     SUBSCRIBE a b ─► say: a ─► node of a ─┐                       ┌─► confirmations, in the order of the words
 *                           b ─► node of b ─┴─ one poll for all ─► hear ─► messages, whole, as they arrive
 *     PSUBSCRIBE p* ─► say: p* ─► every node ─┘   (of a Redis Cluster to one: it passes on what all are told)
 *
 * The caller writes its commands into say and reads from hear what one server would have answered.
 * Each node has a connection of its own, new, in subscribed mode (spec/wire, section 4), which
 * nobody else ever uses. say returns when every node concerned has confirmed, within the deadline
 * of a call; hear waits for a message for ever, or as long as the user has said. Messages are
 * handed out whole and one at a time, so those of several nodes never mix; what arrives while
 * confirmations are waited for is kept, and dropped if its channel was unsubscribed meanwhile.
 *
 * The first failure of a node ends all: a subscription of which a part is silent would lose
 * messages unnoticed. So does a node of a Redis Cluster that gives away the slot of a shard
 * channel, which it says by a confirmation nobody has asked for.
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

/* A message that was received and not handed out yet. */
typedef struct oh_message {
    struct oh_message *next;
    size_t length;
    char bytes[];
} oh_message;

/* What is sent to one node, and received from it. */
typedef struct oh_subscribed_node {
    oh_connection *connection; /* NULL: nothing was ever subscribed there. */
    oh_buffer request;         /* The command it is being told. */
    size_t sent;
    uint32_t words;       /* Channels of the command that concern this node. */
    uint32_t unconfirmed; /* How many of them it has not confirmed. */
    bool is_announced;    /* The wire guard knows of the command. */
    char *received;       /* Bytes of a value that is not whole. */
    size_t framed, end, capacity;
} oh_subscribed_node;

/* A name is subscribed, perhaps anew, or no longer. */
typedef void (*oh_confirmed)(void *owner, oh_channel_kind kind, oh_text name, bool is_subscribed);

typedef struct oh_listener {
    oh_snapshot *snapshot;       /* Borrowed of the client. */
    const oh_topology *topology; /* What channels are placed by; likewise. */
    oh_subscribed_node *nodes;   /* By index of the node. */
    struct pollfd *descriptors;
    oh_names subscribed[OH_CHANNEL_KINDS_COUNT]; /* What the nodes have confirmed. */
    /* Told of each word of a command that all nodes concerned have confirmed; may be NULL. */
    oh_confirmed confirmed;
    void *owner;                /* Its first argument. */
    const struct oh_verb *verb; /* The last command. */
    oh_message *first, *last;
    size_t given;     /* Of the first message. */
    oh_buffer answer; /* Confirmations, or an error reply; handed out before any message. */
    size_t answer_given;
    bool is_refused;
    const oh_snapshot *looked_at; /* The newest map of a Redis Cluster that was looked at. */
    uint32_t timeout_ms;          /* For connecting and confirmations; 0 is none. */
    uint32_t message_timeout_ms;  /* For a message; 0 is for ever. */
    bool has_failed;
    uint32_t failed_node; /* Or OH_NO_NODE, if none is to blame. */
    oh_failure *failure;  /* Where the caller wants to find it. */
} oh_listener;

/* Nothing is subscribed yet, and no node spoken to. NULL: there is no memory. */
oh_listener *oh_listener_open(oh_snapshot *snapshot, const oh_topology *topology,
    uint32_t timeout_ms, uint32_t message_timeout_ms, oh_failure *failure);

/* Closes every connection. What was not handed out is dropped. */
void oh_listener_close(oh_listener *listener);

/* One command, to the nodes it concerns, confirmed by all of them. receive reports whether it
 * failed. */
void oh_listener_send(oh_listener *listener, const char *bytes, size_t length);

/*
 * Hands out up to `size` bytes, never of more than one message, waiting for it. 0: failed, or
 * interrupted by an exception, or nothing is subscribed and so nothing can come.
 */
size_t oh_listener_receive(oh_listener *listener, char *bytes, size_t size);

/* Nothing is subscribed. */
bool oh_listener_is_idle(const oh_listener *listener);

#endif
