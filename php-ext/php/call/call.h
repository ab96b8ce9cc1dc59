/*
 * Call: the method a script has called, on the node where it belongs, once that node is known.
 */
#ifndef OH_PHP_CALL_H
#define OH_PHP_CALL_H

#include "php/phpredis/lane.h"

struct oh_client;
struct oh_plan;

/* Queues it if a pipeline is open, otherwise calls it. */
void oh_call_on_node(struct oh_client *client, uint32_t node, INTERNAL_FUNCTION_PARAMETERS);

/* The same for a call whose plan has that node. */
void oh_call_planned(struct oh_client *client, const struct oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/* Calls it on a lane, on these terms, and throws what went wrong on the way. */
void oh_call_on_lane(oh_lane *lane, oh_call_terms terms, INTERNAL_FUNCTION_PARAMETERS);

#endif
