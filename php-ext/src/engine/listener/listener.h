/*
 * Listener: the subscriptions of one client, on one or more nodes. To the caller they look like one
 * connection.
 *
 *     SUBSCRIBE a b ─► send: a ─► node of a ──┐
 *                            b ─► node of b ──┤
 *     PSUBSCRIBE p* ─► send: p* ─► every node ┴─ one poll for all ─► receive
 *                  (a Redis Cluster: one node)                         │
 *           confirmations in the order of the words, whole messages ◄──┘
 *
 * The caller passes its commands to `send` and reads from `receive` what one server would have
 * answered. Each node has a dedicated connection in subscribed mode (spec/wire, section 4). `send`
 * returns when all nodes concerned have confirmed, within the deadline of a call. `receive` waits
 * for a message forever, or for the user's timeout. It returns whole messages, one at a time, so
 * those of several nodes never mix. Messages that arrive before the confirmations are kept, but
 * dropped if their channel was unsubscribed in the meantime.
 *
 * A node that fails is lost, and the others go on. Its names are subscribed again when it is back,
 * or on another node of a Redis Cluster that hears the same. The log says when a node is lost and
 * when its names are back. When no node is left, all subscriptions end with the failure of the
 * first that was lost. They also end if a node of a Redis Cluster loses the slot of a shard
 * channel, which it reports by an unexpected confirmation.
 *
 * Implements spec/route, section 6, Subscriptions.
 */
#ifndef OH_ENGINE_LISTENER_H
#define OH_ENGINE_LISTENER_H

#include "engine/base/buffer.h"
#include "engine/listener/names.h"
#include "engine/snapshot/snapshot.h"

#define OH_NO_NODE UINT32_MAX

/* A channel, a pattern and a shard channel with the same name are three different subscriptions. */
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
    oh_buffer request;         /* The command being sent to it. */
    size_t sent;
    size_t announced;     /* How many of its bytes the wire guard has seen. */
    uint32_t words;       /* Channels of the command that concern this node. */
    uint32_t unconfirmed; /* How many of them it has not confirmed yet. */
    uint32_t recalled;    /* Names that the listener itself subscribes: not confirmed yet. */
    uint32_t recalls;     /* Names that were recalled in all, confirmed or not. */
    bool is_lost;         /* Until it has confirmed all its names again. */
    uint64_t next_ns;     /* While it is lost: when to connect again, or to give up connecting. */
    char *received;       /* Bytes of an incomplete value. */
    size_t framed, end, capacity;
} oh_subscribed_node;

/* Called when a name is subscribed (perhaps again) or unsubscribed. */
typedef void (*oh_confirmed)(void *owner, oh_channel_kind kind, oh_text name, bool is_subscribed);

typedef struct oh_listener {
    oh_snapshot *snapshot;       /* Borrowed from the client. */
    const oh_topology *topology; /* Places channels. Also borrowed. */
    oh_subscribed_node *nodes;   /* By index of the node. */
    struct pollfd *descriptors;
    oh_names subscribed[OH_CHANNEL_KINDS_COUNT]; /* The names that the nodes have confirmed. */
    /* Called for each word of a command that all nodes concerned have confirmed; may be NULL. */
    oh_confirmed confirmed;
    /*
     * Called while a node is lost: true if new clients use another node in its place, so that it is
     * useless to wait for it. May be NULL.
     */
    bool (*is_outdated)(void *owner);
    void *owner;                /* The first argument of both functions. */
    const struct oh_verb *verb; /* The last command. */
    oh_message *first, *last;
    size_t given;     /* How much of the first message was returned. */
    oh_buffer answer; /* Confirmations, or an error reply; returned before any message. */
    size_t answer_given;
    bool is_refused;
    bool is_confirmed;              /* Some node has confirmed a part of the last command. */
    const oh_snapshot *checked_map; /* The last map of a Redis Cluster that was checked. */
    uint32_t timeout_ms;            /* For connecting and confirmations; 0 if there is none. */
    uint32_t message_timeout_ms;    /* For a message; 0 waits forever. */
    /* In a Redis Cluster: the node that delivers the messages that all nodes pass on. */
    uint32_t first_node;
    bool is_unsettled; /* A node was lost, and its names may move to another node. */
    bool has_failed;
    uint32_t failed_node;    /* The node that has failed; OH_NO_NODE if none. */
    oh_failure *failure;     /* Memory of the caller. */
    uint32_t first_lost;     /* The node that was lost first; OH_NO_NODE if none is lost. */
    oh_failure lost_failure; /* The failure of that node. */
} oh_listener;

/* Makes a listener, without subscriptions and connections. NULL if there is no memory. */
oh_listener *oh_listener_open(oh_snapshot *snapshot, const oh_topology *topology,
    uint32_t timeout_ms, uint32_t message_timeout_ms, oh_failure *failure);

/* Closes all connections and drops messages that were not returned. */
void oh_listener_close(oh_listener *listener);

/*
 * Sends one command to the nodes that it concerns and waits for their confirmations. `receive`
 * reports a failure.
 */
void oh_listener_send(oh_listener *listener, const char *bytes, size_t length);

/*
 * Waits for a message and writes up to `size` of its bytes, never bytes of two messages. Returns
 * how many. Returns 0 if the listener has failed, an exception has ended the wait, or nothing is
 * subscribed.
 */
size_t oh_listener_receive(oh_listener *listener, char *bytes, size_t size);

/* True if nothing is subscribed. */
bool oh_listener_is_idle(const oh_listener *listener);

#endif
