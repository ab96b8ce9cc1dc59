/*
 * The life of OneHop\Redis objects. Their methods are in other rooms.
 */
#ifndef OH_PHP_CLIENT_CLASS_H
#define OH_PHP_CLIENT_CLASS_H

#include "php/client/client.h"

/* create_object of OneHop\Redis. */
zend_object *oh_client_create(zend_class_entry *class);

/* Closes every node client and drops what was queued. */
void oh_client_close(oh_client *client);

#endif
