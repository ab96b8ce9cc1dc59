/*
 * State: methods that need no node, about the settings, errors and counters of the object.
 */
#ifndef OH_PHP_STATE_H
#define OH_PHP_STATE_H

#include "php/client/client.h"

/* Does nothing and returns null. */
void oh_state_nothing(INTERNAL_FUNCTION_PARAMETERS);

/* Forwards to phpredis what any of its objects can do: serialize, pack, prefix. */
void oh_state_forward(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_forward_for(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

void oh_state_close(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_is_connected(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_clear_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_timeout(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_host(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_port(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_clear_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_database(INTERNAL_FUNCTION_PARAMETERS);

/* select(): the database of all later calls. Refused where databases or shared connections forbid
 * it. */
void oh_state_select(INTERNAL_FUNCTION_PARAMETERS);

#endif
