/*
 * State: the methods that need no node: settings of the object, and its errors and counters.
 */
#ifndef OH_PHP_STATE_H
#define OH_PHP_STATE_H

#include "php/client/client.h"

/* Does nothing, and answers null. */
void oh_state_nothing(INTERNAL_FUNCTION_PARAMETERS);

/* phpredis does this on any of its objects: serializing, packing, prefixing. */
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

/*
 * select(): every connection is in the pool's own database already; any other is refused.
 */
void oh_state_select(INTERNAL_FUNCTION_PARAMETERS);

#endif
