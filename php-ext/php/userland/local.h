/*
 * Local: the methods that need no node: options, serializers, state.
 */
#ifndef OH_PHP_LOCAL_H
#define OH_PHP_LOCAL_H

#include "php_onehop.h"

struct oh_client;

/* Does nothing, and answers null. */
void oh_local_nothing(INTERNAL_FUNCTION_PARAMETERS);

/* phpredis does it on any of its objects: serializing, packing, prefixing. */
void oh_local_forward(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_forward_for(struct oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

void oh_local_close(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_is_connected(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_set_option(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_option(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_clear_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_timeout(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_host(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_port(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_clear_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_database(INTERNAL_FUNCTION_PARAMETERS);

/* select(): the pool's own database is what every connection is in already; any other is refused. */
void oh_local_select(INTERNAL_FUNCTION_PARAMETERS);

#endif
