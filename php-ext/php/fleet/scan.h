/*
 * Scan: scan() over all nodes, one after another, with one cursor for the script.
 *
 * The iterator of the script holds the fleet's cursor (core/command/cursor). phpredis is called
 * with another iterator, which holds the node's cursor. Whether to go on while nothing was found
 * (OPT_SCAN, SCAN_RETRY) is decided here, because the search must go on with the next node, too,
 * and each round trip has its own deadline.
 *
 * Implements spec/route, "SCAN".
 */
#ifndef OH_PHP_SCAN_H
#define OH_PHP_SCAN_H

#include "php_onehop.h"

/* The handler of scan(). */
void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS);

#endif
