/*
 * Node client: one phpredis object that speaks to one node of a server pool, for one client.
 *
 * It is a plain \Redis with the options of the client. phpredis has connected it with its own
 * connect() to one of our streams (transport.h). A client has one node client for each node it has
 * used. Two calls never share a node client: a call that begins during another one (in an
 * __unserialize(), in another fiber) gets a spare.
 */
#ifndef OH_PHP_NODE_CLIENT_H
#define OH_PHP_NODE_CLIENT_H

#include "php/phpredis/method.h"
#include "php/phpredis/phpredis.h"
#include "php/phpredis/transport.h"
#include "engine/moving/moving.h"
#include "engine/resend/resend.h"
#include "engine/snapshot/snapshot.h"

struct oh_client;

/* The commands that wait for exec(): queued by phpredis, or written on the express lane. */
struct oh_pipes;
typedef struct oh_node_client_queue {
    struct oh_pipes *pipes; /* The pipes that opened the queue; NULL if there is none. */
    bool is_express;        /* The commands are in `express`; phpredis is not in pipeline mode. */
    uint32_t count;         /* Number of queued commands. */
    uint32_t multis;        /* How many of them are MULTI. */
    oh_call_terms terms;    /* For sending the queue. */
} oh_node_client_queue;

typedef struct oh_node_client {
    oh_transport_owner owner;     /* Owner of its stream. First, so both have one address. */
    struct oh_node_client *spare; /* The next node client to the same node. */
    struct oh_client *client;
    uint32_t node;
    oh_node_client_queue queue;
    oh_express express;
    /* Bytes of calls that took the express lane, which phpredis does not count. */
    uint64_t express_sent, express_received;
    bool is_busy;     /* In the middle of a call: another call must take another node client. */
    bool is_reserved; /* Used by a transaction or a pipeline, also between calls. */
    uint32_t holds;   /* Not closed while this is above zero. */
    /* The exchange of the last call failed; phpredis has closed its stream since then. */
    bool has_failed;
    /* phpredis believes that its connection is lost. The object must be replaced. */
    bool is_spent;
    zend_object *redis;       /* NULL if not connected yet, or dropped after a failure. */
    oh_transport *transport;  /* NULL once phpredis has closed its stream. */
    oh_redirects *redirects;  /* For nodes of a Redis Cluster, otherwise NULL. */
    oh_moving *moving;        /* For nodes of a server pool whose keys move, otherwise NULL. */
    oh_succession succession; /* For nodes of other server pools. */
    oh_node_lookout lookout;
    oh_failure failure; /* The failure of the last exchange that failed. */
} oh_node_client;

/*
 * Returns a connected node client of this node that no other call uses. NULL and an exception if
 * phpredis could not make one.
 */
oh_node_client *oh_node_client_take(struct oh_client *client, uint32_t node);

/*
 * Opens a separate connected node client that no other call takes, without spares. The caller
 * closes it with oh_node_client_close. NULL and an exception if phpredis could not make one.
 */
oh_node_client *oh_node_client_open(struct oh_client *client, uint32_t node);

/*
 * Calls a method of phpredis on the node client in the caller's own frame. phpredis gets the
 * arguments as the script passed them (also named, by-reference and variadic ones), and nothing is
 * copied.
 */
void oh_node_client_call_in_frame(oh_node_client *node_client, const oh_method *method,
    zend_execute_data *execute_data, zval *return_value);

/* Prevents the script from closing a node client and its object during a call. */
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

/* Resets the queue after phpredis has left its pipeline mode. */
void oh_node_client_forget_queue(oh_node_client *node_client);

/*
 * Begin and end a call on the node client, alone or in a set. During the call the node client is
 * busy and its object is held. The timeout and the retry setting of the client replace those of
 * `terms`. If `terms` is NULL, the call sends the queue, on the queue's own terms.
 */
void oh_node_client_enter(
    oh_node_client *node_client, const oh_call_terms *terms, oh_exchange_set *set);
void oh_node_client_leave(oh_node_client *node_client);

/*
 * Continues an outer call after an inner call on the same node client has ended. Its next write
 * begins an exchange again.
 */
void oh_node_client_enter_again(oh_node_client *node_client);

/*
 * Calls a method of phpredis without arguments. Returns the type of its result: IS_TRUE if it
 * succeeded, IS_OBJECT if it was queued.
 */
zend_uchar oh_node_client_invoke(oh_node_client *node_client, const char *method);

/* Switches to a newer map in which its node has the same index. Only between two calls. */
void oh_node_client_set_map(oh_node_client *node_client, oh_snapshot *map);

/* Calls a method of phpredis on the node client with the given arguments. */
void oh_node_client_call(oh_node_client *node_client, zend_function *function, uint32_t count,
    zval *arguments, zval *return_value);

/* True if the exchange of the last call failed. */
static inline bool oh_node_client_has_failed(const oh_node_client *node_client)
{
    return node_client->has_failed ||
           (node_client->transport && oh_exchange_has_failed(&node_client->transport->exchange));
}

/*
 * Makes the exception of a failed exchange; the caller throws it. Clears the exceptions that
 * phpredis threw because of the failure. An earlier exception of the script becomes the previous
 * exception.
 */
zend_object *oh_node_client_failure(oh_node_client *node_client);

/* Makes the exception of a failure of its exchange; `previous` is NULL or taken over. */
zend_object *oh_node_client_exception(
    const oh_node_client *node_client, const oh_failure *failure, zend_object *previous);

/*
 * Clears the pending exception. Returns the first exception of its chain if it was the script's
 * own; the caller throws or releases it. Returns NULL if phpredis threw it.
 */
zend_object *oh_node_client_take_first_cause(void);

/*
 * Closes this node client and its spares, except for those that are still held. Returns the held
 * ones.
 */
oh_node_client *oh_node_client_close(oh_node_client *node_client);

#endif
