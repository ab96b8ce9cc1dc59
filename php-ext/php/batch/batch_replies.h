/*
 * Batch replies: the replies of several nodes, each in its own order, put into the order of the
 * commands.
 */
#ifndef OH_PHP_BATCH_REPLIES_H
#define OH_PHP_BATCH_REPLIES_H

#include "php/batch/batch.h"

/*
 * A command of a batch is the index of its node, or one of these marks with an index in the other
 * bits.
 */
#define OH_BATCH_SPLIT                                                                             \
    0x80000000u /* The split with that index: the replies of its parts make the reply. */
#define OH_BATCH_SKIP 0x40000000u /* A reply of that node that is dropped. */
#define OH_BATCH_INDEX 0x3fffffffu

/*
 * Makes the reply of exec() from the replies of the calls. If some calls failed, it throws
 * PartialBatch; if all failed, the first failure.
 */
void oh_batch_replies(oh_client *client, const oh_batch *batch, oh_node_call *node_calls,
    oh_reply_cursor *cursors, zval *return_value);

#endif
