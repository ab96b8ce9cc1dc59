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
 * parts again, which are merged (parts.h). So the result is the same with and without this
 * shortcut.
 */
#ifndef OH_PHP_DEAL_H
#define OH_PHP_DEAL_H

#include "php/client/client.h"

/*
 * Makes a call, which is not planned yet. Returns false, and has done nothing, if the call is none
 * of this kind.
 */
bool oh_deal_call(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

#endif
