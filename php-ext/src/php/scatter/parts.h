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
 * Makes a call, before it is planned. If the call cannot be split on the express lane, returns
 * false and does nothing.
 */
bool oh_split_express(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

#endif
