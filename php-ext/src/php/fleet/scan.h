/*
 * Scan: scan() over all nodes, one after another, with one cursor for the script.
 *
 * The script's iterator holds the fleet's cursor (core/command/cursor). phpredis gets another
 * iterator, which holds the node's cursor. SCAN_RETRY (continue until keys are found) is
 * implemented here, because the search must also continue on the next node, and each round trip has
 * its own deadline.
 *
 * Implements spec/route, "SCAN".
 */
#ifndef OH_PHP_SCAN_H
#define OH_PHP_SCAN_H

#include "php/base/zend.h"

/* The handler of scan(). */
void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS);

#endif
