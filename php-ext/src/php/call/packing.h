/*
 * Packing: finds values that would crash phpredis.
 *
 * With SERIALIZER_PHP, phpredis expects PHP to write something for every value. For an object that
 * cannot be serialized (a Closure, a Generator, an object of an anonymous class), PHP writes
 * nothing and throws. So the arguments are checked for such objects first, and PHP's exception is
 * thrown before phpredis is called.
 */
#ifndef OH_PHP_PACKING_H
#define OH_PHP_PACKING_H

#include "php/client/client.h"

bool oh_packing_is_possible(zend_execute_data *execute_data);

/* Returns false and throws if an argument, or a value in an array argument, cannot be packed. */
static zend_always_inline bool oh_packing_may_begin(
    const oh_client *client, zend_execute_data *execute_data)
{
    return EXPECTED(!client->packs_by_php) || oh_packing_is_possible(execute_data);
}

#endif
