/*
 * Status: what engine/status knows of the host, as arrays of PHP.
 */
#ifndef OH_PHP_STATUS_H
#define OH_PHP_STATUS_H

#include "php.h"

/*
 * Sets `list` to the server pools that are known to the host, or, without shared memory, to this
 * process.
 */
void oh_status_show(zval *list);

#endif
