/*
 * Status: what the host knows at this moment, as arrays of PHP: server pools, their nodes, connections and numbers.
 *
 * For people and for their dashboards, off the road: it looks at what is there and changes nothing, asks no node, and
 * takes no lock. A worker that has never used a server pool shows it as well, because it reads what others published.
 *
 * Implements spec/meter.
 */
#ifndef OH_PHP_STATUS_H
#define OH_PHP_STATUS_H

#include "php.h"

/* Sets `list` to the server pools that are known to the host, or, without shared memory, to this process. */
void oh_status_show(zval *list);

#endif
