/*
 * Modes: what every room does in each mode of a client, put together.
 */
#ifndef OH_PHP_MODES_H
#define OH_PHP_MODES_H

#include "php_onehop.h"

/* The module begins. */
void oh_modes_startup(void);

/* The handlers. */
void oh_modes_get(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_pipeline(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_multi(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_exec(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_discard(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_watch(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_unwatch(INTERNAL_FUNCTION_PARAMETERS);

#endif
