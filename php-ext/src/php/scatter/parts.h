/*
 * Parts: a command over several nodes, sent to all of them in parallel, and its replies merged
 * into one.
 */
#ifndef OH_PHP_PARTS_H
#define OH_PHP_PARTS_H

#include "php/client/client.h"
#include "php/scatter/pipes.h"

/* Mode ATOMIC. Takes ownership of the split. */
void oh_parts_call(oh_client *client, struct oh_split *split, zval *return_value);

/*
 * Merges the replies of calls that have been made, or throws for those that failed. There is one
 * call for each part, or, if piped, for each of `count` nodes, with a list of its parts' replies.
 * Frees the results of the calls.
 */
void oh_parts_conclude(
    oh_client *client, const struct oh_split *split, oh_node_call *node_calls, zval *return_value);
void oh_parts_conclude_piped(oh_client *client, const struct oh_split *split,
    oh_node_call *node_calls, uint32_t count, zval *return_value);

/*
 * Merges the next replies of pipes in the same way. Puts the merged reply into `place`, or returns
 * the failure, which the caller throws or releases.
 */
zend_object *oh_parts_join_next(
    oh_client *client, const struct oh_split *split, oh_reply_cursor *cursors, zval *place);

/*
 * Deal: a command with a list of keys on several nodes, all on the express lane.
 *
 * A split (call/split.h) makes arguments for each part, and a merge puts its replies back into
 * order. In a Redis Cluster nearly every key has a slot, and so a part, of its own. Here a part
 * needs neither. Its keys form a chain: the command is written from the chain, and each value is
 * stored at its key's position.
 *
 *     keys  a b c d e ─► chains  a─c─e │ b │ d ─► commands in the buffers of their nodes
 *     values 0 1 2 3 4 ◄──────── replies are read along the chains
 *
 * If a node fails, or a reply is not the usual one, everything that was read becomes the replies of
 * parts again, which are merged. So the result is the same with and without this
 * shortcut.
 */
/*
 * Makes a call, which is not planned yet. Returns false, and has done nothing, if the call is none
 * of this kind.
 */
bool oh_deal_call(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

#endif
