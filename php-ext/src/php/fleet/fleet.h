/*
 * Fleet: sends commands without a key, to all nodes in parallel or to any node.
 *
 * "Any node" is always the same node while it is up. If it fails, the next one is asked, because
 * any node can answer. RANDOMKEY starts at a random node and tries the next one while nodes have no
 * keys.
 *
 * Implements spec/route: `all_nodes` and `any_node`.
 */
#ifndef OH_PHP_FLEET_H
#define OH_PHP_FLEET_H

#include "php/call/plan.h"

/* Sends a planned call to all nodes in parallel, or to one; in a pipeline it is queued. */
void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

#endif
