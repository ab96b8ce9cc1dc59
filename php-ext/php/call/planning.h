/*
 * Planning: from a call, with the arguments the script passed, to its plan.
 *
 *     method's row ─► faults ─► command (by subcommand) ─► keys
 *                  ─► one node | parts | all nodes | any node | refusal
 *
 * A plan is made by words for rawCommand (raw_command.c) and by arguments for every other method.
 * Calls with one key that is one argument need none: route serves them.
 *
 * Implements spec/route, "Where it goes".
 */
#ifndef OH_PHP_PLANNING_H
#define OH_PHP_PLANNING_H

#include "php/call/plan.h"

/*
 * What a call is, without asking where it goes: command, faults, how long it waits. False and an
 * exception: Unsupported.
 */
bool oh_plan_look(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* Plans a call. False and an exception: CrossNode, Unsupported, TypeError. To be freed if true. */
bool oh_plan_make(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

#endif
