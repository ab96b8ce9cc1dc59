/*
 * Batch replies: puts the replies of several nodes into the order of the commands.
 */
#ifndef OH_PHP_BATCH_REPLIES_H
#define OH_PHP_BATCH_REPLIES_H

#include "php/batch/batch.h"

/*
 * A command of a batch is stored as the index of its node, or as one of these marks plus an index.
 */
#define OH_BATCH_SPLIT 0x80000000u /* The split with that index: its merged replies. */
#define OH_BATCH_SKIP 0x40000000u  /* A reply of that node, which is dropped. */
#define OH_BATCH_INDEX 0x3fffffffu

/*
 * Makes the result of exec() from the replies of the calls. Throws PartialBatch if some calls
 * failed, and the first failure if all failed.
 */
void oh_batch_replies(oh_client *client, const oh_batch *batch, oh_node_call *node_calls,
    oh_reply_cursor *cursors, zval *return_value);

#endif
