/*
 * Pipes: one queue of commands for each of several nodes. They are filled one after another and
 * sent in parallel.
 *
 * A queue is on the express lane as long as all its commands are (php/express). The first other
 * command of a node hands the queue over to phpredis' own pipeline, which takes all commands from
 * then on. So the commands of a node keep their order.
 *
 * Used by the batch of pipeline(), and by commands with several parts on one node. A node client in
 * pipeline mode is reserved: no other call takes it.
 */
#ifndef OH_PHP_PIPES_H
#define OH_PHP_PIPES_H

#include "php/scatter/scatter.h"

typedef struct oh_pipes {
    oh_node_client **node_clients; /* In the order in which they entered pipeline mode. */
    uint32_t count, capacity;
} oh_pipes;

/* The replies of a node, and the position of the next one. */
typedef struct oh_reply_cursor {
    oh_node_client *node_client; /* NULL if this node got no commands. */
    HashTable *replies;          /* NULL if the node failed. */
    /* The failure of the node, or NULL. It stands for each of its replies. */
    zend_object *failure;
    bool has_refusals; /* Some of the replies are failures. */
    uint32_t next;
} oh_reply_cursor;

/* Returns the node client that queues commands for a node; NULL if there is none so far. */
static zend_always_inline oh_node_client *oh_pipes_find(
    const oh_pipes *pipes, const oh_client *client, uint32_t node)
{
    oh_node_client *node_client = client->node_clients[node];

    while (node_client && UNEXPECTED(node_client->queue.pipes != pipes)) {
        node_client = node_client->spare;
    }
    return node_client;
}

/*
 * Puts the node client of a node into phpredis' pipeline mode; what it has on the express lane is
 * handed over. Returns NULL and throws on failure.
 */
oh_node_client *oh_pipes_open(oh_pipes *pipes, oh_client *client, uint32_t node);

/*
 * Returns the node client whose phpredis queues commands for a node, opening it if needed. Returns
 * NULL and throws on failure.
 */
static zend_always_inline oh_node_client *oh_pipes_node_client(
    oh_pipes *pipes, oh_client *client, uint32_t node)
{
    oh_node_client *node_client = oh_pipes_find(pipes, client, node);

    return EXPECTED(node_client && !node_client->queue.is_express)
               ? node_client
               : oh_pipes_open(pipes, client, node);
}

/* Opens the express lane of a node that has no queue yet. Returns NULL and throws on failure. */
oh_node_client *oh_pipes_open_express(oh_pipes *pipes, oh_client *client, uint32_t node);

/*
 * Queues a call on the express lane. If it returns false without an exception, the call must be
 * queued with phpredis. After an exception it must not be queued at all.
 */
static zend_always_inline bool oh_pipes_write(oh_pipes *pipes, oh_client *client, uint32_t node,
    const oh_method *method, const oh_express_call *call)
{
    if (!call->forms.count || UNEXPECTED(!client->takes_express)) {
        return false;
    }
    oh_node_client *node_client = oh_pipes_find(pipes, client, node);

    if (UNEXPECTED(!node_client)) {
        node_client = oh_pipes_open_express(pipes, client, node);
    }
    if (UNEXPECTED(!node_client || !node_client->queue.is_express) ||
        UNEXPECTED(!oh_express_write(&node_client->express, call))) {
        return false;
    }
    node_client->queue.count++;
    node_client->queue.terms.is_read_only &= method->is_read_only;
    return true;
}

/* Hands everything on the express lane over to phpredis. Returns false and throws on failure. */
bool oh_pipes_hand_over(oh_pipes *pipes);

/*
 * True if phpredis has queued the command: it then returns its own object. In this case releases
 * that result and counts the command.
 */
static zend_always_inline bool oh_pipes_took(
    oh_node_client *node_client, bool is_read_only, zval *answer)
{
    if (UNEXPECTED(Z_TYPE_P(answer) != IS_OBJECT || Z_OBJ_P(answer) != node_client->redis)) {
        return false;
    }
    node_client->queue.count++;
    node_client->queue.terms.is_read_only &= is_read_only;
    GC_DELREF(node_client->redis);
    return true;
}

/* Queues a call with the given arguments. Returns NULL if phpredis refused it or threw. */
oh_node_client *oh_pipes_queue(oh_pipes *pipes, oh_client *client, uint32_t node,
    zend_function *function, bool is_read_only, uint32_t count, zval *arguments);

/* Drops all queued commands, here and in phpredis. */
void oh_pipes_drop(oh_pipes *pipes);

/* Ends queueing. Node clients without commands leave pipeline mode. */
void oh_pipes_close(oh_pipes *pipes);

/*
 * Sends the queued commands to all nodes in parallel, with one call per node. Returns the replies
 * by node index. The caller frees them with efree, and the calls with oh_scatter_free. Returns NULL
 * if the script is ending.
 */
oh_reply_cursor *oh_pipes_exec(oh_pipes *pipes, oh_client *client, oh_node_call *node_calls);

/*
 * The second half of oh_pipes_exec: returns the replies of calls that have been made. A node that
 * did not return as many as `expected` has failed.
 */
oh_reply_cursor *oh_pipes_collect(oh_client *client, oh_node_call *node_calls, uint32_t count);

/*
 * The failure of a node whose replies phpredis has not read to their end; NULL if it has read all.
 * If a reply has a wrong type, phpredis reads only a part of it, and takes the rest as the reply of
 * the next command.
 */
zend_object *oh_pipes_rest(const oh_client *client, const oh_node_client *node_client);

/* Sets the failure of a pipelined transaction whose node refused one of its commands. */
void oh_pipes_exec_error(oh_failure *failure);

/* Returns the next reply of a node; the caller moves it out. NULL if the node failed. */
static zend_always_inline zval *oh_reply_cursor_next(oh_reply_cursor *cursor)
{
    return cursor->replies ? zend_hash_index_find(cursor->replies, cursor->next++) : NULL;
}

/* Frees the list of node clients. */
void oh_pipes_free(oh_pipes *pipes);

#endif
