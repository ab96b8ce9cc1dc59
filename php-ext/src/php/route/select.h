/*
 * Select: the database that a script chooses for its object.
 *
 * Connections are shared, so none of them can be the object's. The object keeps the number, and
 * each connection is brought to that database before a command of the object (engine/pool).
 *
 * Implements spec/wire, section 9.
 */
#ifndef OH_PHP_SELECT_H
#define OH_PHP_SELECT_H

#include "php/client/client.h"

/*
 * Carries out select(), or SELECT of rawCommand(), as the current method. False if it is refused:
 * in a pipeline or a transaction, after watch(), and for SSDB, which has no databases.
 */
bool oh_select(oh_client *client, zend_long database, INTERNAL_FUNCTION_PARAMETERS);

/* The number if these are the arguments of a SELECT. */
bool oh_select_is_meant(zend_execute_data *execute_data, zend_long *database);

#endif
