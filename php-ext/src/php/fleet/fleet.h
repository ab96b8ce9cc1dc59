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

/* ---- Scripts that a node has lost ---- */

/* Create and free a thread's tables. */
void oh_script_begin(void);
void oh_script_end(void);

/* Remembers the body if the planned call carries one. */
void oh_script_see(const oh_plan *plan, zend_execute_data *execute_data);

/* True if the planned call is an EVALSHA whose body this process knows. */
bool oh_script_is_known(const oh_plan *plan, zend_execute_data *execute_data);

/* Calls such an EVALSHA on the node of its keys, or queues it. */
void oh_script_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/*
 * Returns the body with this digest. Upper and lower case are equal, as on servers. The bytes are
 * NULL if this process does not know the body.
 */
oh_bytes oh_script_body(const char *digest, size_t length);

#endif
