/*
 * Call: the method a script has called, on the node where it belongs, once that node is known.
 */
#ifndef OH_PHP_CALL_H
#define OH_PHP_CALL_H

#include "php/call/plan.h"
#include "php/phpredis/node_client.h"

/* In mode ATOMIC: on the node of the plan. */
void oh_call_now(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* Calls it on a node client, on these terms, and throws what went wrong on the way. */
void oh_call_on_node_client(
    oh_node_client *node_client, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS);

#endif
