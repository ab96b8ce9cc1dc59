/*
 * Options: setOption() and getOption().
 */
#ifndef OH_PHP_OPTIONS_H
#define OH_PHP_OPTIONS_H

#include "php/base/zend.h"

void oh_options_set(INTERNAL_FUNCTION_PARAMETERS);
void oh_options_get(INTERNAL_FUNCTION_PARAMETERS);

#endif
