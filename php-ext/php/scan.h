/*
 * Scan: SCAN over all nodes, one after another, with a cursor that says where it stands.
 *
 * Implements spec/route, "SCAN".
 */
#ifndef OH_PHP_SCAN_H
#define OH_PHP_SCAN_H

#include "php_onehop.h"

/* The handler of scan(). */
void oh_scan_method(INTERNAL_FUNCTION_PARAMETERS);

#endif
