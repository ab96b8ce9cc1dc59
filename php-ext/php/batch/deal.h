/*
 * Deal: the replies of several nodes, each in its own order, dealt out in the order of the
 * commands.
 */
#ifndef OH_PHP_DEAL_H
#define OH_PHP_DEAL_H

#include "php/batch/batch.h"

/*
 * A command of a batch is the index of its node, or one of these with an index in the rest of the
 * bits.
 */
#define OH_BATCH_SPLIT                                                                             \
    0x80000000u /* The split of that index: a reply of each of its parts makes the reply. */
#define OH_BATCH_SKIP 0x40000000u /* A reply of that node that nobody wants. */
#define OH_BATCH_INDEX 0x3fffffffu

/*
 * Makes the reply of exec() from those of the shares. If some failed it throws PartialBatch, if all
 * did the first failure.
 */
void oh_deal(
    oh_client *client, const oh_batch *batch, oh_share *shares, oh_hand *hands, zval *return_value);

#endif
