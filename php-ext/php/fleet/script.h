/*
 * Script: EVALSHA that works although a node has lost the script.
 *
 * Every process remembers the bodies that it has seen in EVAL and SCRIPT LOAD, by their SHA1. If a
 * node answers NOSCRIPT to an EVALSHA of a known body, the script is loaded there and the command
 * is sent once more: NOSCRIPT proves that it did not run. A pipeline cannot be repaired afterwards,
 * so there the script is loaded before its first EVALSHA.
 *
 * Implements spec/route, "Scripts".
 */
#ifndef OH_PHP_SCRIPT_H
#define OH_PHP_SCRIPT_H

#include "php/call/plan.h"

/* Begin and end of the memory of a thread. */
void oh_script_begin(void);
void oh_script_end(void);

/* Remembers the body if the planned call carries one. */
void oh_script_see(const oh_plan *plan, zend_execute_data *execute_data);

/* Whether the planned call is an EVALSHA whose body is known here. */
bool oh_script_is_known(const oh_plan *plan, zend_execute_data *execute_data);

/* Calls such an EVALSHA on the node of its keys, or queues it. */
void oh_script_call(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/*
 * The body with this digest, in either case, as servers take it; bytes NULL: this process has not
 * seen it.
 */
oh_bytes oh_script_body(const char *digest, size_t length);

#endif
