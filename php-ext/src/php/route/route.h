/*
 * Route: the handlers of all commands. A command with one key goes straight to the node of that
 * key.
 */
#ifndef OH_PHP_ROUTE_H
#define OH_PHP_ROUTE_H

#include "php/call/plan.h"
#include "php/client/client.h"

/* The handler of every method with one key, which is one of its arguments. */
void oh_route_method(INTERNAL_FUNCTION_PARAMETERS);

/* The handlers of all other commands, of client() and of rawCommand. */
void oh_plan_method(INTERNAL_FUNCTION_PARAMETERS);
void oh_client_command_method(INTERNAL_FUNCTION_PARAMETERS);
void oh_raw_command_method(INTERNAL_FUNCTION_PARAMETERS);

/* Carries out a planned call in the modes ATOMIC and PIPELINE. Takes the plan over. */
void oh_plan_spread(oh_client *client, oh_plan *plan, INTERNAL_FUNCTION_PARAMETERS);

/*
 * Select: the database that a script chooses for its object.
 *
 * Connections are shared, so none of them belongs to the object. The object keeps the number, and
 * before each of its commands the connection is brought to that database (engine/pool).
 *
 * Implements spec/wire, section 9.
 */
/*
 * Carries out select(), or SELECT of rawCommand(), as the current method. False if it is refused:
 * in a pipeline or a transaction, after watch(), and for SSDB, which has no databases.
 */
bool oh_select(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS);

#endif
