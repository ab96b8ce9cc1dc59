/*
 * Fleet: calls over all nodes, or over nodes that the script chooses.
 *
 * Commands without a key go to all nodes in parallel, or to any node. "Any node" is always the same
 * node while it is up. If it fails, the next one is asked, because any node can answer. RANDOMKEY
 * starts at a random node and tries the next one while nodes have no keys.
 *
 * Implements spec/route: `all_nodes`, `any_node`, "SCAN", "onEachNode", and `own` of "phpredis'
 * methods".
 */
#ifndef OH_PHP_FLEET_H
#define OH_PHP_FLEET_H

#include "php/call/plan.h"

/* Sends a planned call to all nodes in parallel, or to one; in a pipeline it is queued. */
void oh_fleet_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* The handler of scan(): over all nodes, one after another, with one cursor for the script. */
void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS);

/* The handlers of serverName() and serverVersion(). */
void oh_server_info_name(INTERNAL_FUNCTION_PARAMETERS);
void oh_server_info_version(INTERNAL_FUNCTION_PARAMETERS);

/* Call a method on nodes that the script chooses. */
ZEND_METHOD(OneHop_Redis, onEachNode);
ZEND_METHOD(OneHop_Redis, onNode);

#endif
