/*
 * Node client: one phpredis object that speaks to one node of a server pool, for one client.
 *
 * It is a plain \Redis, connected by its own connect() to a stream of ours (transport.h), with the
 * options of the client set. A client has one node client for each node it has used. It has a spare
 * one if it is called again while the first is in the middle of a call (from an __unserialize(),
 * from another fiber): two calls never share a node client.
 */
#ifndef OH_PHP_NODE_CLIENT_H
#define OH_PHP_NODE_CLIENT_H

#include "php/phpredis/method.h"
#include "php/phpredis/phpredis.h"
#include "php/phpredis/transport.h"
#include "engine/redirects/redirects.h"
#include "engine/snapshot/snapshot.h"

struct oh_client;

/* phpredis' pipeline. */
struct oh_pipes;
typedef struct oh_node_client_queue {
    struct oh_pipes *pipes; /* Whose pipeline phpredis is in the mode of; NULL: none. */
    uint32_t count;         /* Commands in it. */
    uint32_t multis;        /* MULTI among them. */
    oh_call_terms terms;    /* On which it is to be sent. */
} oh_node_client_queue;

typedef struct oh_node_client {
    oh_transport_owner owner;     /* Of its stream; first, so that it is found by it. */
    struct oh_node_client *spare; /* The next node client to the same node. */
    struct oh_client *client;
    uint32_t node;
    oh_node_client_queue queue;
    bool is_busy;     /* A call is going on: another call must take another node client. */
    bool is_reserved; /* A transaction is going on, in a call or between two calls. */
    uint32_t holds;   /* While it is in use it must not be closed. */
    /* The exchange of the last call failed, and its stream is gone already. */
    bool has_failed;
    /* phpredis takes its connection for lost: its object cannot be used any more. */
    bool is_spent;
    zend_object *redis;      /* NULL: not connected yet, or given up after a failure. */
    oh_transport *transport; /* NULL once phpredis has closed its stream. */
    oh_redirects *redirects; /* Of the transport's exchange, if the node is of a Redis Cluster. */
    oh_failure failure;      /* Of the last exchange that failed. */
} oh_node_client;

/*
 * A connected node client to a node on which no call is going on. NULL and an exception if phpredis
 * did not want to.
 */
oh_node_client *oh_node_client_take(struct oh_client *client, uint32_t node);

/*
 * A connected node client of its own, which no call takes, with no spare ones; closed by
 * oh_node_client_close. NULL and an exception if phpredis did not want to.
 */
oh_node_client *oh_node_client_open(struct oh_client *client, uint32_t node);

/*
 * Calls a method of phpredis on the node client within the caller's own frame: arguments, named, by
 * reference or variadic, reach phpredis as the script passed them, and nothing is copied.
 */
void oh_node_client_call_in_frame(oh_node_client *node_client, const oh_method *method,
    zend_execute_data *execute_data, zval *return_value);

/* Protects a node client and its object from being closed by the script meanwhile. */
static inline void oh_node_client_hold(oh_node_client *node_client)
{
    node_client->holds++;
    GC_ADDREF(node_client->redis);
}

static inline void oh_node_client_let_go(oh_node_client *node_client)
{
    zend_object *redis = node_client->redis;

    node_client->holds--;
    OBJ_RELEASE(redis);
}

/* phpredis' pipeline is empty, and closed. */
void oh_node_client_forget_queue(oh_node_client *node_client);

/* The same, because it is about to be sent: on these terms. */
oh_call_terms oh_node_client_take_queue(oh_node_client *node_client);

/*
 * A call begins on the node client, alone or in a set, and ends. In between the node client is
 * busy and its object stays. Timeout and repeats are the client's, whatever the terms say.
 */
void oh_node_client_enter(oh_node_client *node_client, oh_call_terms terms, oh_exchange_set *set);
void oh_node_client_leave(oh_node_client *node_client);

/* What goes on, inside of which another call has come and gone, goes on with its next write. */
void oh_node_client_enter_again(oh_node_client *node_client);

/*
 * Calls a method of phpredis that takes no arguments. The type of its answer: IS_TRUE: done;
 * IS_OBJECT: queued.
 */
zend_uchar oh_node_client_invoke(oh_node_client *node_client, const char *method);

/* Between two calls: its node has the same index in a newer map. */
void oh_node_client_set_map(oh_node_client *node_client, oh_snapshot *map);

/* Calls a method of phpredis on the node client with arguments of our own. */
void oh_node_client_call(oh_node_client *node_client, zend_function *function, uint32_t count,
    zval *arguments, zval *return_value);

/* The exchange of the last call failed. */
static inline bool oh_node_client_has_failed(const oh_node_client *node_client)
{
    return node_client->has_failed ||
           (node_client->transport && oh_exchange_has_failed(&node_client->transport->exchange));
}

/*
 * The exception of a failed exchange, not yet thrown. What phpredis has thrown because of it is
 * cleared; what the script itself had thrown before becomes the previous exception.
 */
zend_object *oh_node_client_failure(oh_node_client *node_client);

/*
 * Clears the pending exception. What it began with is returned, to be thrown again or released, if
 * that was the script's own; NULL if it was phpredis' complaint about its stream.
 */
zend_object *oh_node_client_take_first_cause(void);

/*
 * Gives everything back: of this node client and of its spare ones. Returns those that are held,
 * which stay.
 */
oh_node_client *oh_node_client_close(oh_node_client *node_client);

#endif
