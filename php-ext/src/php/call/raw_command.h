/*
 * Raw command: rawCommand(), whose arguments are the words of a command.
 *
 * The command table finds the keys among the words. A node describes a command that is not in the
 * table (learn.h). OPT_PREFIX is not added: phpredis sends the words unchanged.
 *
 * Implements spec/route, "Unknown commands" and "Splitting".
 */
#ifndef OH_PHP_RAW_COMMAND_H
#define OH_PHP_RAW_COMMAND_H

#include "php/call/plan.h"

/* Like oh_plan_look, but from words. For an unknown command, plan->command is NULL. */
bool oh_raw_command_look(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* Like oh_plan_make, but from words. */
bool oh_raw_command_plan(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

#endif
