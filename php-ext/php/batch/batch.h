/*
 * Batch: what pipeline() opens, the commands after it fill, and exec() sends.
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
    bool is_mixed; /* Not every reply is the reply of one command. */
    /* A value could not be packed: everything was dropped, and exec() throws. */
    bool is_spoilt;
    uint32_t *commands; /* Node of each command, or one of the marks of batch_replies.h. */
    uint32_t commands_count, commands_capacity;
    oh_split **splits;
    uint32_t splits_count, splits_capacity;
    oh_pipes pipes;
    HashTable *
        once; /* Names of what was queued for a node and need not be queued again. NULL: nothing. */
} oh_batch;

/* pipeline(), exec() and discard(). */
void oh_batch_open(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_exec(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_discard(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

/* A call in mode PIPELINE: on one node, or in parts. */
void oh_batch_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_call_parts(oh_client *client, oh_split *split, zval *return_value);

/*
 * Queues the command that is being called, in the caller's frame. The node client that has it, and
 * the client as its answer; NULL: it was not queued, and what phpredis has said is the answer. What
 * came of it is noted by `note`, or spoils all.
 */
oh_node_client *oh_batch_queue(oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_note(oh_client *client, oh_node_client *node_client, const oh_plan *plan);

/*
 * A value could not be packed, and phpredis has queued half of the command. So nothing is sent at
 * all.
 */
void oh_batch_spoil(oh_client *client, zval *return_value);

/*
 * Queues a call of phpredis whose reply the script does not see. False, with an exception, if it
 * could not be queued.
 */
bool oh_batch_queue_unseen(
    oh_client *client, uint32_t node, zend_function *function, uint32_t count, zval *arguments);

/*
 * MULTI and EXEC of a transaction on one node, with their number of commands. Its replies are one
 * reply of the batch. False: phpredis did not queue it, and usually it has thrown.
 */
bool oh_batch_begin_transaction(oh_client *client, uint32_t node);
bool oh_batch_end_transaction(oh_client *client, uint32_t node, uint32_t queued);

/*
 * The same for a refused one: the node discards it, and it has no reply in the batch.
 */
void oh_batch_discard_transaction(oh_client *client, uint32_t node);

/* Whether this name is new to the batch. */
bool oh_batch_is_first(oh_batch *batch, zend_string *name);

/* Drops all queued commands, here and in phpredis. Closes the batch if one is open. */
void oh_batch_drop(oh_client *client);

#endif
