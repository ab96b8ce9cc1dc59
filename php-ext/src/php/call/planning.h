/*
 * Planning: makes the plan of a call from its arguments.
 *
 *     method's row ─► faults ─► command (by subcommand) ─► keys
 *                  ─► one node | parts | all nodes | any node | refusal
 *
 * rawCommand is planned from its words (raw_command.c), every other method from its arguments.
 * Calls with one key, which is one argument, need no plan of this kind: route serves them.
 *
 * Implements spec/route, "Where it goes".
 */
#ifndef OH_PHP_PLANNING_H
#define OH_PHP_PLANNING_H

#include "php/call/plan.h"

/*
 * Fills in the command and how long it may block, but not the nodes. Returns false and throws
 * Unsupported if the call must not be sent.
 */
bool oh_plan_look(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/*
 * Plans a call. If it returns true, the caller must free the plan. Returns false and throws
 * CrossNode, Unsupported or TypeError otherwise.
 */
bool oh_plan_make(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

#endif
