/*
 * Enter: what every handler begins with. Between its calls a client moves on: to the ring without
 * the nodes that have been ejected, and to the newest map of a Redis Cluster, for which a node may
 * be asked.
 */
#ifndef OH_PHP_ENTER_H
#define OH_PHP_ENTER_H

#include "php/client/client.h"

/*
 * The client whose method is being called, up to date. NULL and an exception if it was never
 * constructed.
 */
oh_client *oh_client_enter(zend_execute_data *execute_data);

#endif
