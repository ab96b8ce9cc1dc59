/*
 * Batch: the commands between pipeline() and exec(), which sends them.
 *
 * phpredis itself queues the commands, each on the node client of its node, in its own pipeline
 * mode. The batch only remembers, in four bytes per command, which node that was. exec() runs the
 * exec() of all nodes in parallel and puts the replies into the order of the commands.
 */
#ifndef OH_PHP_BATCH_H
#define OH_PHP_BATCH_H

#include "php/call/plan.h"
#include "php/scatter/pipes.h"

typedef struct oh_batch {
    /* The batch has splits or skipped replies, so replies and commands do not match one by one. */
    bool is_mixed;
    /* A value could not be packed. All commands were dropped, and exec() throws. */
    bool is_spoilt;
    uint32_t *commands; /* Node of each command, or one of the marks below. */
    uint32_t commands_count, commands_capacity;
    oh_split **splits;
    uint32_t splits_count, splits_capacity;
    oh_pipes pipes;
    /* Names of commands that a batch needs only once per node (SCRIPT LOAD). NULL if none. */
    HashTable *once;
} oh_batch;

/* pipeline(), exec() and discard(). */
void oh_batch_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/* Calls in mode PIPELINE: on one node, or in parts. */
void oh_batch_call(oh_client *client, const oh_call *call, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_call_parts(oh_client *client, oh_split *split, zval *return_value);

/*
 * Queues the current call, in the caller's frame. Returns the node client that has queued it and
 * sets the result to the client; the caller then calls oh_batch_note, or oh_batch_spoil if an
 * exception is pending. Returns NULL if it was not queued; the result is phpredis' answer then.
 */
oh_node_client *oh_batch_queue(oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_note(oh_client *client, oh_node_client *node_client, const oh_call *call);

/*
 * A value could not be packed, and phpredis has queued half of the command. Drops the whole batch,
 * so that nothing is sent.
 */
void oh_batch_spoil(oh_client *client, zval *return_value);

/* Queues a call of phpredis whose reply is skipped. Returns false if it could not be queued. */
bool oh_batch_queue_unseen(
    oh_client *client, uint32_t node, zend_function *function, uint32_t count, zval *arguments);

/*
 * For a transaction on one node: queue its MULTI, and later its EXEC, before which `queued`
 * commands were queued. The replies of the transaction become one reply of the batch. Return false
 * if phpredis did not queue it, usually with an exception.
 */
bool oh_batch_begin_transaction(oh_client *client, uint32_t node);
bool oh_batch_end_transaction(oh_client *client, uint32_t node, uint32_t queued);

/* Queues a DISCARD for a transaction that was refused. It has no reply in the batch. */
void oh_batch_discard_transaction(oh_client *client, uint32_t node);

/* True if this name is new to the batch. Remembers it. */
bool oh_batch_is_first(oh_batch *batch, zend_string *name);

/* Drops all queued commands, here and in phpredis. Closes the batch if one is open. */
void oh_batch_drop(oh_client *client);

/* ---- Replies: those of several nodes, put into the order of the commands ---- */

/*
 * A command of a batch is stored as the index of its node, or as one of these marks plus an index.
 */
#define OH_BATCH_SPLIT 0x80000000u /* The split with that index, whose replies are merged. */
#define OH_BATCH_SKIP 0x40000000u  /* The node with that index, whose reply is dropped. */
#define OH_BATCH_INDEX 0x3fffffffu

/*
 * Makes the result of exec() from the replies of the calls. Throws PartialBatch if some calls
 * failed, and the first failure if all failed.
 */
void oh_batch_replies(oh_client *client, const oh_batch *batch, oh_node_call *node_calls,
    oh_reply_cursor *cursors, zval *return_value);

#endif
