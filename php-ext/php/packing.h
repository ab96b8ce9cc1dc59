/*
 * Packing: what phpredis would crash over.
 *
 * With SERIALIZER_PHP phpredis takes it for granted that PHP has written something. Of an object that PHP never
 * serializes (a Closure, a Generator, one of an anonymous class) it writes nothing but throws. So such objects are
 * looked for first, and PHP's exception is thrown before phpredis is called.
 */
#ifndef OH_PHP_PACKING_H
#define OH_PHP_PACKING_H

#include "client.h"

bool oh_packing_is_possible(zend_execute_data *execute_data);

/* False and an exception: one of the arguments, or a value in an array among them, cannot be packed. */
static zend_always_inline bool oh_packing_may_begin(const oh_client *client, zend_execute_data *execute_data)
{
    return EXPECTED(!client->packs_by_php) || oh_packing_is_possible(execute_data);
}

#endif
