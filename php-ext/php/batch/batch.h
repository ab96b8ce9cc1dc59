/*
 * Batch: what pipeline() opens, the commands after it fill, and exec() sends.
 *
 * Commands are queued by phpredis itself, each on the lane of its node, in phpredis' own pipeline mode; the batch only
 * remembers, four bytes per command, which node it went to. exec() runs every node's exec() at once and deals the
 * replies out in the order of the commands.
 */
#ifndef OH_PHP_BATCH_H
#define OH_PHP_BATCH_H

#include "php/scatter/split.h"

typedef struct oh_batch {
    bool is_open;
    bool is_mixed;      /* Not every reply is the reply of one command. */
    bool is_spoilt;     /* A value could not be packed: everything was dropped, and exec() will say so. */
    uint32_t *commands; /* Node of each command, or one of the marks of batch.c. */
    uint32_t commands_count, commands_capacity;
    oh_split **splits;
    uint32_t splits_count, splits_capacity;
    oh_lane **lanes; /* Those whose phpredis is in pipeline mode, in the order in which that happened. */
    uint32_t lanes_count, lanes_capacity;
    HashTable *once; /* Names of what was queued for a node and need not be again. NULL: nothing. */
} oh_batch;

/* The handlers. */
void oh_batch_pipeline(INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_get_mode(INTERNAL_FUNCTION_PARAMETERS);

/* What pipeline() and multi(PIPELINE) do; and exec() and discard() outside of a transaction. */
void oh_batch_open(struct oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_exec(struct oh_client *client, INTERNAL_FUNCTION_PARAMETERS);
void oh_batch_discard(struct oh_client *client, zval *return_value);

/* Queues the command that is being called, in the caller's frame. */
void oh_batch_queue(struct oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);

/* What was queued last for a node may block it for so much longer. */
void oh_batch_be_patient(struct oh_client *client, uint32_t node, uint32_t wait_ms);

/* Queues the parts of a command; the split is taken over. */
void oh_batch_queue_split(struct oh_client *client, oh_split *split, zval *return_value);

/* Queues a call of phpredis whose reply the script does not see. False and an exception if it could not be. */
bool oh_batch_queue_unseen(struct oh_client *client, uint32_t node, zend_function *function, uint32_t count,
    zval *arguments);

/*
 * MULTI to EXEC on one node, whose replies are one reply of the batch. False: phpredis did not queue it, and has mostly
 * thrown.
 */
bool oh_batch_begin_transaction(struct oh_client *client, uint32_t node);
void oh_batch_queue_inside(struct oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);
bool oh_batch_end_transaction(struct oh_client *client, uint32_t node);

/* The same for one that was refused: the node discards it, and it has no place among the replies. */
void oh_batch_discard_transaction(struct oh_client *client, uint32_t node);

/* Whether this name is new to the batch. */
bool oh_batch_is_first(oh_batch *batch, zend_string *name);

/* Forgets everything that is queued, here and in phpredis, and closes the batch. */
void oh_batch_drop(struct oh_client *client);

#endif
