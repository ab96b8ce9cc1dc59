/*
 * Userland: OneHop's own classes, and the methods of OneHop\Redis that need no node.
 */
#ifndef OH_PHP_USERLAND_H
#define OH_PHP_USERLAND_H

#include "php/client/client.h"

/* ---- OneHop\Redis: the life of its objects ---- */

/* create_object of OneHop\Redis. */
zend_object *oh_client_create(zend_class_entry *class);

/* Closes every node client and drops what was queued. */
void oh_client_close(oh_client *client);

/* ---- Its options: setOption() and getOption() ---- */

void oh_options_set(INTERNAL_FUNCTION_PARAMETERS);
void oh_options_get(INTERNAL_FUNCTION_PARAMETERS);

/* ---- Its state: settings, errors and counters ---- */

/* Does nothing and returns null. */
void oh_state_nothing(INTERNAL_FUNCTION_PARAMETERS);

/* Forwards to phpredis what any of its objects can do: serialize, pack, prefix. */
void oh_state_forward(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_forward_for(oh_client *client, INTERNAL_FUNCTION_PARAMETERS);

void oh_state_close(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_is_connected(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_clear_last_error(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_timeout(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_host(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_port(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_clear_transferred_bytes(INTERNAL_FUNCTION_PARAMETERS);
void oh_state_get_database(INTERNAL_FUNCTION_PARAMETERS);

/*
 * select(): the database of all later calls. It is refused in a pipeline or a transaction, after
 * watch(), and for SSDB.
 */
void oh_state_select(INTERNAL_FUNCTION_PARAMETERS);

/* ---- OneHop\Topology: placement for PHP code; stubs/onehop.stub.php declares its methods ---- */

extern zend_class_entry *oh_topology_class; /* OneHop\Topology */
extern zend_class_entry *oh_node_class;     /* OneHop\Node */

/* create_object of OneHop\Topology. */
zend_object *oh_topology_object_create(zend_class_entry *class);

/* ---- The status: the data of engine/status as PHP arrays ---- */

/*
 * Sets `list` to the server pools that the host knows, or this process if there is no shared
 * memory.
 */
void oh_status_show(zval *list);

#endif
