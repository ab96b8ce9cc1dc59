/*
 * Pipes: phpredis' own pipelines, one for each of several nodes. They are filled one after another
 * and sent in parallel.
 *
 * They serve the batch of pipeline(), and a command that has several parts on one node. A node
 * client in pipeline mode is reserved: no other call takes it.
 */
#ifndef OH_PHP_PIPES_H
#define OH_PHP_PIPES_H

#include "php/scatter/scatter.h"

typedef struct oh_pipes {
    oh_node_client **node_clients; /* In the order in which they were put into pipeline mode. */
    uint32_t count, capacity;
} oh_pipes;

/* The replies of a node, and how many of them were taken. */
typedef struct oh_reply_cursor {
    oh_node_client *node_client; /* NULL: this node has none. */
    HashTable *replies;          /* NULL if the node failed. */
    zend_object *failure;        /* Then this stands for each of its replies. */
    uint32_t next;
} oh_reply_cursor;

/* Puts a node client of a node into pipeline mode. NULL and an exception. */
oh_node_client *oh_pipes_open(oh_pipes *pipes, oh_client *client, uint32_t node);

/*
 * The node client of a node that takes commands: the one that does already, or another one. NULL
 * and an exception.
 */
static zend_always_inline oh_node_client *oh_pipes_node_client(
    oh_pipes *pipes, oh_client *client, uint32_t node)
{
    oh_node_client *node_client = client->node_clients[node];

    while (node_client && UNEXPECTED(node_client->queue.pipes != pipes)) {
        node_client = node_client->spare;
    }
    return EXPECTED(node_client) ? node_client : oh_pipes_open(pipes, client, node);
}

/*
 * Whether phpredis has queued what it was called for: then it answers with its own object. That
 * answer is used up, and the command counted.
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

/* Queues a call of our own. NULL: phpredis refused it, or threw. */
oh_node_client *oh_pipes_queue(oh_pipes *pipes, oh_client *client, uint32_t node,
    zend_function *function, bool is_read_only, uint32_t count, zval *arguments);

/* Everything is forgotten, here and in phpredis. */
void oh_pipes_drop(oh_pipes *pipes);

/* No more commands follow: node clients that have none leave pipeline mode. */
void oh_pipes_close(oh_pipes *pipes);

/*
 * Sends what is queued, to all nodes in parallel, by one call for each node. Returns the replies by
 * node, to be freed by efree; the calls are freed by oh_scatter_free. NULL: the script is ending.
 */
oh_reply_cursor *oh_pipes_exec(oh_pipes *pipes, oh_client *client, oh_node_call *node_calls);

/* Fills the failure of a transaction in a pipeline if the node has refused one of its commands. */
void oh_pipes_exec_error(oh_failure *failure);

/* The next reply of a node, to be moved out of its place; NULL if the node failed. */
static zend_always_inline zval *oh_reply_cursor_next(oh_reply_cursor *cursor)
{
    return cursor->replies ? zend_hash_index_find(cursor->replies, cursor->next++) : NULL;
}

/* They are used no more. */
void oh_pipes_free(oh_pipes *pipes);

#endif
