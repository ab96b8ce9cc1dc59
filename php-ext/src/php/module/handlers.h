/*
 * Handlers: chooses the OneHop function that handles each method of phpredis.
 */
#ifndef OH_PHP_HANDLERS_H
#define OH_PHP_HANDLERS_H

#include "php/phpredis/method.h"

/*
 * Sets the handler and the slot of a method that OneHop\Redis inherits. `original` is phpredis'
 * entry.
 */
zend_result oh_handlers_take_over(zend_function *inherited, zend_function *original);
void oh_handlers_give_back(zend_function *inherited);

#endif
