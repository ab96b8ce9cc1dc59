/*
 * Fleet: commands without a key: to all nodes in parallel, or to any one.
 *
 * "Any" is the same node as long as it is up. If it fails, the next one is asked, because every
 * node gives an equally good answer. RANDOMKEY goes on to the next node while a node has no key.
 *
 * Implements spec/route: `all_nodes` and `any_node`.
 */
#ifndef OH_PHP_FLEET_H
#define OH_PHP_FLEET_H

#include "php/call/plan.h"

/* Sends a planned call to all nodes in parallel, or to one; in a pipeline it is queued. */
void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

#endif
