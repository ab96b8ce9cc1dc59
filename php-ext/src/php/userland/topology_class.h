/*
 * OneHop\Topology: placement for PHP code. stubs/onehop.stub.php declares its methods.
 */
#ifndef OH_PHP_TOPOLOGY_CLASS_H
#define OH_PHP_TOPOLOGY_CLASS_H

#include "php/base/zend.h"

extern zend_class_entry *oh_topology_class; /* OneHop\Topology */
extern zend_class_entry *oh_node_class;     /* OneHop\Node */

/* create_object of OneHop\Topology. */
zend_object *oh_topology_object_create(zend_class_entry *class);

#endif
