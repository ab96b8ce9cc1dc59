/*
 * Modes: combines the functions of all rooms into the table of modes.
 */
#ifndef OH_PHP_MODES_H
#define OH_PHP_MODES_H

#include "php/base/zend.h"

/* Called at module startup. */
void oh_modes_startup(void);

/* The handlers of the methods. */
void oh_modes_get(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_pipeline(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_multi(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_exec(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_discard(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_watch(INTERNAL_FUNCTION_PARAMETERS);
void oh_modes_unwatch(INTERNAL_FUNCTION_PARAMETERS);

#endif
