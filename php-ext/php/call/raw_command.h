/*
 * Raw command: rawCommand(), whose arguments are the words of a command themselves.
 *
 * The command table says by them where it goes; a command the table does not hold is refused,
 * because nothing says which of its words is a key. No OPT_PREFIX here: phpredis sends the words as
 * they are.
 *
 * Implements spec/route, "Unknown commands" and "Splitting".
 */
#ifndef OH_PHP_RAW_COMMAND_H
#define OH_PHP_RAW_COMMAND_H

#include "php/call/plan.h"

/* What the words are, as oh_plan_look says it. An unknown command leaves the plan without one. */
bool oh_raw_command_look(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

/* And where they go, as oh_plan_make says it. */
bool oh_raw_command_plan(oh_client *client, zend_execute_data *execute_data, oh_plan *plan);

#endif
