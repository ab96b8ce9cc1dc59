/*
 * Fleet: commands that are about no key: to every node at once, or to any one.
 *
 * "Any" is the same node for as long as it is up; when it fails the next one is asked, because
 * every node gives an equally good answer. RANDOMKEY goes on while a node has no key at all.
 *
 * Implements spec/route: `all_nodes` and `any_node`.
 */
#ifndef OH_PHP_FLEET_H
#define OH_PHP_FLEET_H

#include "php/call/plan.h"

/* Sends a planned call to every node at once, or to one; in a pipeline it is queued on them. */
void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

#endif
