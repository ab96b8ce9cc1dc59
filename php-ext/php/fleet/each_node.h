/*
 * Each node: onEachNode() and onNode(), calls on nodes that the script has chosen.
 *
 * They serve what the fleet refuses: then the script decides which keys it is about, and what the
 * separate replies mean. Still refused are commands that would change a connection for its next
 * users (`state` in the table of commands), and calls that phpredis would send malformed.
 *
 * Implements spec/route, "onEachNode".
 */
#ifndef OH_PHP_EACH_NODE_H
#define OH_PHP_EACH_NODE_H

#include "php_onehop.h"

ZEND_METHOD(OneHop_Redis, onEachNode);
ZEND_METHOD(OneHop_Redis, onNode);

#endif
