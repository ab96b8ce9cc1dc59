/*
 * Packing: values on which phpredis would crash.
 *
 * With SERIALIZER_PHP phpredis expects that PHP writes something for every value. For an object
 * that PHP cannot serialize (a Closure, a Generator, an object of an anonymous class) PHP writes
 * nothing and throws. So such objects are looked for first, and PHP's exception is thrown before
 * phpredis is called.
 */
#ifndef OH_PHP_PACKING_H
#define OH_PHP_PACKING_H

#include "php/client/client.h"

bool oh_packing_is_possible(zend_execute_data *execute_data);

/*
 * False and an exception: one of the arguments, or a value in an array among them, cannot be
 * packed.
 */
static zend_always_inline bool oh_packing_may_begin(
    const oh_client *client, zend_execute_data *execute_data)
{
    return EXPECTED(!client->packs_by_php) || oh_packing_is_possible(execute_data);
}

#endif
