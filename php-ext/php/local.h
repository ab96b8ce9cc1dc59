/*
 * Local: the methods that need no node: options, modes, serializers, and the refusal of what is not served.
 */
#ifndef OH_PHP_LOCAL_H
#define OH_PHP_LOCAL_H

#include "php_onehop.h"

/* Methods phpredis has and OneHop does not serve: throws Unsupported and says what to do instead. */
void oh_local_refuse(INTERNAL_FUNCTION_PARAMETERS);

/* Does nothing. */
void oh_local_nothing(INTERNAL_FUNCTION_PARAMETERS);

/* phpredis does it on any of its objects: serializing, packing, prefixing. */
void oh_local_forward(INTERNAL_FUNCTION_PARAMETERS);

void oh_local_close(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_is_connected(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_set_option(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_option(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_clear_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_timeout(INTERNAL_FUNCTION_PARAMETERS);
void oh_local_get_database(INTERNAL_FUNCTION_PARAMETERS);

#endif
