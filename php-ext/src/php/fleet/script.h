/*
 * Script: makes EVALSHA work on nodes that have lost the script.
 *
 * Every process remembers the bodies of its EVAL and SCRIPT LOAD calls by their SHA1. If a node
 * answers NOSCRIPT to an EVALSHA with a known body, OneHop loads the script there and sends the
 * command again. This is safe, because NOSCRIPT proves that the command did not run. A pipeline
 * cannot be repaired afterwards, so there the script is loaded before the first EVALSHA.
 *
 * Implements spec/route, "Scripts".
 */
#ifndef OH_PHP_SCRIPT_H
#define OH_PHP_SCRIPT_H

#include "php/call/plan.h"

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
