/*
 * Status: converts the data of engine/status to PHP arrays.
 */
#ifndef OH_PHP_STATUS_H
#define OH_PHP_STATUS_H

#include "php.h"

/*
 * Sets `list` to the server pools that the host knows, or this process if there is no shared
 * memory.
 */
void oh_status_show(zval *list);

#endif
