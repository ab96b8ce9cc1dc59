/*
 * Route: one command about one key, to the node that has it. The road itself.
 */
#ifndef OH_PHP_ROUTE_H
#define OH_PHP_ROUTE_H

#include "php_onehop.h"

/* The handler of every method that has one key, which is one of its arguments. */
void oh_route_method(INTERNAL_FUNCTION_PARAMETERS);

#endif
