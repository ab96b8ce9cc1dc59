/*
 * Enter: the first step of every handler. It updates the client between calls: to a changed
 * configuration, to the ring without ejected nodes, and to the newest map of a Redis Cluster. It
 * may read the file, or fetch that map from a node.
 */
#ifndef OH_PHP_ENTER_H
#define OH_PHP_ENTER_H

#include "php/client/client.h"

/*
 * Returns the updated client whose method is being called. NULL and an exception if its constructor
 * has not run.
 */
oh_client *oh_client_enter(zend_execute_data *execute_data);

#endif
