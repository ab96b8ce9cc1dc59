/*
 * Call: the method a script has called, on the node where it belongs, once that node is known.
 */
#ifndef OH_PHP_CALL_H
#define OH_PHP_CALL_H

#include "php/call/plan.h"
#include "php/phpredis/lane.h"

/* In mode ATOMIC: on the node of the plan. */
void oh_call_now(oh_client *client, const oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* Calls it on a lane, on these terms, and throws what went wrong on the way. */
void oh_call_on_lane(oh_lane *lane, const oh_call_terms *terms, INTERNAL_FUNCTION_PARAMETERS);

#endif
